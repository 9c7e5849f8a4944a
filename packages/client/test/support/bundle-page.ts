import { join } from 'node:path'
import { build } from 'esbuild'

const pages = join(import.meta.dirname, '../pages')

const bundles = new Map<string, Promise<string>>()

/**
 * Bundles the script of one page as the bundler of an application does, once in each process.
 *
 * @param define Expressions to replace, as for `process.env`
 */
export function bundlePage(
  page: string,
  define: Readonly<Record<string, string>> = {},
): Promise<string> {
  const key = JSON.stringify([page, define])
  const bundle = bundles.get(key) ?? buildPage(page, define)
  bundles.set(key, bundle)
  return bundle
}

async function buildPage(page: string, define: Readonly<Record<string, string>>): Promise<string> {
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
