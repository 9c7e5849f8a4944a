import { platform } from '#crypto'
import { createSealer } from '../crypto/seal.ts'
import type { SealKey } from '../crypto/seal.ts'
import { ConfigurationError } from '../errors.ts'
import { lazy } from '../lib/lazy.ts'
import type { ImportContext, ImportedSession } from '../ports/import-source.ts'
import type { SessionImporter } from '../session/session-imports.ts'
import { createImporter } from './importer.ts'
import { findCookie, toImportedSession, toSeconds } from './session-cookie.ts'
import type { ImportOptions } from './session-cookie.ts'

export type { ImportOptions } from './session-cookie.ts'

/** The options of {@link nextAuthV4}. */
export interface NextAuthV4Options extends ImportOptions {
  /**
   * How next-auth kept sessions: `jwt`, encrypted in the cookie, or `database`, in rows that the
   * option `storage` of `createAuth` finds, as `@latchkey/storage-authjs` does. Tokens of a
   * `generateSessionToken` of your own are ignored if they have 43 characters of base64url.
   * Default: `jwt`
   */
  readonly strategy?: 'jwt' | 'database'
}

/**
 * Imports the sessions of next-auth v4, so that its users stay signed in (I-45). Without a database,
 * `subjectAsUserId` at one provider keeps their ids at the next sign-in too (I-46).
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import { nextAuthV4 } from '@latchkey/core/import/next-auth-v4'
 *   import { github } from '@latchkey/core/providers/github'
 *
 *   const auth = createAuth({
 *     secret: 'at least thirty-two random bytes, kept secret',
 *     providers: [
 *       github({ clientId: 'Iv1.abc', clientSecret: 'kept secret', subjectAsUserId: true }),
 *     ],
 *     session: {
 *       importFrom: [
 *         nextAuthV4({ secret: 'the former NEXTAUTH_SECRET', until: new Date('2027-03-01') }),
 *       ],
 *     },
 *   })
 *
 * @throws ConfigurationError if a date is not valid, or `issuedBefore` is given for the strategy
 *   `database`, whose rows do not say when they were created
 */
export function nextAuthV4(options: NextAuthV4Options): SessionImporter {
  const { cookieName = 'next-auth.session-token', strategy = 'jwt', domain } = options
  const issuedBefore = toSeconds('issuedBefore', options.issuedBefore)
  if (strategy === 'database' && issuedBefore !== undefined) {
    const problem = 'needs the strategy jwt: database sessions do not say when they were created'
    throw new ConfigurationError('session.importFrom.issuedBefore', problem)
  }
  return createImporter({
    until: toSeconds('until', options.until),
    ...(strategy === 'database' && { needs: ['sessions'] as const }),
    findCookie: (context) => findCookie(context, cookieName, domain),
    read: strategy === 'database' ? readRow : createTokenReader(options),
  })
}

/** The id of a stored Latchkey session is not a secret; next-auth's own tokens are UUIDs. */
const OUR_ID = /^[\w-]{43}$/

/** Finds a session of the strategy `database`, whose rows have the cookie's value as their key. */
async function readRow(
  value: string,
  { storage, now }: ImportContext,
): Promise<ImportedSession | undefined> {
  // Databases that compare loosely could otherwise take another value for an id.
  if (!/^[\w-]+$/.test(value) || OUR_ID.test(value)) return undefined
  const found = await storage?.getSessionAndUser(value, now)
  if (!found) return undefined
  const { id, name, email, emailVerified, image } = found.user
  const token = { sub: id, name, email, email_verified: emailVerified, picture: image }
  return { token, storedId: value }
}

function createTokenReader(options: NextAuthV4Options): SessionImporter['read'] {
  const secrets = typeof options.secret === 'string' ? [options.secret] : options.secret
  const sealers = secrets.map((secret) =>
    createSealer(
      lazy(async () => [await deriveKey(secret)]),
      refuseToSeal,
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
}

function refuseToSeal(): never {
  throw new Error('sessions of next-auth are read only')
}

/** `{"alg":"dir","enc":"A256GCM"}` */
const HEADER = 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0'

async function deriveKey(secret: string): Promise<SealKey> {
  const root = await platform.importSecret(secret)
  const derivation = { salt: '', info: 'NextAuth.js Generated Encryption Key' }
  return { header: HEADER, key: await root.deriveAesKey(derivation) }
}
