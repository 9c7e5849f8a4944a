import { expect } from 'vitest'
import type { AccessToken, Auth, AuthConfig, Provider, Tokens } from '@latchkey/core'
import { cookieAccessTokens } from '@latchkey/core/cookie-access-tokens'
import type { Browser } from '@latchkey/testing/browser'
import { createTokens, HOUR } from './access-token.ts'
import { createPageRequest, passport, serve, signIn } from './service.ts'
import type { TestService } from './service.ts'

/** A provider that issues new tokens at each refresh, and accepts each refresh token once. */
export interface RotatingProvider {
  readonly provider: Provider
  /** The refresh tokens that the provider received. */
  readonly refreshTokens: string[]
  /** Replaces what the provider does with a refresh token. */
  refresh: (refreshToken: string) => Promise<Tokens> | Tokens
  /** Seconds that the provider's clock is ahead. */
  ahead: number
}

/**
 * Creates a {@link RotatingProvider}. The first tokens of alice are `access-alice-0` and
 * `refresh-alice-0`; they expire after an hour.
 *
 * @param extra Further tokens of a sign-in
 */
export function createRotatingProvider(extra: Tokens = {}): RotatingProvider {
  // As the clock of the service, which is created later, it stands still.
  const started = Math.floor(Date.now() / 1000)
  const getExpiry = (): number => started + rotating.ahead + HOUR
  const generations = new Map<string, number>()
  const rotating: RotatingProvider = {
    refreshTokens: [],
    ahead: 0,
    refresh(refreshToken) {
      const [, subject = '', generation = ''] = /^refresh-(.+)-(\d+)$/.exec(refreshToken) ?? []
      return createTokens(`${subject}-${Number(generation) + 1}`, getExpiry())
    },
    provider: passport({
      identify(subject) {
        // A later sign-in has its own tokens.
        const generation = generations.get(subject) ?? 0
        generations.set(subject, generation + 1000)
        return { tokens: { ...createTokens(`${subject}-${generation}`, getExpiry()), ...extra } }
      },
      async refresh(refreshToken) {
        const isUsed = rotating.refreshTokens.includes(refreshToken)
        rotating.refreshTokens.push(refreshToken)
        // Leaves time for concurrent requests.
        await new Promise((resolve) => setTimeout(resolve, 20))
        if (isUsed) throw new Error(`invalid_grant: ${refreshToken}`)
        return rotating.refresh(refreshToken)
      },
    }),
  }
  return rotating
}

/** The service of {@link serveCookieTokens}. */
export interface CookieTokens extends TestService<unknown> {
  readonly rotating: RotatingProvider
  /** The browser of alice, signed in. */
  readonly browser: Browser
  /** Creates another process of the service. `wait` advances the clocks of all. */
  readonly startProcess: () => TestService<unknown>
}

/** Serves a {@link RotatingProvider} with sessions that keep its tokens in their cookies. */
export async function serveCookieTokens(
  over: Partial<AuthConfig> = {},
  rotating: RotatingProvider = createRotatingProvider(),
): Promise<CookieTokens> {
  const create = (): TestService<unknown> => {
    const session = { accessTokens: cookieAccessTokens(), ...over.session }
    return serve({ providers: [rotating.provider], ...over, session })
  }
  const service = create()
  const processes = [service]
  const wait = (seconds: number): void => {
    rotating.ahead += seconds
    for (const each of processes) each.wait(seconds)
  }
  const startProcess = (): TestService<unknown> => {
    const other = create()
    other.wait(rotating.ahead)
    processes.push(other)
    return other
  }
  const browser = service.browse()
  await signIn(browser)
  return { ...service, wait, rotating, browser, startProcess }
}

/** Returns the access token that the application gets for the user of a browser; fails without one. */
export async function getAccessToken(
  { auth }: { readonly auth: Pick<Auth, 'getAccessToken'> },
  browser: Browser,
): Promise<AccessToken> {
  const token = await auth.getAccessToken(createPageRequest(browser), 'passport')
  if (!token) throw new Error('expected an access token, found none')
  return token
}

/** Expects headers that set the session's cookie, and that no cache keeps. */
export function expectSessionCookie(headers: Headers): void {
  expect(headers.get('cache-control')).toBe('private, no-store')
  const lines = headers.getSetCookie()
  expect(lines.length).toBeGreaterThan(0)
  for (const line of lines) {
    expect(line).toMatch(/^__Host-latchkey\.session(\.\d)?=/)
    expect(line).toMatch(/; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
  }
}
