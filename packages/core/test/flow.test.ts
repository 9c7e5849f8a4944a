import { createHash } from 'node:crypto'
import type { AuthConfig, Provider, Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import type { Browser } from '@latchkey/testing/browser'
import { describe, expect, test } from 'vitest'
import { createKeys } from '../src/crypto/seal.ts'
import { breakableStorage } from './support/breakable.ts'
import {
  base,
  beginSignIn,
  getFlowCookies,
  getRedirect,
  idp,
  origin,
  passport,
  random,
  secret,
  serve,
  signIn,
  toCallbackUrl,
} from './support/service.ts'

const flowPrefix = '__Host-latchkey.flow.'

/** Expects an error on the sign-in page, and no session. */
async function expectRefused(
  browser: Browser,
  response: Response,
  error = 'OAuthCallback',
  path = '/api/auth/signin',
): Promise<void> {
  expect(response.status).toBe(302)
  expect(getRedirect(response)).toEqual({ path, error })
  expect(await browser.json('/session')).toEqual({})
}

/** Begins a sign-in, changes the URL or the cookies of its callback, and returns the reply to it. */
async function visitCallback(
  change: (url: URL, cookies: Map<string, string>) => unknown = () => undefined,
): Promise<readonly [Browser, Response]> {
  const browser = serve().browse()
  const url = new URL(toCallbackUrl(await beginSignIn(browser), 'alice'))
  await change(url, browser.cookies)
  return [browser, await browser.visit(url.href)]
}

/** Expects that a callback succeeds, and that it is refused with a change. */
async function expectOnlyRefused(
  change: (url: URL, cookies: Map<string, string>) => unknown,
): Promise<void> {
  const [, accepted] = await visitCallback()
  expect(accepted.headers.get('location')).toBe(origin)
  await expectRefused(...(await visitCallback(change)))
}

describe('a sign-in', () => {
  test('redirects to the provider, then to the return URL', async () => {
    const browser = serve().browse()
    const response = await signIn(browser, 'alice', { callbackUrl: '/deep/page?a=1&b=%2F#frag' })
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toBe(`${origin}/deep/page?a=1&b=%2F#frag`)
    expect(await browser.json('/session')).toEqual({
      user: {
        id: 'passport:alice',
        name: 'Person alice',
        email: 'alice@example.com',
        emailVerified: true,
        image: null,
      },
      expires: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/),
    })
    expect(getFlowCookies(browser)).toEqual([])
  })

  test('the state is a hash of the CSRF token and a salt: it differs for each flow (I-20)', async () => {
    const browser = serve().browse()
    const states = new Set<string | null>()
    for (let i = 0; i < 3; i++) states.add((await beginSignIn(browser)).searchParams.get('state'))
    expect(states.size).toBe(3)
    const token = await browser.csrfToken()
    for (const state of states) {
      expect(state).toMatch(/^[\w-]{43}$/)
      expect(state).not.toBe(createHash('sha256').update(token).digest('base64url'))
    }
  })

  test('the flow cookie is sealed, expires after 15 minutes and has a part of the state in its name (I-21)', async () => {
    const browser = serve().browse()
    const response = await browser.submit('/signin/passport', { callbackUrl: '/secret-place' })
    const state = new URL(response.headers.get('location') as string).searchParams.get(
      'state',
    ) as string
    const [line] = response.headers
      .getSetCookie()
      .filter((each) => each.startsWith(flowPrefix)) as [string]
    expect(line).toMatch(
      new RegExp(
        `^${flowPrefix}${state.slice(0, 8)}=eyJ[^;]+; Max-Age=900; Path=/; HttpOnly; Secure; SameSite=Lax$`,
      ),
    )
    expect(line).not.toContain('secret-place')
  })
})

