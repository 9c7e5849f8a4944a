// Prints what the deployed Worker weighs, and what of it weighs most. `--json` for machines.

import { gzipSync } from 'node:zlib'
import { bundle } from './bundle.ts'

/** A part of the Worker. */
interface Part {
  readonly name: string
  /** Bytes before gzip: what is compressed together cannot be told apart. */
  readonly minified: number
}

const { code, metafile } = await bundle()
const minified = Buffer.byteLength(code)
const gzipped = gzipSync(code, { level: 9 }).byteLength
const files = Object.entries(Object.values(metafile.outputs)[0]?.inputs ?? {}).map(
  ([path, { bytesInOutput }]) => ({ path, minified: bytesInOutput }),
)
const packages = sumBy(files, ({ path }) => packageOf(path))
const parts = sumBy(files, ({ path }) => partOf(path))

if (process.argv.includes('--json')) {
  console.log(JSON.stringify({ minified, gzipped, packages, parts }, null, 2))
} else {
  console.log(`The Worker: ${count(minified)} bytes minified, ${count(gzipped)} gzipped\n`)
  console.log([...packages.map(line), '', ...parts.slice(0, 24).map(line)].join('\n'))
}

function sumBy(
  weights: readonly { readonly path: string; readonly minified: number }[],
  nameOf: (weight: { readonly path: string }) => string,
): readonly Part[] {
  const sums = new Map<string, number>()
  for (const weight of weights) {
    sums.set(nameOf(weight), (sums.get(nameOf(weight)) ?? 0) + weight.minified)
  }
  return [...sums]
    .map(([name, sum]) => ({ name, minified: sum }))
    .toSorted((a, b) => b.minified - a.minified)
}

/** `@latchkey/core`, `oauth4webapi`, … */
function packageOf(path: string): string {
  const [, installed] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path) ?? []
  const [, own] = /^packages\/([^/]+)\//.exec(path) ?? []
  return installed ?? (own === undefined ? 'the Worker itself' : `@latchkey/${own}`)
}

/** A package, and of our own the file or the folder in it. */
function partOf(path: string): string {
  const [, part] = /^packages\/[^/]+\/src\/([^/]+)/.exec(path) ?? []
  return [packageOf(path), part].filter(Boolean).join(' ')
}

function line({ name, minified: bytes }: Part): string {
  const share = ((bytes / minified) * 100).toFixed(1)
  return `${count(bytes).padStart(8)}  ${share.padStart(5)} %  ${name}`
}

function count(value: number): string {
  return value.toLocaleString('en')
}
