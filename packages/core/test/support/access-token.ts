import { expect } from 'vitest'
import type {
  Account,
  Auth,
  AuthConfig,
  Provider,
  ProviderRuntime,
  Storage,
  Tokens,
} from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import type { Browser } from '@latchkey/testing/browser'
import { sleep } from '../../src/lib/clock.ts'
import { createPageRequest, passport, serve, signIn } from './service.ts'
import type { LogLine, TestService } from './service.ts'

export const HOUR = 3600

/** Returns the access token that the application gets for the user of a browser. */
export async function getToken(
  { auth }: { readonly auth: Pick<Auth, 'getAccessToken'> },
  browser: Browser,
  provider = 'passport',
): Promise<string | undefined> {
  return (await auth.getAccessToken(createPageRequest(browser), provider))?.accessToken
}

/** Returns the stored account. */
export async function getAccount(
  storage: Storage,
  provider = 'passport',
  subject = 'alice',
): Promise<Account> {
  const user = await storage.getUserByAccount(provider, subject)
  const accounts = await storage.listAccounts(user?.id ?? '')
  const account = accounts.find((candidate) => candidate.provider === provider)
  if (!account) throw new Error(`expected an account of ${provider}, found none`)
  return account
}

/** Returns the reason of a rejected promise. */
export async function getRejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (thrown) {
    return thrown
  }
  throw new Error('expected a rejection')
}

/** Returns the tokens of a refresh, from those that the provider issues by default. */
export type Refresh = (
  tokens: Tokens,
  refreshToken: string,
  runtime: ProviderRuntime,
) => Tokens | Promise<Tokens>

/** The service of {@link serveExpiringTokens}. */
export interface ExpiringTokens extends TestService<unknown> {
  readonly storage: Storage
  /** The refresh tokens that the provider received. */
  readonly refreshTokens: string[]
  readonly provider: Provider
  /** The browser of alice, signed in. */
  readonly browser: Browser
}

/**
 * Serves a provider whose tokens expire after an hour. Its n-th refresh returns `access-n` and
 * `refresh-n`, or what `refresh` makes of them.
 */
export async function serveExpiringTokens(
  refresh: Refresh = (tokens) => tokens,
  over: Partial<AuthConfig> = {},
): Promise<ExpiringTokens> {
  const refreshTokens: string[] = []
  const storage = over.storage ?? memoryStorage()
  const inAnHour = (milliseconds: number): number => Math.floor(milliseconds / 1000) + HOUR
  let signedIn = 0
  const provider = passport({
    identify: () => ({ tokens: createTokens(`${signedIn++ === 0 ? '' : 'new-'}0`, clock()) }),
    refresh: async (refreshToken, runtime) => {
      refreshTokens.push(refreshToken)
      const tokens = createTokens(String(refreshTokens.length), inAnHour(runtime.now()))
      // Leaves time for concurrent requests.
      await sleep(runtime, 20)
      return refresh(tokens, refreshToken, runtime)
    },
  })
  const service = serve({ providers: [provider], ...over, storage })
  const start = Date.now()
  let skipped = 0
  const clock = (): number => inAnHour(over.runtime?.now?.() ?? start + skipped * 1000)
  const wait = (seconds: number): void => {
    skipped += seconds
    service.wait(seconds)
  }
  const browser = service.browse()
  await signIn(browser)
  return { ...service, wait, storage, refreshTokens, provider, browser }
}

/** Creates tokens with a name in them and a time of expiry in seconds. */
export function createTokens(name: string, expires_at: number): Tokens {
  return {
    access_token: `access-${name}`,
    refresh_token: `refresh-${name}`,
    token_type: 'bearer',
    scope: 'read',
    expires_at,
  }
}

/** The provider does not rotate refresh tokens. */
export const withoutRotation: Refresh = (given) => {
  const { refresh_token: _, ...tokens } = given
  return tokens
}

/** Expects no token of {@link createTokens} in the log. */
export function expectNoTokens(lines: readonly LogLine[]): void {
  expect(JSON.stringify(lines)).not.toMatch(/access-|refresh-/)
}