describe('the callback', () => {
  test('without the CSRF token of the sign-in is refused (I-20, specification rule 2)', async () => {
    await expectOnlyRefused((_, cookies) => cookies.delete('__Host-latchkey.csrf'))
    await expectOnlyRefused((_, cookies) => cookies.set('__Host-latchkey.csrf', 'garbage'))
  })

  test('with another valid CSRF token is refused (I-20)', async () => {
    const browser = serve().browse()
    const url = toCallbackUrl(await beginSignIn(browser), 'alice')
    const before = new Map(browser.cookies)
    browser.cookies.delete('__Host-latchkey.csrf')
    await browser.csrfToken()
    await expectRefused(browser, await browser.visit(url))
    for (const [name, value] of before) browser.cookies.set(name, value)
    expect((await browser.visit(url)).headers.get('location')).toBe(origin)
  })

  test('of an attacker is refused in the browser of a victim', async () => {
    const { browse } = serve()
    const attacker = browse()
    const url = toCallbackUrl(await beginSignIn(attacker), 'attacker')
    const victim = browse()
    await victim.csrfToken()
    await beginSignIn(victim)
    await expectRefused(victim, await victim.visit(url))
    expect((await attacker.visit(url)).headers.get('location')).toBe(origin)
  })

  test('with planted cookies of an attacker does not replace the session of a victim', async () => {
    const { browse, wait } = serve()
    const victim = browse()
    await signIn(victim, 'victim')
    wait(1)
    const attacker = browse()
    const redirect = await beginSignIn(attacker)
    for (const [name, value] of attacker.cookies) victim.cookies.set(name, value)
    const url = toCallbackUrl(redirect, 'attacker')
    expect(getRedirect(await victim.visit(url)).error).toBe('OAuthCallback')
    expect(await victim.json('/session')).toMatchObject({ user: { id: 'passport:victim' } })
    expect((await attacker.visit(url)).headers.get('location')).toBe(origin)
  })

  test('with planted cookies from before the sign-in of the victim does not replace the session either', async () => {
    const { browse, wait } = serve()
    const attacker = browse()
    const redirect = await beginSignIn(attacker)
    wait(1)
    const victim = browse()
    await signIn(victim, 'victim')
    for (const [name, value] of attacker.cookies) victim.cookies.set(name, value)
    const url = toCallbackUrl(redirect, 'attacker')
    expect(getRedirect(await victim.visit(url)).error).toBe('OAuthCallback')
    expect(await victim.json('/session')).toMatchObject({ user: { id: 'passport:victim' } })
    expect((await attacker.visit(url)).headers.get('location')).toBe(origin)
  })

  test.each([
    ['no state', (url: URL) => url.searchParams.delete('state')],
    ['an empty state', (url: URL) => url.searchParams.set('state', '')],
    [
      'another state with the same flow id',
      (url: URL) =>
        url.searchParams.set(
          'state',
          `${(url.searchParams.get('state') as string).slice(0, 8)}${'A'.repeat(35)}`,
        ),
    ],
    ['an invented state', (url: URL) => url.searchParams.set('state', 'A'.repeat(43))],
    ['a path as state', (url: URL) => url.searchParams.set('state', '../../x')],
    [
      'the state twice',
      (url: URL) => url.searchParams.append('state', url.searchParams.get('state') as string),
    ],
    ['the code twice', (url: URL) => url.searchParams.append('code', 'mallory')],
    [
      'iss twice',
      (url: URL) => (url.searchParams.append('iss', idp), url.searchParams.append('iss', idp)),
    ],
  ])('with %s is refused (I-20, I-23)', async (_, alter) => {
    await expectOnlyRefused(alter)
  })

  test('works once, even with a copy of the cookies (I-21)', async () => {
    const browser = serve().browse()
    const url = toCallbackUrl(await beginSignIn(browser), 'alice')
    const copy = new Map(browser.cookies)
    expect((await browser.visit(url)).headers.get('location')).toBe(origin)
    for (const [name, value] of copy) browser.cookies.set(name, value)
    browser.cookies.delete('__Host-latchkey.session')
    const repeated = await browser.visit(url)
    await expectRefused(browser, repeated, 'OAuthCallback', '/api/auth/signin/passport')
  })

  describe('works once across processes that share a storage (I-21)', () => {
    /** Uses one flow twice, each time at another service with the same secret, and returns both. */
    async function useTwice(
      storage: Storage | undefined,
      session: AuthConfig['session'] = {},
    ): Promise<readonly [Browser, Browser]> {
      const config = { session, ...(storage && { storage }) }
      const [one, other] = [serve(config).browse(), serve(config).browse()]
      const url = toCallbackUrl(await beginSignIn(one), 'alice')
      for (const [name, value] of one.cookies) other.cookies.set(name, value)
      await Promise.all([one.visit(url), other.visit(url)])
      return [one, other]
    }

    const countSessions = async (browsers: readonly Browser[]): Promise<number> => {
      const sessions = await Promise.all(browsers.map((browser) => browser.json('/session')))
      return sessions.filter((session) => 'user' in session).length
    }

    test.each(['cookie', 'storage'] as const)('strategy %s', async (strategy) => {
      expect(await countSessions(await useTwice(memoryStorage(), { strategy }))).toBe(1)
    })

    test('whose key in the storage is a hash of the salt, for as long as the flow lives', async () => {
      const storage = memoryStorage()
      const counted: [string, number][] = []
      const increment: Storage['increment'] = (key, window, now) => {
        if (key.startsWith('flow ')) counted.push([key, window])
        return storage.increment(key, window, now)
      }
      await useTwice({ ...storage, increment })
      expect(counted).toHaveLength(2)
      for (const [key, window] of counted) {
        expect(key).toMatch(/^flow [\w-]{43}$/)
        expect(window).toBeGreaterThan(890)
        expect(window).toBeLessThanOrEqual(900)
      }
    })

    test('but not without a storage that counts: then each process remembers its own', async () => {
      const capabilities = ['sessions'] as const
      expect(await countSessions(await useTwice({ ...memoryStorage(), capabilities }))).toBe(2)
      expect(await countSessions(await useTwice(undefined))).toBe(2)
    })
  })

  test('keeps its flow if the storage fails before the flow is taken (I-21)', async () => {
    const { storage, fail } = breakableStorage()
    const browser = serve({ storage }).browse()
    const url = toCallbackUrl(await beginSignIn(browser), 'alice')
    fail(['increment'])
    expect((await browser.visit(url)).status).toBe(503)
    expect(await browser.json('/session')).toEqual({})
    fail([])
    expect((await browser.visit(url)).headers.get('location')).toBe(origin)
  })

  test('that is unavailable keeps its flow only until it is taken (I-21)', async () => {
    for (const [method, kept] of [
      ['increment', 1],
      ['getUserByAccount', 0],
    ] as const) {
      const { storage, fail } = breakableStorage()
      const browser = serve({ storage }).browse()
      const url = toCallbackUrl(await beginSignIn(browser), 'alice')
      fail([method])
      expect((await browser.visit(url)).status).toBe(503)
      expect(getFlowCookies(browser), method).toHaveLength(kept)
    }
  })

  test('deletes its flow if it fails (I-21)', async () => {
    const { browse } = serve({
      providers: [passport({ finish: async () => Promise.reject(new Error('no')) })],
    })
    const browser = browse()
    const url = toCallbackUrl(await beginSignIn(browser), 'alice')
    await expectRefused(browser, await browser.visit(url))
    expect(getFlowCookies(browser)).toEqual([])
  })

  test('is refused after fifteen minutes (I-21)', async () => {
    for (const [seconds, works] of [
      [890, true],
      [901, false],
    ] as const) {
      const { browse, wait } = serve()
      const browser = browse()
      const redirect = await beginSignIn(browser)
      wait(seconds)
      const response = await browser.visit(toCallbackUrl(redirect, 'alice'))
      if (works) expect(response.headers.get('location')).toBe(origin)
      else await expectRefused(browser, response)
    }
  })

  test('of a flow that another version sealed is refused as without a flow (I-21.6)', async () => {
    const { flow: sealer } = createKeys([secret], random)
    /** Returns the reply to a callback whose flow cookie is sealed again with other content, or deleted. */
    const visitWith = async (
      change: (flow: Readonly<Record<string, unknown>>) => object | undefined,
    ): Promise<readonly [Browser, Response]> => {
      const browser = serve().browse()
      const url = toCallbackUrl(await beginSignIn(browser), 'alice')
      const [name] = getFlowCookies(browser) as [string]
      const now = Math.floor(Date.now() / 1000)
      const opened = (await sealer.open(browser.cookies.get(name), now)) ?? {}
      const changed = change(opened)
      if (changed) browser.cookies.set(name, await sealer.seal(changed, Number(opened['exp'])))
      else browser.cookies.delete(name)
      return [browser, await browser.visit(url)]
    }
    const [, same] = await visitWith((flow) => ({ ...flow, v: 1 }))
    expect(same.headers.get('location')).toBe(origin)
    const [, absent] = await visitWith(() => undefined)
    for (const v of [0, 2, '1', null, undefined]) {
      const [browser, response] = await visitWith((flow) => ({ ...flow, v }))
      expect(response.headers.get('location')).toBe(absent.headers.get('location'))
      await expectRefused(browser, response)
      expect(getFlowCookies(browser)).toEqual([])
    }
  })

  test('of another provider than the flow’s provider is refused (I-23)', async () => {
    const { browse } = serve({ providers: [passport(), passport({ id: 'other' })] })
    const browser = browse()
    const url = toCallbackUrl(await beginSignIn(browser), 'alice')
    const before = new Map(browser.cookies)
    const other = url.replace('/callback/passport', '/callback/other')
    await expectRefused(browser, await browser.visit(other))
    for (const [name, value] of before) browser.cookies.set(name, value)
    expect((await browser.visit(url)).headers.get('location')).toBe(origin)
  })

  test('keeps the return URL if it fails', async () => {
    const { browse } = serve({
      providers: [passport({ finish: async () => Promise.reject(new Error('no')) })],
    })
    const browser = browse()
    const response = await browser.visit(
      toCallbackUrl(await beginSignIn(browser, { callbackUrl: '/deep' }), 'alice'),
    )
    expect(
      new URL(response.headers.get('location') as string).searchParams.get('callbackUrl'),
    ).toBe(`${origin}/deep`)
  })

  test('with HEAD uses neither flow nor code (I-5)', async () => {
    const browser = serve().browse()
    const url = toCallbackUrl(await beginSignIn(browser), 'alice')
    const head = await browser.visit(url, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(head.headers.getSetCookie()).toEqual([])
    expect((await browser.visit(url)).headers.get('location')).toBe(origin)
  })

  test('does not accept the cookie of another purpose as a session (I-13)', async () => {
    const { browse } = serve()
    const browser = browse()
    await beginSignIn(browser)
    for (const value of browser.cookies.values()) {
      const attacker = browse()
      attacker.cookies.set('__Host-latchkey.session', value)
      expect(await attacker.json('/session')).toEqual({})
    }
  })
})

/** Begins sign-ins a second apart, and returns their callbacks, each of another user. */
async function beginInTurn(
  browser: Browser,
  wait: (seconds: number) => void,
  count: number,
): Promise<readonly string[]> {
  const urls: string[] = []
  for (let i = 0; i < count; i++) {
    urls.push(toCallbackUrl(await beginSignIn(browser), `p${i}`))
    wait(1)
  }
  return urls
}

describe('several simultaneous tabs (I-21)', () => {
  test('two sign-ins succeed, in either order', async () => {
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const browser = serve().browse()
      const urls = [
        toCallbackUrl(await beginSignIn(browser, { callbackUrl: '/a' }), 'alice'),
        toCallbackUrl(await beginSignIn(browser, { callbackUrl: '/b' }), 'bob'),
      ]
      for (const i of order) {
        const response = await browser.visit(urls[i] as string)
        expect(response.headers.get('location')).toBe(`${origin}/${'ab'[i]}`)
      }
      expect(await browser.json('/session')).toMatchObject({
        user: { id: order[1] === 0 ? 'passport:alice' : 'passport:bob' },
      })
    }
  })

  test('three sign-ins succeed one after another', async () => {
    const browser = serve().browse()
    const urls: string[] = []
    for (const name of ['a', 'b', 'c']) urls.push(toCallbackUrl(await beginSignIn(browser), name))
    for (const url of urls) expect((await browser.visit(url)).headers.get('location')).toBe(origin)
    expect(await browser.json('/session')).toMatchObject({ user: { id: 'passport:c' } })
  })

  test('five flows are kept; the sixth replaces the oldest', async () => {
    const { browse, wait } = serve()
    const browser = browse()
    const urls = await beginInTurn(browser, wait, 6)
    expect(getFlowCookies(browser)).toHaveLength(5)
    await expectRefused(browser, await browser.visit(urls[0] as string))
    expect((await browser.visit(urls[1] as string)).headers.get('location')).toBe(origin)
  })

  test('fewer flows are kept with long return URLs, so that servers accept the headers', async () => {
    const { browse, wait } = serve()
    const browser = browse()
    let last = ''
    for (let i = 0; i < 6; i++) {
      last = toCallbackUrl(
        await beginSignIn(browser, { callbackUrl: `/${'x'.repeat(2000)}` }),
        `p${i}`,
      )
      wait(1)
      expect([...browser.cookies].join().length).toBeLessThan(10_000)
    }
    expect(getFlowCookies(browser).length).toBeGreaterThan(1)
    expect((await browser.visit(last)).headers.get('location')).toMatch(/x{2000}$/)
  })

  test('the sixth replaces the oldest flow, whatever the order of the cookies', async () => {
    const { browse, wait } = serve()
    const browser = browse()
    const urls = await beginInTurn(browser, wait, 5)
    const cookies = [...browser.cookies].toReversed()
    browser.cookies.clear()
    for (const [name, value] of cookies) browser.cookies.set(name, value)
    await beginSignIn(browser)
    await expectRefused(browser, await browser.visit(urls[0] ?? ''))
    for (const url of urls.slice(1)) {
      expect((await browser.visit(url)).headers.get('location')).toBe(origin)
    }
  })

  test('of more than twenty flow cookies the oldest are deleted first', async () => {
    const browser = serve().browse()
    const junk = Array.from({ length: 26 }, (_, i) => `${flowPrefix}junk${1000 + i}`)
    for (const name of junk) browser.cookies.set(name, 'x')
    await beginSignIn(browser)
    expect(junk.filter((name) => browser.cookies.has(name))).toEqual(junk.slice(10))
  })

  test('flow cookies in parts, which the service never sets, are deleted like others', async () => {
    const browser = serve().browse()
    const junk = Array.from({ length: 6 }, (_, i) => `${flowPrefix}junk100${i}.0`)
    for (const name of junk) browser.cookies.set(name, 'x')
    await beginSignIn(browser)
    expect(getFlowCookies(browser)).toHaveLength(5)
  })

  test('flow cookies that cannot be opened are deleted first, ten in a reply (I-14)', async () => {
    const browser = serve().browse()
    for (let i = 0; i < 20; i++) browser.cookies.set(`${flowPrefix}junk${1000 + i}`, 'x')
    const urls: string[] = []
    const counts: number[] = []
    for (const name of ['a', 'b', 'c']) {
      urls.push(toCallbackUrl(await beginSignIn(browser), name))
      counts.push(getFlowCookies(browser).length)
    }
    expect(counts).toEqual([11, 5, 5])
    for (const url of urls) expect((await browser.visit(url)).headers.get('location')).toBe(origin)
  })

  test('of many flow cookies the twenty newest are opened (I-21)', async () => {
    const { browse } = serve({ providers: [passport({ checks: ['pkce'] })] })
    for (const [planted, works] of [
      [19, true],
      [20, false],
    ] as const) {
      const browser = browse()
      const url = toCallbackUrl(await beginSignIn(browser), 'alice')
      for (let i = 0; i < planted; i++) browser.cookies.set(`${flowPrefix}p${1_000_000 + i}`, 'x')
      const response = await browser.visit(url)
      if (works) expect(response.headers.get('location')).toBe(origin)
      else await expectRefused(browser, response)
    }
  })
})

