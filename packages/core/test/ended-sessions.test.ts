import type { AuthConfig } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import type { Browser } from '@latchkey/core/testing/browser'
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

const strategies: [string, () => Partial<AuthConfig>][] = [
  ['cookie', () => ({})],
  [
    'cookie, revocable',
    () => ({ storage: memoryStorage(), session: { strategy: 'cookie', revocable: true } }),
  ],
  ['storage', () => ({ storage: memoryStorage() })],
]

/** Sends `GET /session` now, and returns a function that delivers the response to the browser later. */
async function startRead(
  browser: Browser,
  handle: (request: Request) => Promise<Response>,
): Promise<() => void> {
  const cookie = toCookieHeader(browser)
  const { headers } = await handle(new Request(`${base}/session`, { headers: { cookie } }))
  return () => applyCookies(browser, headers)
}

describe.each(strategies)('an ended session, strategy %s (I-37)', (_, config) => {
  test('does not come back by a renewal that arrives after the sign-out', async () => {
    const { auth, browse, wait } = serve(config())
    const browser = browse()
    await signIn(browser)
    wait(2 * DAY)
    const deliver = await startRead(browser, auth.handle)
    await browser.submit('/signout')
    deliver()
    expect(browser.cookies.has(session)).toBe(true)
    expect(await browser.json('/session')).toEqual({})
    expect(browser.cookies.has(session)).toBe(false)
  })

  test('does not come back over the session of another user', async () => {
    const { auth, browse, wait } = serve(config())
    const browser = browse()
    await signIn(browser, 'alice')
    wait(2 * DAY)
    const deliver = await startRead(browser, auth.handle)
    await signIn(browser, 'bob')
    deliver()
    expect(await browser.json('/session')).toEqual({})
    expect((await auth.getSession(createPageRequest(browser))).session).toBeNull()
  })

  test('is forgotten two minutes later, and a new session is not affected', async () => {
    const { browse } = serve(config())
    const browser = browse()
    await signIn(browser)
    const response = await browser.submit('/signout')
    const line = response.headers.getSetCookie().find((each) => each.startsWith(ended))
    expect(line).toMatch(/; Max-Age=120; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    await signIn(browser)
    expect(await browser.json('/session')).toHaveProperty('user')
  })
})

test('the cookie holds at most eight ids, the latest, and ignores anything else', async () => {
  const browser = serve().browse()
  browser.cookies.set(ended, `x.${'y'.repeat(99)}.<script>`)
  for (let i = 0; i < 10; i++) {
    await signIn(browser, `user${i}`)
    await browser.submit('/signout')
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
