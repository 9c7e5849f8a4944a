import { jwtDecrypt } from 'jose'
import { toUtf8 } from '../crypto/encoding.ts'
import type { SessionImporter } from '../session/session-imports.ts'
import { createImporter } from './importer.ts'
import { findCookie, toImportedSession, toSeconds } from './session-cookie.ts'
import type { ImportOptions } from './session-cookie.ts'

export type { ImportOptions } from './session-cookie.ts'

/**
 * Imports the encrypted session cookies of Auth.js v5 (`next-auth@5`, `@auth/*`), so that its users
 * stay signed in (I-45).
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import { authJs } from '@latchkey/core/import/auth-js'
 *   import { github } from '@latchkey/core/providers/github'
 *
 *   const auth = createAuth({
 *     secret: 'at least thirty-two random bytes, kept secret',
 *     providers: [github({ clientId: 'Iv1.abc', clientSecret: 'kept secret' })],
 *     session: {
 *       importFrom: [authJs({ secret: 'the former AUTH_SECRET', until: new Date('2027-03-01') })],
 *     },
 *   })
 *
 * @throws ConfigurationError if a date is not valid
 */
export function authJs(options: ImportOptions): SessionImporter {
  const { cookieName = 'authjs.session-token', domain } = options
  const secrets = typeof options.secret === 'string' ? [options.secret] : options.secret
  toSeconds('issuedBefore', options.issuedBefore)
  return createImporter({
    until: toSeconds('until', options.until),
    findCookie: (context) => findCookie(context, cookieName, domain),
    async read(value, { secure, now }) {
      // The salt is the cookie's name, with its prefix.
      const salt = (secure ? '__Secure-' : '') + cookieName
      for (const secret of secrets) {
        const claims = await decrypt(value, secret, salt, now)
        if (claims) return toImportedSession(claims, options)
      }
      return undefined
    },
  })
}

async function decrypt(
  token: string,
  secret: string,
  salt: string,
  now: number,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const { payload } = await jwtDecrypt(token, await deriveKey(secret, salt), {
      keyManagementAlgorithms: ['dir'],
      contentEncryptionAlgorithms: ['A256CBC-HS512'],
      requiredClaims: ['exp'],
      currentDate: new Date(now * 1000),
    })
    return payload
  } catch {
    return undefined // Whatever is wrong with it: it is not a session under this secret.
  }
}

async function deriveKey(secret: string, salt: string): Promise<Uint8Array> {
  const root = await crypto.subtle.importKey('raw', toUtf8(secret), 'HKDF', false, ['deriveBits'])
  const info = toUtf8(`Auth.js Generated Encryption Key (${salt})`)
  const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: toUtf8(salt), info }
  return new Uint8Array(await crypto.subtle.deriveBits(hkdf, root, 512))
}
