import type { AuthConfig } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { describe, expect, test } from 'vitest'
import {
  applyCookies,
  base,
  createPageRequest,
  serve,
  signIn,
  toCookieHeader,
} from './support/service.ts'

const session = '__Host-latchkey.session'
const ended = '__Host-latchkey.ended'
const DAY = 86_400

/** The strategies; after how many seconds a session is renewed, and how long the id of an ended one is kept. */
const strategies: [string, number, number, () => Partial<AuthConfig>][] = [
  ['cookie', 2 * DAY, 30 * DAY, () => ({})],
  ['cookie with a storage', 2 * DAY, 30 * DAY, () => withStorage({ strategy: 'cookie' })],
  ['cookie with maxAge', 600, 1000, () => ({ session: { maxAge: 1000 } })],
  ['cookie, revocable', 2 * DAY, 120, () => withStorage({ strategy: 'cookie', revocable: true })],
  ['storage', 2 * DAY, 120, () => withStorage({ strategy: 'storage' })],
]

const withStorage = (options: AuthConfig['session'] & object): Partial<AuthConfig> => ({
  storage: memoryStorage(),
  session: options,
})

/**
 * Signs in, and sends `GET /session` when the session is due for renewal.
 *
 * @returns `deliver` delivers the response to the browser later
 */
async function startRenewal(config: Partial<AuthConfig>, age: number) {
  const { auth, browse, wait } = serve(config)
  const browser = browse()
  await signIn(browser)
  wait(age)
  const cookie = toCookieHeader(browser)
  const { headers } = await auth.handle(new Request(`${base}/session`, { headers: { cookie } }))
  return { auth, browse, wait, browser, deliver: () => applyCookies(browser, headers) }
}

/** Returns for how many seconds a response keeps the ids of ended sessions. */
function getMaxAge({ headers }: Response): number {
  const line = headers.getSetCookie().find((each) => each.startsWith(ended)) ?? ''
  const [, maxAge] = /; Max-Age=(\d+); Path=\/; HttpOnly; Secure; SameSite=Lax$/.exec(line) ?? []
  return Number(maxAge)
}

describe.each(strategies)('an ended session, strategy %s (I-37)', (_, age, lifetime, config) => {
  test('stays ended when the next one ends too', async () => {
    const { browse } = serve(config())
    const browser = browse()
    const copies: string[] = []
    for (let i = 0; i < 3; i++) {
      await signIn(browser)
      copies.push(browser.cookies.get(session) ?? '')
      expect(await browser.json('/session')).toHaveProperty('user')
      await browser.submit('/signout')
    }
    for (const copy of copies) {
      browser.cookies.set(session, copy)
      expect(await browser.json('/session')).toEqual({})
    }
  })

  test('does not come back by a renewal that arrives after the sign-out', async () => {
    const { browser, deliver } = await startRenewal(config(), age)
    await browser.submit('/signout')
    deliver()
    expect(browser.cookies.has(session)).toBe(true)
    expect(await browser.json('/session')).toEqual({})
  })

  test('does not end a newer session by answers that arrive late (I-36)', async () => {
    const { auth, browse, wait } = serve(config())
    const browser = browse()
    await signIn(browser, 'alice')
    const csrfToken = await browser.csrfToken()
    wait(31 * DAY)
    const headers = { cookie: toCookieHeader(browser) }
    const send = (path: string, init?: RequestInit): Promise<Response> =>
      auth.handle(new Request(`${base}${path}`, { headers, ...init }))
    const form = { method: 'POST', body: new URLSearchParams({ csrfToken }) }
    const answers = [
      await send('/session'),
      await send('/session', form),
      await send('/csrf'),
      await send('/signin'),
      await auth.getSession(new Request(base, { headers })),
    ]
    await signIn(browser, 'bob')
    for (const answer of answers) applyCookies(browser, answer.headers)
    expect(await browser.json('/session')).toMatchObject({ user: { name: 'Person bob' } })
  })

  test('does not come back over the session of another user', async () => {
    const { auth, browser, deliver } = await startRenewal(config(), age)
    await signIn(browser, 'bob')
    deliver()
    expect(await browser.json('/session')).toEqual({})
    expect((await auth.getSession(createPageRequest(browser))).session).toBeNull()
  })

  test(`is remembered for ${lifetime} seconds, and a new session is not affected`, async () => {
    const { browse } = serve(config())
    const browser = browse()
    await signIn(browser)
    const response = await browser.submit('/signout')
    expect(getMaxAge(response)).toBe(lifetime)
    await signIn(browser)
    expect(await browser.json('/session')).toHaveProperty('user')
  })

  test('does not come back by a reply that arrives after hours, over a slow connection', async () => {
    const { browse, wait, browser, deliver } = await startRenewal(config(), age)
    const response = await browser.submit('/signout')
    const late = Math.max(180, lifetime - 60)
    wait(late)
    if (getMaxAge(response) < late) browser.cookies.delete(ended)
    deliver()
    const copy = browse()
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value)
    expect(await browser.json('/session')).toEqual({})
    // A session that is kept in a cookie only has not ended elsewhere: only this browser knows that it ended.
    copy.cookies.delete(ended)
    expect('user' in (await copy.json('/session'))).toBe(lifetime > 120)
  })
})

test('the cookie holds at most eight ids, the latest, and ignores anything else', async () => {
  const browser = serve().browse()
  browser.cookies.set(ended, `x.${'y'.repeat(99)}.<script>`)
  const values: string[] = []
  for (let i = 0; i < 10; i++) {
    await signIn(browser, `user${i}`)
    expect(await browser.json('/session')).toHaveProperty('user')
    values.push(browser.cookies.get(session) ?? '')
    await browser.submit('/signout')
  }
  for (const value of values.slice(-8)) {
    browser.cookies.set(session, value)
    expect(await browser.json('/session')).toEqual({})
  }
  const ids = browser.cookies.get(ended)?.split('.') ?? []
  expect(ids).toHaveLength(8)
  expect(new Set(ids).size).toBe(8)
  for (const id of ids) expect(id).toMatch(/^[\w-]{22}$/)
})

test('the cookie can be renamed (I-15)', async () => {
  const browser = serve({ cookies: { ended: { name: 'over' } } }).browse()
  await signIn(browser)
  await browser.submit('/signout')
  expect(browser.cookies.has('__Host-over')).toBe(true)
})
