import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Checks that the page of examples lists every application, and nothing else.
 *
 * @throws Error naming what is missing
 */
export function checkExamples(page: string, root: string): void {
  const folders = globSync(
    ['apps/{*,recipes/*}/README.md', 'packages/internal/hosts/frameworks/*/README.md'],
    {
      cwd: root,
    },
  )
  const applications = folders.map((path) => path.replace('/README.md', ''))
  const missing = applications.filter(
    (path) => !['apps/docs', 'apps/recipes'].includes(path) && !page.includes(`\`${path}\``),
  )
  if (missing.length > 0) throw new Error(`pages/examples.md does not list ${missing.join(', ')}`)
  const named = [...page.matchAll(/`((?:apps|packages)\/[^`]+)`/g)]
  const wrong = named.map(([, path = '']) => path).filter((path) => !existsSync(join(root, path)))
  if (wrong.length > 0) throw new Error(`pages/examples.md lists ${wrong.join(', ')}`)
}
