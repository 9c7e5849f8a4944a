// Prints the size of the deployed Worker and of its largest parts. `--json` prints JSON.

import { gzipSync } from 'node:zlib'
import { bundle } from './bundle.ts'

/** A part of the Worker. */
interface Part {
  readonly name: string
  /** Bytes before gzip, which compresses all parts together. */
  readonly minified: number
}

const { code, metafile } = await bundle()
const minified = Buffer.byteLength(code)
const gzipped = gzipSync(code, { level: 9 }).byteLength
const files = Object.entries(Object.values(metafile.outputs)[0]?.inputs ?? {}).map(
  ([path, { bytesInOutput }]) => ({ path, minified: bytesInOutput }),
)
const packages = sumBy(files, ({ path }) => getPackageName(path))
const parts = sumBy(files, ({ path }) => getPartName(path))

if (process.argv.includes('--json')) {
  console.log(JSON.stringify({ minified, gzipped, packages, parts }, null, 2))
} else {
  console.log(
    `The Worker: ${formatCount(minified)} bytes minified, ${formatCount(gzipped)} gzipped\n`,
  )
  console.log([...packages.map(formatPart), '', ...parts.slice(0, 24).map(formatPart)].join('\n'))
}

function sumBy(
  inputs: readonly { readonly path: string; readonly minified: number }[],
  getName: (file: { readonly path: string }) => string,
): readonly Part[] {
  const sums = new Map<string, number>()
  for (const file of inputs) {
    sums.set(getName(file), (sums.get(getName(file)) ?? 0) + file.minified)
  }
  return [...sums]
    .map(([name, sum]) => ({ name, minified: sum }))
    .toSorted((a, b) => b.minified - a.minified)
}

/** E.g. `@latchkey/core` or `oauth4webapi`. */
function getPackageName(path: string): string {
  const [, installed] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path) ?? []
  const [, own] = /^packages\/([^/]+)\//.exec(path) ?? []
  return installed ?? (own === undefined ? 'the Worker itself' : `@latchkey/${own}`)
}

/** E.g. `oauth4webapi`, or `@latchkey/core pages`: our own packages by file or folder. */
function getPartName(path: string): string {
  const [, part] = /^packages\/[^/]+\/src\/([^/]+)/.exec(path) ?? []
  return [getPackageName(path), part].filter(Boolean).join(' ')
}

function formatPart({ name, minified: bytes }: Part): string {
  const share = ((bytes / minified) * 100).toFixed(1)
  return `${formatCount(bytes).padStart(8)}  ${share.padStart(5)} %  ${name}`
}

function formatCount(value: number): string {
  return value.toLocaleString('en')
}