describe('a provider without state (I-19)', () => {
  test('does not receive one, and its callback finds the flow of the browser', async () => {
    const { browse } = serve({ providers: [passport({ checks: ['pkce'] })] })
    const browser = browse()
    const redirect = await beginSignIn(browser)
    expect(redirect.searchParams.has('state')).toBe(false)
    expect((await browser.visit(toCallbackUrl(redirect, 'alice'))).headers.get('location')).toBe(
      origin,
    )
    await expectRefused(browse(), await browse().visit(toCallbackUrl(redirect, 'alice')))
  })

  test('gets no state of a callback, whatever its URL has', async () => {
    const states: unknown[] = []
    const inner = passport()
    const finish: Provider['finish'] = (input) => {
      states.push(input.state)
      return inner.finish(input)
    }
    for (const checks of [['state'], ['pkce']] as const) {
      const browser = serve({ providers: [passport({ checks, finish })] }).browse()
      const url = new URL(toCallbackUrl(await beginSignIn(browser), 'alice'))
      if (!url.searchParams.has('state')) url.searchParams.set('state', 'A'.repeat(43))
      expect((await browser.visit(url.href)).headers.get('location')).toBe(origin)
    }
    expect(states).toEqual([expect.stringMatching(/^[\w-]{43}$/), undefined])
  })

  test('keeps its flow while the session cannot be read', async () => {
    const { storage, fail } = breakableStorage()
    const { browse } = serve({ storage, providers: [passport({ checks: ['pkce'] })] })
    const browser = browse()
    await signIn(browser)
    const url = toCallbackUrl(await beginSignIn(browser), 'bob')
    fail(['getSessionAndUser'])
    expect((await browser.visit(url)).status).toBe(503)
    fail([])
    expect((await browser.visit(url)).headers.get('location')).toBe(origin)
  })

  test('its callback finds its own flow, not a newer one of another provider', async () => {
    const providers = ['one', 'two', 'three'].map((id) => passport({ id, checks: ['pkce'] }))
    const { browse, wait } = serve({ providers })
    const browser = browse()
    const urls: string[] = []
    for (const id of ['one', 'two']) {
      const redirect = await beginSignIn(browser, { callbackUrl: `/${id}` }, `/signin/${id}`)
      urls.push(toCallbackUrl(redirect, 'alice'))
      wait(1)
    }
    await expectRefused(browser, await browser.visit('/callback/three?code=alice'))
    for (const [i, id] of ['one', 'two'].entries()) {
      const response = await browser.visit(urls[i] as string)
      expect(response.headers.get('location')).toBe(`${origin}/${id}`)
    }
  })
})

