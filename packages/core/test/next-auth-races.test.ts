/**
 * Races that users of next-auth report as sign-outs at the refresh of an access token. The numbers are
 * issues of nextauthjs/next-auth; the page "Sign-outs at refresh" of the manual describes them.
 */
import type { AuthConfig } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { describe, expect, test } from 'vitest'
import { getToken, HOUR } from './support/access-token.ts'
import { createRotatingProvider, getAccessToken } from './support/cookie-access-tokens.ts'
import { serveCookieTokens } from './support/cookie-access-tokens.ts'
import type { CookieTokens } from './support/cookie-access-tokens.ts'
import { applyCookies, base, createPageRequest, serve, signIn } from './support/service.ts'
import { toCookieHeader } from './support/service.ts'

const DAY = 86_400

/** Where the tokens are kept, each with a provider that accepts a refresh token once. */
const places: Readonly<Record<string, () => Promise<CookieTokens>>> = {
  'the session cookie': () => serveCookieTokens(),
  'a storage': () => serveStoredTokens(),
}

async function serveStoredTokens(): Promise<CookieTokens> {
  const rotating = createRotatingProvider()
  const config = { providers: [rotating.provider], storage: memoryStorage() }
  const service = serve(config)
  const browser = service.browse()
  await signIn(browser)
  const wait = (seconds: number): void => {
    rotating.ahead += seconds
    service.wait(seconds)
  }
  const startProcess = (): CookieTokens => {
    const other = serve(config)
    other.wait(rotating.ahead)
    return { ...other, wait, rotating, browser, startProcess }
  }
  return { ...service, wait, rotating, browser, startProcess }
}

describe.each(Object.entries(places))('tokens in %s', (_, open) => {
  test('2071: the tabs of a browser that ask at the same time use the refresh token once', async () => {
    const setup = await open()
    setup.wait(HOUR)
    const tabs = Array.from({ length: 20 }, () => getToken(setup, setup.browser))
    expect(new Set(await Promise.all(tabs))).toEqual(new Set(['access-alice-1']))
    expect(setup.rotating.refreshTokens).toEqual(['refresh-alice-0'])
  })

  test('7558: tokens that were refreshed where no cookie can be set are not lost', async () => {
    const setup = await open()
    setup.wait(HOUR)
    // A server component: the headers of the result go nowhere.
    expect((await getAccessToken(setup, setup.browser)).accessToken).toBe('access-alice-1')
    setup.wait(HOUR)
    expect((await getAccessToken(setup, setup.browser)).accessToken).toBe('access-alice-2')
    await setup.browser.json('/session')
    setup.wait(HOUR)
    const other = setup.startProcess()
    expect(await getToken(other, setup.browser)).toBe('access-alice-3')
    expect(setup.rotating.refreshTokens).toEqual([0, 1, 2].map((n) => `refresh-alice-${n}`))
  })

  test('8897: a reply that arrives late brings no used token back', async () => {
    const setup = await open()
    const cookie = toCookieHeader(setup.browser)
    setup.wait(HOUR)
    const late = await setup.auth.handle(new Request(`${base}/session`, { headers: { cookie } }))
    applyCookies(setup.browser, (await getAccessToken(setup, setup.browser)).headers)
    applyCookies(setup.browser, late.headers)
    setup.wait(HOUR)
    expect(await getToken(setup, setup.browser)).toBe('access-alice-2')
    expect(new Set(setup.rotating.refreshTokens).size).toBe(setup.rotating.refreshTokens.length)
  })

  test('11240: a proxy and the page behind it, which has the same cookie, refresh once', async () => {
    const setup = await open()
    setup.wait(HOUR)
    const request = createPageRequest(setup.browser)
    const inProxy = await setup.auth.getAccessToken(request, 'passport')
    const inPage = await setup.auth.getAccessToken(request, 'passport')
    expect([inProxy?.accessToken, inPage?.accessToken]).toEqual([
      'access-alice-1',
      'access-alice-1',
    ])
    expect(setup.rotating.refreshTokens).toEqual(['refresh-alice-0'])
  })
})

describe('8897: an update that a renewal crosses', () => {
  /** Updates the session while the reply to a `GET /session` that renews it is on its way. */
  async function cross(over: Partial<AuthConfig>): Promise<unknown> {
    const { auth, browse, wait } = serve({
      ...over,
      callbacks: {
        jwt: ({ token }) => token,
        session: ({ session, token }) => ({ ...session, note: token['note'] ?? null }),
      },
      session: { ...over.session, update: ({ token, data }) => ({ ...token, note: data }) },
    } as Partial<AuthConfig>)
    const browser = browse()
    await signIn(browser)
    wait(2 * DAY)
    const headers = { cookie: toCookieHeader(browser) }
    const late = await auth.handle(new Request(`${base}/session`, { headers }))
    const body = JSON.stringify({ csrfToken: await browser.csrfToken(), data: 'dark' })
    const updated = await browser.visit('/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    expect(await updated.json()).toMatchObject({ note: 'dark' })
    applyCookies(browser, late.headers)
    return browser.json('/session')
  }

  test('is kept if the session is stored', async () => {
    expect(await cross({ storage: memoryStorage() })).toMatchObject({ note: 'dark' })
  })

  test('is lost if the session is only in its cookie, and the user stays signed in', async () => {
    expect(await cross({})).toMatchObject({ note: null, user: { name: 'Person alice' } })
  })
})
