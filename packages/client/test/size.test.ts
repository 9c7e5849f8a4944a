import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'

const source = join(import.meta.dirname, '../src')

/** Bundles an entry; returns its size in bytes, minified and gzipped, and its source files. */
async function measureBundle(entry: string): Promise<{ bytes: number; inputs: string[] }> {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(source, entry)],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    target: 'es2022',
    external: ['react'],
    logLevel: 'error',
  })
  const bytes = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length
  return { bytes, inputs: Object.keys(metafile.inputs) }
}

describe('bundle size', () => {
  test.each([
    // More than 2 and 3 kB: failed requests are logged, tabs with next-auth 4 heard, and the service may
    // have another origin, which costs 165 bytes; required sessions have null while they load, 3 bytes; `confirm` takes 51 and 75, and
    // what the entries of factors and passkeys find in a client 19 and 21.
    ['index.ts', 2560],
    ['react.ts', 3540],
    // With the entry above that they include.
    ['factors.ts', 2880],
    ['react-factors.ts', 4650],
    ['passkeys.ts', 5230],
    ['react-passkeys.ts', 6920],
    // With the code of the protocol, more than half.
    ['native.ts', 11_100, 'oauth4webapi'],
  ])(
    '%s has at most %i bytes, and only files of this package',
    async (entry, budget, library?: string) => {
      const { bytes, inputs } = await measureBundle(entry)
      console.log(`@latchkey/client, ${entry}: ${bytes} bytes gzipped of ${budget}`)
      expect(bytes).toBeLessThanOrEqual(budget)
      const isAllowed = (input: string): boolean =>
        input.includes('client/src/') ||
        (library !== undefined && input.includes(`node_modules/${library}/`))
      expect(inputs.filter((input) => !isAllowed(input))).toEqual([])
    },
  )
})