describe('a form_post callback (I-28)', () => {
  const toResponseFields = (redirect: URL, code = 'alice'): Record<string, string> => ({
    code,
    state: redirect.searchParams.get('state') as string,
    user: '{"name":"x"}',
  })

  test('without cookies is sealed into a cookie and repeated as a GET by a 303 (I-11)', async () => {
    const browser = serve().browse()
    const redirect = await beginSignIn(browser, { callbackUrl: '/deep' })
    const posted = await browser.post('/callback/passport', toResponseFields(redirect), {
      crossSite: true,
      headers: { origin: idp, 'sec-fetch-site': 'cross-site' },
    })
    expect(posted.status).toBe(303)
    const location = posted.headers.get('location') as string
    expect(location).toMatch(/^https:\/\/app\.example\/api\/auth\/callback\/passport\?return=\w+$/)
    const [line] = posted.headers.getSetCookie() as [string]
    expect(line).toMatch(
      /^__Host-latchkey\.return\.\w+=eyJ[^;]+; Max-Age=60; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    const response = await browser.visit(location)
    expect(response.headers.get('location')).toBe(`${origin}/deep`)
    expect([...browser.cookies.keys()].filter((name) => name.includes('return'))).toEqual([])
    expect(await browser.json('/session')).toMatchObject({ user: { id: 'passport:alice' } })
  })

  test('without a CSRF token does nothing, even with all cookies', async () => {
    const browser = serve().browse()
    const posted = await browser.post(
      '/callback/passport',
      toResponseFields(await beginSignIn(browser)),
    )
    expect(posted.status).toBe(303)
    expect(await browser.json('/session')).toEqual({})
  })

  test('is refused in a browser without a flow', async () => {
    const { browse } = serve()
    const [browser, victim] = [browse(), browse()]
    const fields = toResponseFields(await beginSignIn(browser))
    const post = async (by: Browser): Promise<Response> => {
      const posted = await by.post('/callback/passport', fields, { crossSite: true })
      return by.visit(posted.headers.get('location') as string)
    }
    await expectRefused(victim, await post(victim))
    expect((await post(browser)).headers.get('location')).toBe(origin)
  })

  test('keeps the fields of an authorization response, and no other', async () => {
    const received: unknown[] = []
    const inner = passport()
    const finish: Provider['finish'] = (input) => {
      received.push(Object.fromEntries(input.params))
      return inner.finish(input)
    }
    const browser = serve({ providers: [passport({ finish })] }).browse()
    const fields = toResponseFields(await beginSignIn(browser))
    const kept = { ...fields, iss: idp, error: '', response: 'eyJ' }
    const posted = await browser.post(
      '/callback/passport',
      { ...kept, access_token: 'x', scope: 'y' },
      { crossSite: true },
    )
    await browser.visit(posted.headers.get('location') ?? '')
    expect(received).toEqual([kept])
  })

  test('is valid for a minute, once, and for its own provider', async () => {
    const sendFormPost = async (): Promise<{
      browser: Browser
      location: string
      wait: (seconds: number) => void
    }> => {
      const { browse, wait } = serve({ providers: [passport(), passport({ id: 'other' })] })
      const browser = browse()
      const posted = await browser.post(
        '/callback/passport',
        toResponseFields(await beginSignIn(browser)),
        {
          crossSite: true,
        },
      )
      return { browser, location: posted.headers.get('location') as string, wait }
    }
    const late = await sendFormPost()
    late.wait(61)
    await expectRefused(late.browser, await late.browser.visit(late.location))
    const foreign = await sendFormPost()
    await expectRefused(
      foreign.browser,
      await foreign.browser.visit(foreign.location.replace('passport', 'other')),
    )
    const twice = await sendFormPost()
    expect((await twice.browser.visit(twice.location)).headers.get('location')).toBe(origin)
    await twice.browser.submit('/signout')
    expect(getRedirect(await twice.browser.visit(twice.location)).error).toBe('OAuthCallback')
  })

  test('belongs to the provider that it was posted for, whatever flow its state is of', async () => {
    for (const [posted, id] of [
      ['other', 'other'],
      ['passport', undefined],
    ] as const) {
      const browser = serve({ providers: [passport(), passport({ id: 'other' })] }).browse()
      const redirect = await beginSignIn(browser, {}, '/signin/other')
      await browser.post(`/callback/${posted}`, toResponseFields(redirect), { crossSite: true })
      await browser.visit('/callback/other?return=form')
      const { user } = (await browser.json('/session')) as { user?: { id: string } }
      expect(user?.id).toBe(id && `${id}:alice`)
    }
  })

  test('stores a limited number of cookies of limited size', async () => {
    const browser = serve().browse()
    for (let i = 0; i < 50; i++) {
      await browser.post(
        '/callback/passport',
        { state: 'A'.repeat(43), code: 'x'.repeat(2000), junk: 'x'.repeat(20_000) },
        { crossSite: true },
      )
    }
    expect(browser.cookies.size).toBeLessThanOrEqual(2)
    expect([...browser.cookies.values()].join().length).toBeLessThan(8000)
    const huge = await browser.post(
      '/callback/passport',
      { code: 'x'.repeat(20_000) },
      { crossSite: true },
    )
    expect(getRedirect(huge).error).toBe('OAuthCallback')
  })

  test('of 2,400 bytes is sealed, and one of 2,401 is refused: characters do not count', async () => {
    const browser = serve().browse()
    /** Posts a code that makes the sealed fields so many bytes long. */
    const post = (bytes: number): Promise<Response> => {
      const content = JSON.stringify({ provider: 'passport', form: [['code', 'é'.repeat(1000)]] })
      const code = 'é'.repeat(1000) + 'x'.repeat(bytes - new TextEncoder().encode(content).length)
      return browser.post('/callback/passport', { code }, { crossSite: true })
    }
    expect((await post(2400)).status).toBe(303)
    expect(getRedirect(await post(2401)).error).toBe('OAuthCallback')
  })

  test('with a valid csrfToken is handled immediately', async () => {
    const browser = serve().browse()
    const redirect = await beginSignIn(browser)
    const response = await browser.submit('/callback/passport', toResponseFields(redirect))
    expect(response.headers.get('location')).toBe(origin)
    expect(await browser.json('/session')).toMatchObject({ user: { id: 'passport:alice' } })
  })

  test.each(['', 'r9', 'x', '../r1', '__proto__'])(
    'return=%s is refused, and chooses no cookie to delete',
    async (id) => {
      const browser = serve().browse()
      const visit = (value: string): Promise<Response> =>
        browser.visit(`/callback/passport?return=${encodeURIComponent(value)}`)
      const fields = toResponseFields(await beginSignIn(browser))
      await browser.post('/callback/passport', fields, { crossSite: true })
      const sealed = browser.cookies.get('__Host-latchkey.return.form') as string
      browser.cookies.set(`__Host-latchkey.return.${id}`, sealed)
      const refused = await visit(id)
      await expectRefused(browser, refused)
      expect(refused.headers.getSetCookie()).toEqual([])
      const accepted = await visit('form')
      expect(accepted.headers.get('location')).toBe(origin)
      const deleted = expect.stringMatching(/^__Host-latchkey\.return\.form=; Max-Age=0;/)
      expect(accepted.headers.getSetCookie()).toContainEqual(deleted)
    },
  )
})

describe('the begin() of a provider', () => {
  test('that fails is OAuthSignin and leaves no flow cookie (I-8)', async () => {
    const { browse } = serve({
      providers: [passport({ begin: async () => Promise.reject(new Error('discovery is down')) })],
    })
    const browser = browse()
    const response = await browser.submit('/signin/passport', { callbackUrl: '/deep' })
    expect(response.headers.get('location')).toBe(
      `${base}/signin?error=OAuthSignin&callbackUrl=https%3A%2F%2Fapp.example%2Fdeep`,
    )
    expect(getFlowCookies(browser)).toEqual([])
    const json = await browser.submit('/signin/passport', { json: 'true' })
    expect(json.status).toBe(502)
    expect(await json.json()).toMatchObject({ error: 'OAuthSignin' })
  })

  test('receives parameters that no other request shares', async () => {
    const hints: (string | undefined)[] = []
    const { browse } = serve({
      providers: [
        passport({
          async begin(input) {
            hints.push(input.params.get('hint'))
            const params = input.params as Map<string, string>
            params.set('hint', 'alice')
            return passport().begin(input)
          },
        }),
      ],
    })
    for (let i = 0; i < 2; i++) await beginSignIn(browse())
    expect(hints).toEqual([undefined, undefined])
  })

  test('that sends an email redirects to /verify-request', async () => {
    const { browse } = serve({
      providers: [passport({ type: 'email', begin: async () => ({ sent: true, flow: {} }) })],
    })
    const response = await browse().submit('/signin/passport')
    expect(response.headers.get('location')).toBe(
      `${base}/verify-request?provider=passport&type=email`,
    )
  })
})
