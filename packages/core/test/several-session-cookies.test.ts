import type { AuthConfig } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import type { Browser } from '@latchkey/testing/browser'
import { describe, expect, test } from 'vitest'
import { breakableStorage } from './support/breakable.ts'
import { origin, passport, serve, signIn, toCookieHeader } from './support/service.ts'

const name = '__Secure-latchkey.session'
const ended = '__Host-latchkey.ended'
const cookies = { session: { domain: 'app.example' } } as const

const strategies: [string, () => Partial<AuthConfig>][] = [
  ['cookie', () => ({})],
  ['cookie, revocable', () => stored({ strategy: 'cookie', revocable: true })],
  ['storage', () => stored({ strategy: 'storage' })],
]

function stored(session: AuthConfig['session'] & object): Partial<AuthConfig> {
  return { storage: memoryStorage(), session }
}

/** Sends a request of a browser that sends further session cookies before its own. */
function sendBeside(browser: Browser, others: readonly string[]) {
  return (path: string, form?: Record<string, string>): Promise<Response> => {
    const cookie = [...others.map((each) => `${name}=${each}`), toCookieHeader(browser)].join('; ')
    const body = form && new URLSearchParams(form)
    return browser.visit(path, {
      headers: { cookie },
      ...(body && { method: 'POST', body }),
    })
  }
}

type Send = ReturnType<typeof sendBeside>

async function getName(send: Send): Promise<string | undefined> {
  const { user } = (await (await send('/session')).json()) as { user?: { name: string } }
  return user?.name
}

async function submit(send: Send, path: string): Promise<Response> {
  const { csrfToken } = (await (await send('/csrf')).json()) as { csrfToken: string }
  return send(path, { csrfToken })
}

/** Signs a subject in, in a browser without further cookies, and returns the cookie of the session. */
async function getCookie(browse: () => Browser, subject: string): Promise<string> {
  const browser = browse()
  await signIn(browser, subject)
  return browser.cookies.get(name) ?? ''
}

describe.each(strategies)('several session cookies, strategy %s (I-36.6)', (_, config) => {
  test('the one of another service is passed over', async () => {
    const other = serve({ ...config(), cookies, secret: 'a secret of another service, 32 bytes' })
    const { browse } = serve({ ...config(), cookies })
    const browser = browse()
    await signIn(browser, 'alice')
    const foreign = await getCookie(other.browse, 'mallory')
    const send = sendBeside(browser, [foreign])
    expect(await getName(sendBeside(other.browse(), [foreign]))).toBe('Person mallory')
    expect(await getName(send)).toBe('Person alice')
    expect((await submit(send, '/signout')).headers.get('location')).toBe(origin)
    expect(await getName(send)).toBeUndefined()
  })

  test('the first that lives counts, and the fourth is never tried', async () => {
    const { browse } = serve({ ...config(), cookies })
    const browser = browse()
    await signIn(browser, 'alice')
    const bob = await getCookie(browse, 'bob')
    expect(await getName(sendBeside(browser, ['x', bob]))).toBe('Person bob')
    expect(await getName(sendBeside(browser, ['x', 'y']))).toBe('Person alice')
    expect(await getName(sendBeside(browser, ['x', 'y', 'z']))).toBeUndefined()
  })

  test('the CSRF token belongs to the session that is shown', async () => {
    const { browse } = serve({ ...config(), cookies })
    const browser = browse()
    await signIn(browser, 'alice')
    const { csrfToken } = await browser.json('/csrf')
    const send = sendBeside(browser, [await getCookie(browse, 'mallory')])
    expect(await getName(send)).toBe('Person mallory')
    expect((await send('/signout', { csrfToken: String(csrfToken) })).status).toBe(403)
    expect((await submit(send, '/signout')).status).toBe(302)
  })

  test('a planted session ends when the user signs in, and so does each other one', async () => {
    const { browse } = serve({ ...config(), cookies })
    const browser = browse()
    const planted = [await getCookie(browse, 'mallory'), await getCookie(browse, 'mallory')]
    const send = sendBeside(browser, planted)
    expect(await getName(send)).toBe('Person mallory')
    const { location } = Object.fromEntries((await submit(send, '/signin/passport')).headers)
    const state = new URL(location ?? '').searchParams.get('state')
    expect((await send(`/callback/passport?code=alice&state=${state}`)).status).toBe(302)
    expect(await getName(send)).toBe('Person alice')
    expect(browser.cookies.get(ended)?.split('.')).toHaveLength(2)
  })

  test('a sign-out ends each, with its id in the browser (I-37.5)', async () => {
    const events: string[] = []
    const signOut = ({ sessionId }: { readonly sessionId: string }): void =>
      void events.push(sessionId)
    const { browse } = serve({ ...config(), cookies, events: { signOut } })
    const browser = browse()
    await signIn(browser, 'alice')
    const copy = browser.cookies.get(name) ?? ''
    const bob = await getCookie(browse, 'bob')
    const send = sendBeside(browser, [bob])
    const { headers } = await submit(send, '/signout')
    expect(events).toHaveLength(2)
    expect(browser.cookies.get(ended)?.split('.').toSorted()).toEqual(events.toSorted())
    const deleted = headers.getSetCookie().filter((line) => line.startsWith(`${name}=;`))
    expect(deleted.map((line) => line.includes('Domain=app.example'))).toEqual([true, false])
    for (const cookie of [copy, bob])
      expect(await getName(sendBeside(browser, [cookie]))).toBeUndefined()
  })

  test('one that ended in this browser is passed over', async () => {
    const { browse } = serve({ ...config(), cookies })
    const browser = browse()
    await signIn(browser, 'bob')
    const copy = browser.cookies.get(name) ?? ''
    await browser.submit('/signout')
    await signIn(browser, 'alice')
    expect(await getName(sendBeside(browser, [copy]))).toBe('Person alice')
  })

  test('with the prefix __Host- only the first counts: no other host can set it', async () => {
    const { browse } = serve(config())
    const browser = browse()
    await signIn(browser, 'alice')
    const header = (first: string): { cookie: string } => ({
      cookie: `__Host-latchkey.session=${first}; ${toCookieHeader(browser)}`,
    })
    const own = browser.cookies.get('__Host-latchkey.session') ?? ''
    expect(await browser.json('/session', { headers: header(own) })).toHaveProperty('user')
    expect(await browser.json('/session', { headers: header('x') })).toEqual({})
  })
})

