// Node runs no decorators: esbuild compiles them, as the command line of Nest does with tsc or swc.
import { build } from 'esbuild'

await build({
  entryPoints: ['src/main.ts'],
  outfile: 'dist/main.mjs',
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  tsconfigRaw: { compilerOptions: { experimentalDecorators: true } },
})
