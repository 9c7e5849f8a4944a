import { join } from 'node:path'
import { build } from 'esbuild'

const pages = join(import.meta.dirname, '../pages')

/**
 * Bundles the script of one page as the bundler of an application does.
 *
 * @param define Expressions to replace, as for `process.env`
 */
export async function bundlePage(
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
