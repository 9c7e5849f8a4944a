/** The services of a soak: several instances over one database, whose secrets can be replaced. */
import { createAuth } from '@latchkey/core'
import type { Auth, AuthConfig, Mailer, Storage } from '@latchkey/core'
import { accountPages } from '@latchkey/account'
import { confirmation } from '@latchkey/core/confirmation'
import { email } from '@latchkey/core/providers/email'
import { oidc } from '@latchkey/core/providers/oidc'
import { recoveryCodes, secondFactor, totp } from '@latchkey/second-factor'
import { passkeys } from '@latchkey/passkeys'
import { passwords } from '@latchkey/passwords'
import { fastHasher } from '../../../../passwords/test/support/service.ts'
import { CLIENT_ID, ISSUER } from './issuer.ts'

export const ORIGIN = 'https://app.example'
/** Seconds without use after which a session ends. */
export const MAX_AGE = 1800

/** How sessions are kept. */
export const kinds = ['storage', 'revocable'] as const

/** One of {@link kinds}. */
export type Kind = (typeof kinds)[number]

/** What the services of a soak share. */
export interface Ports {
  readonly storage: Storage
  readonly mailer: Mailer
  /** Returns the time in seconds since 1970. */
  readonly now: () => number
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>
}

/** Milliseconds up to which a wait is a random pause before an answer, which takes no time here. */
const MAX_PAUSE = 50
const FROM = 'Example <sign-in@app.example>'

/** Creates one instance. */
export function createInstance(kind: Kind, secret: readonly string[], ports: Ports): Auth {
  const { storage, mailer, now, fetch } = ports
  const session: AuthConfig['session'] =
    kind === 'storage' ? { strategy: 'storage' } : { strategy: 'cookie', revocable: true }
  return createAuth({
    serviceUrl: ORIGIN,
    secret,
    storage,
    session: { ...session, maxAge: MAX_AGE },
    providers: [
      oidc({
        id: 'op',
        name: 'Provider',
        issuer: ISSUER,
        clientId: CLIENT_ID,
        clientSecret: 'kept secret',
        trustEmailVerified: true,
      }),
      email({ mailer, from: FROM, code: true }),
      passwords({ hasher: fastHasher(), mailer, from: FROM }),
      passkeys(),
    ],
    use: [accountPages(), confirmation(), secondFactor({ methods: [totp(), recoveryCodes()] })],
    runtime: {
      now: () => now() * 1000,
      fetch,
      schedule(milliseconds, callback) {
        const timer = setTimeout(callback, milliseconds > MAX_PAUSE ? milliseconds : 0)
        return () => clearTimeout(timer)
      },
    },
    logger: { error: () => undefined, warn: () => undefined },
  })
}
