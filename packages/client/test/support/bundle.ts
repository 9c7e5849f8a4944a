import { join } from 'node:path'
import { build } from 'esbuild'

const pages = join(import.meta.dirname, '../pages')

/**
 * One page's script, as an application's bundler makes it.
 *
 * @param define Names to put in the place of others, as bundlers do for `process.env`
 */
export async function bundle(
  page: string,
  define: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(pages, `${page}.ts`)],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    define: {
      'process.env.NODE_ENV': '"development"',
      'process.env': '{}',
      ...define,
    },
    logLevel: 'error',
  })
  return outputFiles.map(({ text }) => text).join('')
}
