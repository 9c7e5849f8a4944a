import { createHash } from 'node:crypto'
import type { AuthConfig, Provider, Storage } from '@latchkey/core'
import { accountPages } from '@latchkey/account'
import { confirmation } from '@latchkey/core/confirmation'
import { memoryStorage } from '@latchkey/core/memory'
import { secondFactor } from '@latchkey/second-factor'
import { createTestClock } from '@latchkey/testing'
import type { Browser } from '@latchkey/testing/browser'
import { passkeyFactor, passkeys } from '@latchkey/passkeys'
import type { PasskeysOptions } from '@latchkey/passkeys'
import { expect } from 'vitest'
import { startApp } from './app.ts'
import type { App } from './app.ts'
import { passport } from './provider.ts'
import { factorMethods } from './second-factor.ts'

/** An application whose service has passkeys. */
export interface PasskeyApp {
  readonly app: App
  readonly storage: Storage
  /** Makes the proofs of all sessions so old that the users must confirm before they change something. */
  readonly expireProofs: () => Promise<void>
}

/** The options of {@link startPasskeyApp}. */
export interface PasskeyAppOptions extends PasskeysOptions {
  /** Whether passkeys are second factors, too, which the page `/passkeys` asks for. Default: false */
  readonly hasSecondFactors?: boolean
  /** Default: a new one */
  readonly storage?: Storage
}

/** Starts an application on `localhost`, whose service has passkeys and account pages. */
export async function startPasskeyApp({
  hasSecondFactors = false,
  storage = memoryStorage(),
  ...options
}: PasskeyAppOptions = {}): Promise<PasskeyApp> {
  const clock = createTestClock()
  const methods = [passkeyFactor(), ...factorMethods]
  const config = {
    storage,
    runtime: clock.runtime,
    session: { strategy: 'storage' },
    providers: [passkeys(options), ...createPassports(clock.runtime.now)],
    use: [
      confirmation(),
      accountPages(),
      ...(hasSecondFactors ? [secondFactor({ methods, rememberFor: 3600 })] : []),
    ],
    ...(hasSecondFactors && { pages: { secondFactor: '/passkeys' } }),
  } satisfies Partial<AuthConfig>
  const app = await startApp(config, '/api/auth', 'localhost')
  app.clientIp = '192.0.2.1'
  // More than the ten minutes of `confirmation()`.
  return { app, storage, expireProofs: () => clock.advance(601_000) }
}

/** Removes a passkey as an administrator does: its device still has it. */
export async function removeFromStorage(
  { storage }: PasskeyApp,
  credentialId: string,
): Promise<void> {
  // I-49.2
  const id = createHash('sha256').update(credentialId).digest('base64url')
  const found = await storage.getFactorAndUser?.('passkey', id)
  const removed = await storage.deleteFactor?.(found?.user.id ?? '', 'passkey', id)
  expect(removed).toBe('deleted')
}

/** Removes the account of a user at the provider `passport`, so that passkeys are the only way to sign in. */
export async function unlinkPassport(browser: Browser, account: string): Promise<void> {
  const fields = { action: 'unlink', provider: 'passport', id: account }
  const { status } = await browser.submit('/account', fields)
  expect(status).toBe(303)
}

/** The providers of the tests, which say that the user authenticated now: `nameless` says nothing else. */
function createPassports(now: () => number): readonly Provider[] {
  const getAuthentication = () => ({ authenticatedAt: Math.floor(now() / 1000), methods: [] })
  const present: Provider = {
    ...passport,
    finish: async (input) => ({
      ...(await passport.finish(input)),
      authentication: getAuthentication(),
    }),
  }
  const nameless: Provider = {
    ...present,
    id: 'nameless',
    name: 'Nameless',
    finish: async (input) => ({ ...(await present.finish(input)), profile: {} }),
  }
  return [present, nameless]
}
