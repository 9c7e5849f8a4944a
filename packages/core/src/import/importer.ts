import type { ImportSource } from '../ports/import-source.ts'
import { createImports } from './import-sessions.ts'
import type { SessionImporter } from '../session/session-imports.ts'

/**
 * Creates an importer for `session.importFrom`.
 *
 * @example
 *   import { createImporter } from '@latchkey/core/import/importer'
 *
 *   declare function verify(
 *     value: string,
 *   ): Promise<{ readonly userId: string; readonly createdAt: number } | undefined>
 *   const importer = createImporter({
 *     until: Date.parse('2027-03-01') / 1000,
 *     findCookie: ({ cookies }) => {
 *       const value = cookies.get('sid')
 *       return value === undefined ? undefined : { value, names: ['sid'] }
 *     },
 *     read: async (value) => {
 *       const session = await verify(value)
 *       return session && { token: { sub: session.userId }, issuedAt: session.createdAt }
 *     },
 *   })
 */
export function createImporter(source: ImportSource): SessionImporter {
  return { ...source, createImports }
}
