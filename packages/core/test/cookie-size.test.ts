import { describe, expect, test } from 'vitest'
import { cookieAccessTokens } from '@latchkey/core/cookie-access-tokens'
import { memoryStorage } from '@latchkey/core/memory'
import { credentials } from '@latchkey/core/providers/credentials'
import type { AuthConfig } from '@latchkey/core'
import type { Browser } from '@latchkey/testing/browser'
import {
  beginSignIn,
  getFlowCookies,
  getRedirect,
  getUser,
  passport,
  serve,
  signIn,
  toCallbackUrl,
  toCookieHeader,
} from './support/service.ts'

/** Returns the bytes of the header `Cookie` of a browser. */
const measure = (browser: Browser): number => toCookieHeader(browser).length

const withGroups = (length: number): Partial<AuthConfig> => ({
  callbacks: { jwt: ({ token }) => ({ ...token, groups: 'g'.repeat(length) }) },
})

/** Finds no room beside the longest session. */
const longUrl = { callbackUrl: `/${'a'.repeat(1900)}` }

describe('a reply leaves at most 12,000 bytes of cookies, and 13,600 with a new flow (I-14.9)', () => {
  test.each([0, 3000, 5000, 6000, 7000, 7900, 8000])(
    'a session with %i bytes of claims, whatever is begun beside it',
    async (length) => {
      const { browse } = serve(withGroups(length))
      const browser = browse()
      for (let i = 0; i < 8; i++) {
        const isShort = i % 2 === 0
        const began = await browser.submit('/signin/passport', isShort ? {} : longUrl)
        expect(measure(browser)).toBeLessThanOrEqual(13_600)
        if (isShort) expect(getRedirect(began).error).toBeNull()
        // The others are left.
        if (i % 4 > 0) continue
        await browser.visit(toCallbackUrl(new URL(began.headers.get('location') ?? ''), `user${i}`))
        expect(measure(browser)).toBeLessThanOrEqual(12_000)
        expect((await getUser(browser)).id).toBe(`passport:user${i}`)
      }
      await browser.submit('/signout')
      expect(await browser.json('/session')).toEqual({})
    },
  )

  test('older flows give way to a new one', async () => {
    const { browse } = serve(withGroups(6000))
    const browser = browse()
    await signIn(browser)
    for (let i = 0; i < 4; i++) {
      await beginSignIn(browser, { callbackUrl: `/${'a'.repeat(1200)}` })
      expect(getFlowCookies(browser)).toHaveLength(1)
    }
    // The newest flow is the one that stays.
    const request = await beginSignIn(browser, { callbackUrl: '/here' })
    const response = await browser.visit(toCallbackUrl(request, 'alice'))
    expect(getRedirect(response)).toEqual({ path: '/here', error: null })
  })

  test.each([
    [1000, true],
    [8000, false],
  ])('beside claims of %i bytes the logout hint stays: %s', async (length, stays) => {
    const { browse } = serve(withGroups(length))
    const browser = browse()
    await signIn(browser)
    browser.cookies.set('__Host-latchkey.logout', 'x'.repeat(500))
    await beginSignIn(browser)
    expect(browser.cookies.has('__Host-latchkey.logout')).toBe(stays)
    expect(getFlowCookies(browser)).toHaveLength(1)
    expect((await getUser(browser)).id).toBe('passport:alice')
  })

  test('beside the longest session an account is linked', async () => {
    const { browse, auth } = serve({
      storage: memoryStorage(),
      session: { strategy: 'cookie', revocable: true },
      providers: [passport(), passport({ id: 'licence' })],
      ...withGroups(8000),
    })
    const browser = browse()
    await signIn(browser)
    expect(measure(browser)).toBeGreaterThan(11_000)
    const request = await beginSignIn(browser, { link: 'true' }, '/signin/licence')
    expect(getRedirect(await browser.visit(toCallbackUrl(request, 'bob'))).error).toBeNull()
    const accounts = await auth.accounts.list((await getUser(browser)).id)
    expect(accounts.map(({ provider }) => provider)).toEqual(['passport', 'licence'])
    expect(measure(browser)).toBeLessThanOrEqual(12_000)
  })

  test('a sign-in that finds no room beside the session is refused, and others work (I-14.10)', async () => {
    const { browse, lines } = serve(withGroups(8000))
    const browser = browse()
    await signIn(browser)
    expect(lines.filter(({ level }) => level === 'error')).toEqual([])
    const refused = await browser.submit('/signin/passport', longUrl)
    expect(getRedirect(refused).error).toBe('Configuration')
    expect(lines.at(-1)?.message).toMatch(
      /^cookies: expected at most 13600 bytes with a new sign-in, found 1\d{4}: shorten the session/,
    )
    expect((await getUser(browser)).id).toBe('passport:alice')
    await browser.submit('/signout')
    expect((await browser.submit('/signin/passport', longUrl)).status).toBe(302)
    await signIn(browser, 'bob')
    expect((await getUser(browser)).id).toBe('passport:bob')
  })

  test('a posted callback of the same site does not delete its flow (I-14.11)', async () => {
    const { browse } = serve(withGroups(8000))
    const browser = browse()
    await signIn(browser)
    const request = await beginSignIn(browser, { callbackUrl: `/${'a'.repeat(1000)}` })
    expect(measure(browser)).toBeGreaterThan(12_000)
    const url = new URL(toCallbackUrl(request, 'bob'))
    const posted = await browser.post(url.origin + url.pathname, {
      ...Object.fromEntries(url.searchParams),
      user: 'u'.repeat(2000),
    })
    expect(measure(browser)).toBeGreaterThan(13_600)
    await browser.visit(posted.headers.get('location') ?? '')
    expect((await getUser(browser)).id).toBe('passport:bob')
    expect(measure(browser)).toBeLessThanOrEqual(12_000)
  })

  test('names that the service never set do not count', async () => {
    const { browse } = serve({})
    const browser = browse()
    for (const id of ['a', 'b', 'c', 'd']) {
      browser.cookies.set(`__Host-latchkey.flow.${id.repeat(3000)}`, 'x'.repeat(1000))
    }
    await signIn(browser)
    expect((await getUser(browser)).id).toBe('passport:alice')
  })

  test.each([
    [3000, 0],
    [5000, 1],
  ])(
    'claims of %i bytes are warned of %i times, without a value (I-14.12)',
    async (length, times) => {
      const { browse, lines } = serve(withGroups(length))
      for (let i = 0; i < 3; i++) await signIn(browse())
      const warnings = lines.filter(({ message }) =>
        message.includes('large_client_header_buffers'),
      )
      expect(warnings).toHaveLength(times)
      expect(JSON.stringify(lines)).not.toContain('ggg')
    },
  )
})

