import { tokenOf } from '../sign-in/resolve-user.ts'
import { toUtf8 } from '../crypto/encoding.ts'
import { lazy } from '../lib/lazy.ts'
import type { ImportedSession, SessionImporter } from '../ports/session-importer.ts'
import { createSealer } from '../crypto/seal.ts'
import type { SealKey } from '../crypto/seal.ts'
import { cookieOf, importedSession } from './session-cookie.ts'
import type { ImportOptions } from './session-cookie.ts'

/** What {@link nextAuthV4} takes. */
export interface NextAuthV4Options extends ImportOptions {
  /**
   * How next-auth kept sessions: `jwt`, encrypted in the cookie, or `database`, whose rows the option
   * `storage` of `createAuth` must then find, as `@latchkey/storage-authjs` does. Tokens of a
   * `generateSessionToken` of your own are not read where they have 43 characters of base64url.
   * Default: `jwt`
   */
  readonly strategy?: 'jwt' | 'database'
}

/**
 * Reads the session cookies of next-auth v4, so that nobody is signed out by the switch. Each becomes
 * a session of ours when it is first seen.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import { nextAuthV4 } from '@latchkey/core/import/next-auth-v4'
 *   import { github } from '@latchkey/core/providers/github'
 *
 *   const auth = createAuth({
 *     secret: 'at least thirty-two random bytes, kept secret',
 *     providers: [github({ clientId: 'Iv1.abc', clientSecret: 'kept secret' })],
 *     session: { importFrom: [nextAuthV4({ secret: 'what NEXTAUTH_SECRET was' })] },
 *   })
 */
export function nextAuthV4(options: NextAuthV4Options): SessionImporter {
  const { cookieName = 'next-auth.session-token', strategy = 'jwt' } = options
  const secrets = typeof options.secret === 'string' ? [options.secret] : options.secret
  const keys = lazy(() => Promise.all(secrets.map(sealKey)))
  const read = createSealers(keys)
  return {
    async read({ cookies, secure, now, storage }): Promise<ImportedSession | undefined> {
      const cookie = cookieOf(cookies, cookieName, secure)
      if (!cookie) return undefined
      if (strategy === 'database') {
        // next-auth kept the token itself: what is looked up is what stands in the cookie. But that
        // must not be the id of a session of ours, which anybody may know.
        // And not one that a database takes for it, as many do where only accents differ.
        if (!/^[\w-]+$/.test(cookie.value) || OUR_ID.test(cookie.value)) return undefined
        const found = await storage?.getSessionAndUser(cookie.value, now)
        const { domain } = options
        return (
          found && {
            token: { ...tokenOf(found.user) },
            value: cookie.value,
            cookies: cookie.names,
            domain,
          }
        )
      }
      return importedSession(await read(cookie.value, now), cookie, options)
    },
  }
}

/** All of next-auth's tokens have the same protected header, so only the right key tells them apart. */
function createSealers(
  keys: () => Promise<readonly SealKey[]>,
): (sealed: string, now: number) => Promise<Readonly<Record<string, unknown>> | undefined> {
  return async (sealed, now) => {
    for (const key of await keys()) {
      const content = await createSealer(async () => [key], noRandom).open(sealed, now)
      if (content) return content
    }
    return undefined
  }
}

/** Nothing is sealed here. */
function noRandom(): never {
  throw new Error('sessions of next-auth are only read')
}

/** What a `StoredSession` of ours has as its id: next-auth's tokens are UUIDs. */
const OUR_ID = /^[\w-]{43}$/

/** `{"alg":"dir","enc":"A256GCM"}` */
const HEADER = 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0'

async function sealKey(secret: string): Promise<SealKey> {
  const root = await crypto.subtle.importKey('raw', toUtf8(secret), 'HKDF', false, ['deriveKey'])
  const info = toUtf8('NextAuth.js Generated Encryption Key')
  const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: toUtf8(''), info }
  const aes = { name: 'AES-GCM', length: 256 }
  return {
    header: HEADER,
    key: await crypto.subtle.deriveKey(hkdf, root, aes, false, ['decrypt']),
  }
}
