import { platform } from '#crypto'
import { createSealer } from '../crypto/seal.ts'
import type { SealKey } from '../crypto/seal.ts'
import { lazy } from '../lib/lazy.ts'
import type { SessionImporter } from '../session/session-imports.ts'
import { createFormerSessions } from './previous-sessions.ts'
import { toImportedSession } from './session-cookie.ts'
import type { ImportOptions } from './session-cookie.ts'

export type { ImportOptions } from './session-cookie.ts'

/** The options of {@link nextAuthV4}. */
export type NextAuthV4Options = ImportOptions

/**
 * Imports the sessions of next-auth v4, so that its users stay signed in. Without a database,
 * `subjectAsUserId` at one provider, or `userId` at each, keeps their ids at the next sign-in too.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import { nextAuthV4 } from '@latchkey/core/import/next-auth-v4'
 *   import { github } from '@latchkey/core/providers/github'
 *
 *   const auth = createAuth({
 *     secret: process.env['AUTH_SECRET'] ?? '',
 *     providers: [
 *       github({ clientId: 'Iv1.abc', clientSecret: 'kept secret', subjectAsUserId: true }),
 *     ],
 *     session: {
 *       importFrom: [
 *         nextAuthV4({ secret: 'the previous NEXTAUTH_SECRET', until: new Date('2027-03-01') }),
 *       ],
 *     },
 *   })
 *
 * @throws ConfigurationError `session.importFrom.…` if an option is unknown or invalid
 */
export function nextAuthV4(options: NextAuthV4Options): SessionImporter {
  const { cookieName = 'next-auth.session-token' } = options
  return createFormerSessions(options, cookieName, (secrets) => {
    const sealers = secrets.map((secret) =>
      createSealer(
        lazy(async () => [await deriveKey(secret)]),
        throwReadOnly,
      ),
    )
    return async (value, { now }) => {
      // All of next-auth's tokens have the same protected header: only decryption distinguishes them.
      for (const sealer of sealers) {
        const claims = await sealer.open(value, now)
        if (claims) return toImportedSession(claims, options)
      }
      return undefined
    }
  })
}

function throwReadOnly(): never {
  throw new Error('sessions of next-auth are read only')
}

/** `{"alg":"dir","enc":"A256GCM"}` */
const HEADER = 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0'

async function deriveKey(secret: string): Promise<SealKey> {
  const root = await platform.importSecret(secret)
  const derivation = { salt: '', info: 'NextAuth.js Generated Encryption Key' }
  return { header: HEADER, key: await root.deriveAesKey(derivation) }
}