test('tokens of 8,000 characters fit beside a profile, and the user signs in again (I-46.11)', async () => {
  const { browse } = serve({
    session: { accessTokens: cookieAccessTokens() },
    providers: [
      passport({
        identify: (subject) => ({
          profile: {
            name: `Person ${subject}`,
            email: `${subject}@example.com`,
            emailVerified: true,
            image: `https://images.example/${'x'.repeat(40)}`,
          },
          tokens: { access_token: 'a'.repeat(8000), expires_at: 9_999_999_999 },
        }),
      }),
    ],
  })
  const browser = browse()
  for (const subject of ['alice', 'bob', 'alice']) {
    await signIn(browser, subject)
    expect(await getUser(browser)).toMatchObject({ name: `Person ${subject}` })
    expect(measure(browser)).toBeLessThanOrEqual(12_000)
  }
})

test('what the browser remembers gives way after the flows, and a password still signs in (I-14.9)', async () => {
  const byPassword = credentials({
    id: 'password',
    fields: { username: { label: 'Name' }, password: { label: 'Password', type: 'password' } },
    authorize: ({ username }) => ({ id: username }),
  })
  const { browse } = serve({
    storage: memoryStorage(),
    session: { strategy: 'cookie', revocable: true },
    providers: [passport(), byPassword],
    ...withGroups(8000),
  })
  const browser = browse()
  for (let i = 0; i < 4; i++) {
    await browser.submit('/callback/password', { username: `u${i}`, password: 'x' })
    expect(measure(browser)).toBeLessThanOrEqual(12_000)
    expect('user' in (await browser.json('/session'))).toBe(true)
  }
})
