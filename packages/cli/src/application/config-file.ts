import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where applications call `createAuth`, without the extension: the first that exists is read. */
const paths = [
  'src/auth',
  'auth',
  'lib/auth',
  'src/lib/auth',
  'src/lib/server/auth',
  'app/auth',
  'app/lib/auth',
  'app/auth.server',
  'src/server/auth',
  'server/auth',
  'server/utils/auth',
] as const

const extensions = ['ts', 'mts', 'tsx', 'js', 'mjs'] as const

/** The files that are looked for, in words. */
export const conventions: string =
  'src/auth.ts, auth.ts, lib/auth.ts, src/lib/auth.ts or app/auth.ts'

/**
 * Returns the file in which an application calls `createAuth`, relative to its folder. A file that does
 * not name a package of Latchkey is another library's: it is not run.
 */
export function findConfigFile(folder: string): string | undefined {
  const files = paths.flatMap((path) => extensions.map((extension) => `${path}.${extension}`))
  return files.find((file) => {
    const path = join(folder, file)
    return existsSync(path) && readFileSync(path, 'utf8').includes('@latchkey/')
  })
}
