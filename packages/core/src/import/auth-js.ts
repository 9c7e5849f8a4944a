import { platform } from '#crypto'
import { jwtDecrypt } from 'jose'
import { isCanonicalBase64url } from '../crypto/encoding.ts'
import type { Awaitable } from '../ports/awaitable.ts'
import { lazy } from '../lib/lazy.ts'
import type { SessionImporter } from '../session/session-imports.ts'
import { createFormerSessions } from './previous-sessions.ts'
import { toImportedSession } from './session-cookie.ts'
import type { ImportOptions } from './session-cookie.ts'

export type { ImportOptions } from './session-cookie.ts'

/**
 * Imports the sessions of Auth.js v5 (`next-auth@5`, `@auth/*`), so that its users stay signed in.
 * Auth.js keeps them in the database if it has an adapter and no `session.strategy`: then
 * `authJs({ strategy: 'database', until })`, with the same database as `storage`.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import { authJs } from '@latchkey/core/import/auth-js'
 *   import { github } from '@latchkey/core/providers/github'
 *
 *   const auth = createAuth({
 *     secret: process.env['AUTH_SECRET'] ?? '',
 *     providers: [github({ clientId: 'Iv1.abc', clientSecret: 'kept secret' })],
 *     session: {
 *       importFrom: [authJs({ secret: 'the previous AUTH_SECRET', until: new Date('2027-03-01') })],
 *     },
 *   })
 *
 * @throws ConfigurationError `session.importFrom.…` if an option is unknown or invalid
 */
export function authJs(options: ImportOptions): SessionImporter {
  const { cookieName = 'authjs.session-token' } = options
  return createFormerSessions(options, cookieName, (secrets) => {
    // The salt is the cookie's name, with its prefix.
    const keys = deriveKeys(secrets, cookieName)
    const secureKeys = deriveKeys(secrets, `__Secure-${cookieName}`)
    return async (value, { secure, now }) => {
      // One session has one cookie, because revocations name cookies. jose accepts other encodings.
      if (!value.split('.').every(isCanonicalBase64url)) return undefined
      for (const key of await (secure ? secureKeys() : keys())) {
        const claims = await decrypt(value, key, now)
        if (claims) return toImportedSession(claims, options)
      }
      return undefined
    }
  })
}

async function decrypt(
  token: string,
  key: Uint8Array,
  now: number,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  try {
    const { payload } = await jwtDecrypt(token, key, {
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

function deriveKeys(
  secrets: readonly string[],
  salt: string,
): () => Awaitable<readonly Uint8Array[]> {
  const derivation = { salt, info: `Auth.js Generated Encryption Key (${salt})` }
  return lazy(() =>
    Promise.all(
      secrets.map(async (secret) =>
        (await platform.importSecret(secret)).deriveBytes(derivation, 64),
      ),
    ),
  )
}
