import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { bundle } from '@latchkey/test-support/bundle'

const own = fileURLToPath(new URL('../..', import.meta.url))
const pages = fileURLToPath(new URL('../../../../../apps/docs/pages/', import.meta.url))

/** The files of a page as they are printed there, in a folder that is removed. */
export interface PrintedFiles extends AsyncDisposable {
  /** Imports files as one module, which has the exports of all of them. */
  readonly load: <Module>(...files: readonly string[]) => Promise<Module>
  /** Returns a program for a browser that consists of the files and of what uses them. */
  readonly bundleForBrowser: (program: string) => Promise<string>
}

/**
 * Writes the files that a page of the manual prints: each is a block after a line that begins with its
 * name in backquotes.
 *
 * @param page Such as `guide/roles.md`
 * @throws Error if the page prints no file
 */
export async function printFiles(page: string): Promise<PrintedFiles> {
  const text = await readFile(join(pages, page), 'utf8')
  const blocks = [...text.matchAll(/^`([\w./-]+)`:[^\n]*\n\n```tsx?\n([^]*?)^```$/gm)]
  if (blocks.length === 0) throw new Error(`${page} prints no file`)
  // In this package, so that the imports of other packages resolve.
  const folder = await mkdtemp(join(own, 'examples-'))
  for (const [, file = '', code = ''] of blocks) {
    await mkdir(dirname(join(folder, file)), { recursive: true })
    await writeFile(join(folder, file), code)
  }
  return {
    async load<Module>(...files: readonly string[]) {
      const entry = join(folder, 'entry.ts')
      const outfile = join(folder, `${files.join('-')}.mjs`)
      await writeFile(entry, files.map(toExports).join('\n'))
      await bundleForNode(entry, outfile)
      return (await import(pathToFileURL(outfile).href)) as Module
    },
    bundleForBrowser: (program) =>
      bundle({
        stdin: { contents: program, resolveDir: folder, loader: 'tsx' },
        platform: 'browser',
        define: { 'process.env.NODE_ENV': '"production"' },
        logOverride: { 'ignored-bare-import': 'silent' },
      }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** A file of settings has a default export only. */
function toExports(file: string): string {
  return file.endsWith('.config.ts')
    ? `export { default } from './${file}'`
    : `export * from './${file}'`
}

/** Databases are files of the folder that the test runs in: here each is in memory. */
async function bundleForNode(entry: string, outfile: string): Promise<void> {
  const code = await bundle({ entryPoints: [entry], packages: 'external', platform: 'node' })
  await writeFile(outfile, code.replaceAll('"app.sqlite"', '":memory:"'))
}