test('of session cookies in parts, the parts of each belong together (I-36.6)', async () => {
  const identify = (subject: string): { claims: object } => ({
    claims: { sub: subject, long: 'x'.repeat(subject === 'bob' ? 2900 : 6000) },
  })
  const { browse } = serve({
    cookies,
    providers: [passport({ identify: (subject) => identify(subject) as object })],
    callbacks: { jwt: ({ token, profile }) => ({ ...token, ...profile }) },
  })
  const [alice, bob] = [browse(), browse()]
  await signIn(alice, 'alice')
  await signIn(bob, 'bob')
  expect([alice.cookies.has(`${name}.2`), bob.cookies.has(`${name}.1`)]).toEqual([true, true])
  expect(bob.cookies.has(`${name}.2`)).toBe(false)
  const ask = async (first: string, second: string): Promise<unknown> =>
    (await browse().json('/session', { headers: { cookie: `${first}; ${second}` } }))['user']
  const [ofAlice, ofBob] = [toCookieHeader(alice), toCookieHeader(bob)]
  expect(await ask(ofAlice, ofBob)).toMatchObject({ name: 'Person alice' })
  expect(await ask(ofBob, ofAlice)).toMatchObject({ name: 'Person bob' })
  expect(await ask(`${name}=x`, ofBob)).toMatchObject({ name: 'Person bob' })
})

describe('if the storage fails for one session cookie', () => {
  test('no other is tried, and the answer is 503 (I-36.4)', async () => {
    const storage = memoryStorage()
    let left = Infinity
    const failing: typeof storage = {
      ...storage,
      getSessionAndUser: (...args) => {
        if (left-- === 0) throw new Error('the connection is lost')
        return storage.getSessionAndUser(...args)
      },
    }
    const { browse } = serve({ storage: failing, session: { strategy: 'storage' }, cookies })
    const browser = browse()
    await signIn(browser, 'alice')
    const bob = await getCookie(browse, 'bob')
    const send = sendBeside(browser, [bob])
    left = 0
    expect((await send('/session')).status).toBe(503)
    expect(await getName(send)).toBe('Person bob')
  })

  test('a sign-out records the ids of all, and logs them', async () => {
    const { storage, fail } = breakableStorage()
    const { browse, lines } = serve({ storage, session: { strategy: 'storage' }, cookies })
    const browser = browse()
    await signIn(browser, 'alice')
    const send = sendBeside(browser, ['a'.repeat(43)])
    const { csrfToken } = (await (await send('/csrf')).json()) as { csrfToken: string }
    fail()
    expect((await send('/signout', { csrfToken })).status).toBe(503)
    const logged = lines.flatMap(({ details }) => details['sessionId'] ?? [])
    expect(logged).toHaveLength(2)
    expect(browser.cookies.get(ended)?.split('.')).toEqual(logged)
  })
})
