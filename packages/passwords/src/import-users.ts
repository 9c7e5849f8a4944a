import type { ImportUsersOptions, UserImportSummary } from '@latchkey/core'
import { importUsers as coreImportUsers } from '@latchkey/core/unstable-passwords'

/**
 * Stores users of another service, with the hashes of their passwords, so that they sign in as before. Each user
 * is stored with the password in one step. With a proven email address the password signs in; otherwise it does after a link
 * in an email is opened in the same browser. A row that was imported changes nothing when it comes again, so an import can
 * be stopped and repeated. A password that the user has is never replaced. No event is emitted, and no email is sent.
 *
 * @example
 *   import type { Auth } from '@latchkey/core'
 *   import { importUsers } from '@latchkey/passwords/import-users'
 *
 *   declare const auth: Auth
 *   declare function readUsers(): AsyncIterable<{ id: string; mail: string; bcrypt: string }>
 *
 *   async function* toRows() {
 *     for await (const { id, mail, bcrypt } of readUsers()) {
 *       yield { id, email: mail, emailVerified: true, hash: bcrypt }
 *     }
 *   }
 *   const { imported, refused } = await importUsers(auth, toRows(), {
 *     onRefused: ({ row, reason, member }) => console.warn(`row ${row}: ${reason} ${member ?? ''}`),
 *   })
 *   console.log(`${imported} imported, ${refused} refused`)
 *
 * @param auth What `createAuth` returned, with `passwords()` among its providers
 * @param rows Users, of the type `ImportedUser`: each row is checked, and an invalid one is refused
 * @returns How many rows were imported, unchanged and refused
 *
 * @throws ConfigurationError without `passwords()` in `providers`, or if an option is invalid
 * @throws AuthError `Unavailable` naming the number of the row, if the storage fails: rows before it are stored
 */
export async function importUsers(
  auth: object,
  rows: AsyncIterable<unknown> | Iterable<unknown>,
  options?: ImportUsersOptions,
): Promise<UserImportSummary> {
  return coreImportUsers(auth, rows, options)
}

export type {
  ImportedUser,
  ImportRefusal,
  ImportUsersOptions,
  RefusedUser,
  UserImportSummary,
} from '@latchkey/core'
