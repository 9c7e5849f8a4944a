import { hkdfSync } from 'node:crypto'
import { encode as encodeV5 } from '@auth/core/jwt'
import type { Storage, UntypedToken } from '@latchkey/core'
import type { Admission } from '@latchkey/core/capability'
import { authJs } from '@latchkey/core/import/auth-js'
import { nextAuthV4 } from '@latchkey/core/import/next-auth-v4'
import { memoryStorage } from '@latchkey/core/memory'
import { credentials } from '@latchkey/core/providers/credentials'
import type { Browser } from '@latchkey/testing/browser'
import { EncryptJWT } from 'jose'
import { encode as encodeV4 } from 'next-auth/jwt'
import { describe, expect, test } from 'vitest'
import {
  beginSignIn,
  createPageRequest,
  passport,
  serve,
  signIn,
  toCallbackUrl,
  toCookieHeader,
} from './support/service.ts'

const nextAuthSecret = 'the NEXTAUTH_SECRET of the application'
const v4Cookie = '__Secure-next-auth.session-token'
const v5Cookie = '__Secure-authjs.session-token'
const sessionCookie = '__Host-latchkey.session'
const inAYear = new Date(Date.now() + 365 * 86_400_000)
const ada = { id: 'u1', name: 'Ada', email: null, emailVerified: false, image: null }

/** Creates a session cookie with next-auth v4. */
const v4 = (claims: object = {}, secret = nextAuthSecret, maxAge = 3600): Promise<string> =>
  encodeV4({
    token: { sub: 'u1', name: 'Ada', email: 'ada@example.com', ...claims },
    secret,
    maxAge,
  })

/** Creates a session cookie with Auth.js v5. */
const v5 = (claims: object = {}, secret = nextAuthSecret, maxAge = 3600): Promise<string> =>
  encodeV5({
    token: { sub: 'u1', name: 'Ada', email: 'ada@example.com', ...claims },
    secret,
    salt: v5Cookie,
    maxAge,
  })

/** Signs everyone in as Bob. */
const badge = credentials({
  fields: { name: { label: 'Name' } },
  authorize: async () => ({ id: 'bob', name: 'Bob' }),
})

/** Signs in by credentials without a GET, which would import the session: a refused POST has the token, too. */
async function signInByForm(browser: Browser): Promise<void> {
  const page = await (await browser.post('/callback/credentials', {})).text()
  const [, csrfToken = ''] = /name="csrfToken" value="([^"]+)"/.exec(page) ?? []
  expect((await browser.post('/callback/credentials', { csrfToken, name: 'Bob' })).status).toBe(302)
}

const rows = [
  ['next-auth v4', v4Cookie, v4, nextAuthV4],
  ['Auth.js v5', v5Cookie, v5, authJs],
] as const

describe.for(rows)('a session of %s (I-45)', ([, cookie, encode, importer]) => {
  const setUp = (secret: string | readonly string[] = nextAuthSecret) =>
    serve({ session: { importFrom: [importer({ secret, until: inAYear })] } })

  test('is imported at the first request, and its cookie is deleted', async () => {
    const browser = setUp().browse()
    browser.cookies.set(cookie, await encode())
    expect(await browser.json('/session')).toMatchObject({
      user: { id: 'u1', name: 'Ada', email: 'ada@example.com' },
    })
    expect([...browser.cookies.keys()]).toEqual([sessionCookie])
    expect(await browser.json('/session')).toHaveProperty('user')
  })

  test('is deleted with the attributes that it was set with (I-14)', async () => {
    const browser = setUp().browse()
    browser.cookies.set(cookie, await encode())
    const lines = (await browser.visit('/session')).headers.getSetCookie()
    expect(lines).toContain(`${cookie}=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax`)
  })

  test('keeps its own claims for callbacks.session', async () => {
    const { browse } = serve({
      session: { importFrom: [importer({ secret: nextAuthSecret, until: inAYear })] },
      callbacks: { session: ({ session, token }) => ({ ...session, role: token['role'] }) },
    })
    const browser = browse()
    browser.cookies.set(cookie, await encode({ role: 'admin' }))
    expect(await browser.json('/session')).toMatchObject({ role: 'admin' })
  })

  test('shows its email address as unverified, whatever it says (I-33)', async () => {
    const browser = setUp().browse()
    browser.cookies.set(cookie, await encode({ email_verified: true, emailVerified: true }))
    for (let i = 0; i < 2; i++) {
      expect(await browser.json('/session')).toMatchObject({
        user: { email: 'ada@example.com', emailVerified: false },
      })
    }
  })

  test('can be mapped or ignored by the option token', async () => {
    const { browse, lines } = serve({
      session: {
        importFrom: [
          importer({
            secret: nextAuthSecret,
            until: inAYear,
            token: ({ sub, name }) =>
              name === 'Ada' ? { sub: `github:${String(sub)}`, name } : undefined,
          }),
        ],
      },
    })
    const [first, other] = [browse(), browse()]
    first.cookies.set(cookie, await encode())
    other.cookies.set(cookie, await encode({ name: 'Bob' }))
    expect(await first.json('/session')).toMatchObject({ user: { id: 'github:u1', email: null } })
    expect(await other.json('/session')).toEqual({})
    expect(lines).toEqual([])
  })

  test('is read from more than ten cookies, in any order, of which ten are deleted (I-14)', async () => {
    const browser = setUp().browse()
    const value = await encode({ note: 'x'.repeat(2000) })
    const size = Math.ceil(value.length / 12)
    const parts = Array.from({ length: 12 }, (_, i) => [
      `${cookie}.${i}`,
      value.slice(i * size, (i + 1) * size),
    ])
    for (const [name, part] of parts.toReversed() as [string, string][]) {
      browser.cookies.set(name, part)
    }
    expect(await browser.json('/session')).toMatchObject({ user: { id: 'u1' } })
    const left = parts.map(([name]) => name).slice(10)
    expect(new Set(browser.cookies.keys())).toEqual(new Set([sessionCookie, ...left]))
  })

  test('is read under any of several secrets', async () => {
    const browser = setUp(['another secret', nextAuthSecret]).browse()
    browser.cookies.set(cookie, await encode())
    expect(await browser.json('/session')).toHaveProperty('user')
  })

  test.for<[string, () => Promise<string>]>([
    ['under another secret', () => encode({}, 'another secret')],
    ['that has expired', () => encode({}, nextAuthSecret, -1)],
    ['without a user', () => encode({ sub: undefined })],
    ['of a user without an id', () => encode({ sub: '' })],
    ['of garbage', async () => 'garbage'],
    ['that was altered', async (): Promise<string> => `${(await encode()).slice(0, -3)}abc`],
    // A copy in another encoding would evade the revocation of the cookie.
    ['with an unused bit set', async () => setUnusedBit(await encode())],
    ['with padding', async () => `${await encode()}=`],
  ])('%s is ignored', async ([, make]) => {
    const { browse, lines } = setUp()
    const browser = browse()
    browser.cookies.set(cookie, await make())
    expect(await browser.json('/session')).toEqual({})
    expect(browser.cookies.has(sessionCookie)).toBe(false)
    expect(lines).toEqual([])
  })

  test('does not replace a session of the service', async () => {
    const browser = setUp().browse()
    await signIn(browser)
    browser.cookies.set(cookie, await encode({ sub: 'planted' }))
    expect(await browser.json('/session')).toMatchObject({ user: { id: 'passport:alice' } })
  })

  test('replaces the sessions under a previous name of our cookie, after a rollback', async () => {
    const first = setUp().browse()
    await signIn(first)
    const { browse } = serve({
      cookies: { session: { name: 'latchkey.session-2' } },
      session: { importFrom: [importer({ secret: nextAuthSecret, until: inAYear })] },
    })
    const browser = browse()
    for (const [name, value] of first.cookies) browser.cookies.set(name, value)
    expect(await browser.json('/session')).toEqual({})
    browser.cookies.set(cookie, await encode())
    expect(await browser.json('/session')).toMatchObject({ user: { id: 'u1' } })
    expect([...browser.cookies.keys()]).toContain('__Host-latchkey.session-2')
  })

  test('ends at a sign-out, in every cookie', async () => {
    const browser = setUp().browse()
    browser.cookies.set(cookie, await encode())
    await browser.submit('/signout')
    const kept = ['__Host-latchkey.csrf', '__Host-latchkey.ended']
    expect([...browser.cookies.keys()].filter((name) => !kept.includes(name))).toEqual([])
    expect(await browser.json('/session')).toEqual({})
  })

  test('is not changed by a HEAD, nor by a refused request', async () => {
    const browser = setUp().browse()
    const value = await encode()
    browser.cookies.set(cookie, value)
    await browser.visit('/session', { method: 'HEAD' })
    expect((await browser.post('/signout', {})).status).toBe(403)
    expect(browser.cookies.get(cookie)).toBe(value)
    expect(await browser.json('/session')).toHaveProperty('user')
  })

  test('has a cookie without prefix on http', async () => {
    const { browse } = serve({
      serviceUrl: 'http://localhost:3000',
      session: {
        importFrom: [importer({ secret: nextAuthSecret, cookieName: 'renamed', until: inAYear })],
      },
    })
    const browser = browse()
    browser.cookies.set(
      'renamed',
      importer === authJs
        ? await encodeV5({ token: { sub: 'u1' }, secret: nextAuthSecret, salt: 'renamed' })
        : await v4(),
    )
    expect(await browser.json('/session')).toMatchObject({ user: { id: 'u1' } })
  })

  test('is ignored if the storage does not have its user', async () => {
    const storage = await createStorageWithAda()
    const { auth, browse } = serve({
      storage,
      session: { importFrom: [importer({ secret: nextAuthSecret })] },
    })
    const [known, unknown] = [browse(), browse()]
    known.cookies.set(cookie, await encode())
    unknown.cookies.set(cookie, await encode({ sub: 'u2' }))
    expect(await known.json('/session')).toMatchObject({ user: { id: 'u1' } })
    expect(await unknown.json('/session')).toEqual({})
    expect(await auth.sessions.list('u1')).toHaveLength(1)
  })

  test('is not imported from the date until on, nor if it was issued after issuedBefore', async () => {
    const past = new Date(Date.now() - 60_000)
    for (const dates of [{ until: past }, { until: inAYear, issuedBefore: past }]) {
      const { browse } = serve({
        session: { importFrom: [importer({ secret: nextAuthSecret, ...dates })] },
      })
      const browser = browse()
      browser.cookies.set(cookie, await encode())
      expect(await browser.json('/session')).toEqual({})
    }
  })
})

/** The strategies with which imported sessions are stored. */
const strategies = [
  ['stored', { strategy: 'storage' }],
  ['in the cookie', { strategy: 'cookie' }],
  ['in the cookie and revocable', { strategy: 'cookie', revocable: true }],
] as const

describe.for(strategies)('an imported session, %s (I-45)', ([, strategy]) => {
  const setUp = async () => {
    const storage = await createStorageWithAda()
    const importFrom = [nextAuthV4({ secret: nextAuthSecret })]
    return { storage, ...serve({ storage, session: { ...strategy, importFrom } }) }
  }

  test('allows a POST as the first request: refused without a CSRF token, then accepted', async () => {
    const browser = (await setUp()).browse()
    browser.cookies.set(v4Cookie, await v4())
    const refused = await browser.post('/signout', { json: 'true' })
    expect(refused.status).toBe(403)
    const page = await (await browser.post('/signout', {})).text()
    const [, csrfToken = ''] = /name="csrfToken" value="([^"]+)"/.exec(page) ?? []
    const accepted = await browser.post('/signout', { csrfToken })
    expect(accepted.status).toBe(302)
    expect(await browser.json('/session')).toEqual({})
  })

  test('keeps its CSRF token when it is imported', async () => {
    const { browse, auth } = await setUp()
    const browser = browse()
    browser.cookies.set(v4Cookie, await v4())
    await auth.getSession(createPageRequest(browser))
    const csrfToken = await browser.csrfToken()
    expect(browser.cookies.has(sessionCookie)).toBe(true)
    expect((await browser.post('/signout', { csrfToken })).status).toBe(302)
  })

  test('is only read by getSession and getAccessToken: no row, no cookie', async () => {
    const { auth, browse, storage } = await setUp()
    const browser = browse()
    browser.cookies.set(v4Cookie, await v4())
    for (let i = 0; i < 5; i++) {
      const { session, id, headers } = await auth.getSession(createPageRequest(browser))
      expect(session).toMatchObject({ user: { id: 'u1' } })
      expect(id).toMatch(/^[\w-]{43}$/)
      expect([...headers]).toEqual([])
    }
    expect(await auth.getAccessToken(createPageRequest(browser), 'passport')).toBeNull()
    expect(await storage.listSessions('u1', 0)).toEqual([])
  })

  test('counts as no session after its user is deleted, for reads too', async () => {
    const { auth, browse, storage } = await setUp()
    const [known, deleted] = [browse(), browse()]
    known.cookies.set(v4Cookie, await v4())
    deleted.cookies.set(v4Cookie, await v4({ sub: 'u2' }))
    const read = async (browser: Browser): Promise<unknown> =>
      (await auth.getSession(createPageRequest(browser))).session
    expect(await read(known)).toMatchObject({ user: { id: 'u1' } })
    expect(await read(deleted)).toBeNull()
    expect(await deleted.json('/session')).toEqual({})
    expect(await storage.listSessions('u2', 0)).toEqual([])
    await storage.createUser({ ...ada, id: 'u2' })
    expect(await read(deleted)).toMatchObject({ user: { id: 'u2' } })
  })

  test('is one session for any number of concurrent requests with its cookie', async () => {
    const { auth, browse, storage } = await setUp()
    const value = await v4()
    const replay = async (): Promise<string | null> => {
      const browser = browse()
      browser.cookies.set(v4Cookie, value)
      expect(await browser.json('/session')).toMatchObject({ user: { id: 'u1' } })
      return (await auth.getSession(createPageRequest(browser))).id
    }
    const ids = await Promise.all(Array.from({ length: 50 }, replay))
    expect(new Set(ids).size).toBe(1)
    expect((await storage.listSessions('u1', 0)).length).toBeLessThanOrEqual(1)
  })

  test('stays ended after a sign-out: its cookie does not sign in again', async () => {
    const { browse, storage } = await setUp()
    const value = await v4()
    for (const first of ['/session', '/csrf']) {
      const [browser, attacker] = [browse(), browse()]
      browser.cookies.set(v4Cookie, value)
      await browser.visit(first)
      await browser.submit('/signout')
      attacker.cookies.set(v4Cookie, value)
      expect(await attacker.json('/session')).toEqual({})
      expect(attacker.cookies.has(sessionCookie)).toBe(false)
    }
    expect(await storage.listSessions('u1', 0)).toEqual([])
  })

  test('stays ended after a sign-out before its import', async () => {
    const { browse, auth } = await setUp()
    const value = await v4()
    const [browser, attacker] = [browse(), browse()]
    browser.cookies.set(v4Cookie, value)
    const page = await (await browser.post('/signout', {})).text()
    const [, csrfToken = ''] = /name="csrfToken" value="([^"]+)"/.exec(page) ?? []
    await browser.post('/signout', { csrfToken })
    attacker.cookies.set(v4Cookie, value)
    expect(await attacker.json('/session')).toEqual({})
    expect((await auth.getSession(createPageRequest(attacker))).session).toBeNull()
  })

  test('that another request imported ends when another user signs in with its cookie', async () => {
    const storage = await createStorageWithAda()
    const importFrom = [nextAuthV4({ secret: nextAuthSecret })]
    const { browse } = serve({ storage, providers: [badge], session: { ...strategy, importFrom } })
    const value = await v4()
    const [other, browser] = [browse(), browse()]
    other.cookies.set(v4Cookie, value)
    expect(await other.json('/session')).toMatchObject({ user: { id: 'u1' } })
    browser.cookies.set(v4Cookie, value)
    await signInByForm(browser)
    expect(await browser.json('/session')).toMatchObject({ user: { name: 'Bob' } })
    expect(await storage.listSessions('u1', 0)).toEqual([])
  })

  test('ends when another user signs in: its cookie does not sign in again', async () => {
    const { browse, storage } = await setUp()
    const value = await v4()
    for (const importsFirst of [true, false]) {
      const [browser, attacker] = [browse(), browse()]
      browser.cookies.set(v4Cookie, value)
      if (importsFirst) await browser.json('/session')
      await signIn(browser)
      expect(browser.cookies.has(v4Cookie)).toBe(false)
      attacker.cookies.set(v4Cookie, value)
      expect(await attacker.json('/session')).toEqual({})
      expect(await browser.json('/session')).toMatchObject({ user: { name: 'Person alice' } })
    }
    expect(await storage.listSessions('u1', 0)).toEqual([])
  })

  test('of a browser that is signed in ends at its sign-out too', async () => {
    const { browse } = await setUp()
    const browser = browse()
    await signIn(browser)
    browser.cookies.set(v4Cookie, await v4())
    await browser.submit('/signout')
    expect(browser.cookies.has(v4Cookie)).toBe(false)
    expect(await browser.json('/session')).toEqual({})
  })

  test('keeps its own claims if callbacks.jwt does', async () => {
    const storage = await createStorageWithAda()
    const { browse } = serve({
      storage,
      session: { ...strategy, importFrom: [nextAuthV4({ secret: nextAuthSecret })] },
      callbacks: {
        jwt: ({ token }): UntypedToken => ({ ...token }),
        session: ({ session, token }) => ({ ...session, role: token['role'] }),
      },
    })
    const browser = browse()
    browser.cookies.set(v4Cookie, await v4({ role: 'admin' }))
    for (let i = 0; i < 2; i++) {
      expect(await browser.json('/session')).toMatchObject({ user: { id: 'u1' }, role: 'admin' })
    }
  })

  test('of a browser that is signed in has ended when its sign-out is answered', async () => {
    const memory = await createStorageWithAda()
    const storage = { ...memory, ...delay(memory, 'createRevocation', 'deleteSession') }
    const importFrom = [nextAuthV4({ secret: nextAuthSecret })]
    const { browse } = serve({ storage, session: { ...strategy, importFrom } })
    const value = await v4()
    const [other, browser, attacker] = [browse(), browse(), browse()]
    other.cookies.set(v4Cookie, value)
    expect(await other.json('/session')).toMatchObject({ user: { id: 'u1' } })
    await signIn(browser)
    browser.cookies.set(v4Cookie, value)
    await browser.submit('/signout')
    expect(await memory.listSessions('u1', 0)).toEqual([])
    attacker.cookies.set(v4Cookie, value)
    expect(await attacker.json('/session')).toEqual({})
  })

  test('that another request imported can be updated with its cookie', async () => {
    const storage = await createStorageWithAda()
    const importFrom = [nextAuthV4({ secret: nextAuthSecret })]
    const update = ({ data }: { data?: unknown }) => ({ sub: 'u1', name: String(data) })
    const callbacks = { jwt: ({ token }: { token: { sub: string } }) => ({ ...token }) }
    const { browse } = serve({ storage, callbacks, session: { ...strategy, importFrom, update } })
    const value = await v4()
    const [first, second] = [browse(), browse()]
    first.cookies.set(v4Cookie, value)
    expect(await first.json('/session')).toMatchObject({ user: { name: 'Ada' } })
    second.cookies.set(v4Cookie, value)
    const page = await (await second.post('/signout', {})).text()
    const [, csrfToken = ''] = /name="csrfToken" value="([^"]+)"/.exec(page) ?? []
    await second.visit('/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ csrfToken, data: 'Countess' }),
    })
    expect(await second.json('/session')).toMatchObject({ user: { id: 'u1', name: 'Countess' } })
  })

  test('loses its cookie at a sign-out although the storage fails', async () => {
    const { storage, setDown } = await createStorageWithoutRevocations()
    const { browse, lines } = serve({
      storage,
      session: { ...strategy, importFrom: [nextAuthV4({ secret: nextAuthSecret })] },
    })
    for (const status of [503, 302]) {
      const browser = browse()
      browser.cookies.set(v4Cookie, await v4())
      expect((await signOutByPost(browser)).status).toBe(status)
      expect(browser.cookies.has(v4Cookie)).toBe(false)
      const messages = lines.splice(0).map(({ message }) => message)
      const unended = 'a session was not ended in the storage: revoke it'
      expect(messages.includes(unended)).toBe(status === 503)
      setDown(false)
    }
  })

  test('loses its cookie when another user signs in, although its end cannot be stored', async () => {
    const { storage, setDown } = await createStorageWithoutRevocations()
    const { browse, lines } = serve({
      storage,
      providers: [badge],
      session: { ...strategy, importFrom: [nextAuthV4({ secret: nextAuthSecret })] },
    })
    for (const level of ['error', undefined]) {
      const browser = browse()
      browser.cookies.set(v4Cookie, await v4())
      await signInByForm(browser)
      expect(browser.cookies.has(v4Cookie)).toBe(false)
      expect(await browser.json('/session')).toMatchObject({ user: { name: 'Bob' } })
      const message = 'the previous session was not revoked'
      expect(lines.splice(0).find((line) => line.message === message)?.level).toBe(level)
      setDown(false)
    }
  })

  test('keeps its user, whatever callbacks.jwt returns', async () => {
    const storage = await createStorageWithAda()
    await storage.createUser({ ...ada, id: 'u2', name: 'Eve' })
    const { auth, browse } = serve({
      storage,
      session: { ...strategy, importFrom: [nextAuthV4({ secret: nextAuthSecret })] },
      callbacks: { jwt: ({ token }) => ({ ...token, sub: 'u2' }) },
    })
    const browser = browse()
    browser.cookies.set(v4Cookie, await v4())
    const { session } = await auth.getSession(createPageRequest(browser))
    expect(session).toMatchObject({ user: { id: 'u1' } })
    for (let i = 0; i < 2; i++) {
      expect(await browser.json('/session')).toMatchObject({ user: { id: 'u1' } })
    }
    expect(await storage.listSessions('u2', 0)).toEqual([])
  })

  test('can be updated before its import', async () => {
    const storage = await createStorageWithAda()
    const { browse } = serve({
      storage,
      session: {
        ...strategy,
        importFrom: [nextAuthV4({ secret: nextAuthSecret })],
        update: ({ token, data }) => ({ ...token, name: String(data) }),
      },
    })
    const browser = browse()
    browser.cookies.set(v4Cookie, await v4())
    const csrfToken = await browser.csrfToken()
    const response = await browser.visit('/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ csrfToken, data: 'Countess' }),
    })
    expect(await response.json()).toMatchObject({ user: { id: 'u1', name: 'Countess' } })
    expect(await browser.json('/session')).toMatchObject({ user: { name: 'Countess' } })
  })

  test('has the limits of the service, counted from the issue of its cookie', async () => {
    const storage = await createStorageWithAda()
    const importFrom = [nextAuthV4({ secret: nextAuthSecret })]
    const { browse, wait } = serve({
      storage,
      session: { ...strategy, importFrom, maxAge: 1000 },
    })
    const value = await v4({}, nextAuthSecret, 1_000_000)
    const browser = browse()
    browser.cookies.set(v4Cookie, value)
    expect(await browser.json('/session')).toHaveProperty('user')
    wait(1001)
    expect(await browser.json('/session')).toEqual({})
    browser.cookies.set(v4Cookie, value)
    expect(await browser.json('/session')).toEqual({})
  })
})

test('a sign-out makes the cookie invalid under every secret of the service (I-45)', async () => {
  const storage = await createStorageWithAda()
  const [former, current] = ['Zk4vQ1xT9rWm2Lc8Hs5yBn7dJf3gPu6e', 'mW8sR2nY5tKq7Vb4Xc9zLd3hGj6fTp1a']
  const importFrom = [nextAuthV4({ secret: nextAuthSecret })]
  const serveWith = (...secrets: string[]) =>
    serve({ storage, secret: secrets, session: { strategy: 'cookie', importFrom } })
  const value = await v4()
  const browser = serveWith(current, former).browse()
  browser.cookies.set(v4Cookie, value)
  expect((await signOutByPost(browser)).status).toBe(302)
  const attacker = serveWith(former).browse()
  attacker.cookies.set(v4Cookie, value)
  expect(await attacker.json('/session')).toEqual({})
})

describe.for(strategies.filter(([name]) => name !== 'in the cookie'))(
  'revoking imported sessions, %s (I-45)',
  ([, strategy]) => {
    const setUp = async () => {
      const importFrom = [nextAuthV4({ secret: nextAuthSecret })]
      const storage = await createStorageWithAda()
      const service = serve({ storage, session: { ...strategy, importFrom } })
      // The previous service has another clock: what it issues next must not be later than now.
      service.wait(5)
      return service
    }

    test('by a sign-out ends the session of every browser with the same cookie', async () => {
      const { auth, browse } = await setUp()
      const value = await v4()
      const [first, second] = [browse(), browse()]
      for (const browser of [first, second]) browser.cookies.set(v4Cookie, value)
      await first.json('/session')
      expect((await signOutByPost(second)).status).toBe(302)
      expect(await first.json('/session')).toEqual({})
      expect(await auth.sessions.list('u1')).toEqual([])
    })

    test('by a sign-out ends a session that a concurrent request imports', async () => {
      const storage = await createStorageWithAda()
      let importConcurrently: (() => Promise<unknown>) | undefined
      const { auth, browse } = serve({
        storage: {
          ...storage,
          async createRevocation(revocation) {
            await importConcurrently?.()
            return storage.createRevocation(revocation)
          },
        },
        session: { ...strategy, importFrom: [nextAuthV4({ secret: nextAuthSecret })] },
      })
      const value = await v4()
      const [first, second, attacker] = [browse(), browse(), browse()]
      for (const browser of [first, second, attacker]) browser.cookies.set(v4Cookie, value)
      importConcurrently = () => first.json('/session')
      expect((await signOutByPost(second)).status).toBe(302)
      expect(await first.json('/session')).toEqual({})
      expect(await attacker.json('/session')).toEqual({})
      expect(await auth.sessions.list('u1')).toEqual([])
    })

    test('a HEAD imports none, a GET does (I-5)', async () => {
      const { auth, browse } = await setUp()
      const browser = browse()
      browser.cookies.set(v4Cookie, await v4())
      for (const path of ['/session', '/csrf', '/signout']) {
        await browser.visit(path, { method: 'HEAD' })
        expect(await auth.sessions.list('u1'), path).toEqual([])
      }
      await browser.visit('/csrf')
      expect(await auth.sessions.list('u1')).toHaveLength(1)
    })

    test('one by one makes the cookie invalid', async () => {
      const { auth, browse } = await setUp()
      const value = await v4()
      const [browser, attacker] = [browse(), browse()]
      browser.cookies.set(v4Cookie, value)
      await browser.json('/session')
      const [listed] = await auth.sessions.list('u1')
      expect(await auth.sessions.revoke('u1', listed?.id as string)).toBe(true)
      attacker.cookies.set(v4Cookie, value)
      expect(await browser.json('/session')).toEqual({})
      expect(await attacker.json('/session')).toEqual({})
    })

    test('all together makes earlier cookies invalid, also before their import, but not later cookies', async () => {
      const { auth, browse, wait } = await setUp()
      const [imported, notYet, later] = [browse(), browse(), browse()]
      imported.cookies.set(v4Cookie, await v4())
      await imported.json('/session')
      const value = await v4({ name: 'Another device' })
      await auth.sessions.revokeAll('u1')
      notYet.cookies.set(v4Cookie, value)
      expect(await imported.json('/session')).toEqual({})
      expect(await notYet.json('/session')).toEqual({})
      wait(10)
      const iat = Math.floor(Date.now() / 1000) + 10
      later.cookies.set(v4Cookie, await encodeAt(iat))
      expect(await later.json('/session')).toMatchObject({ user: { id: 'u1' } })
    })
  },
)

test('a cookie of a user whom auth.users has deleted is not imported (I-61.4)', async () => {
  const importFrom = [nextAuthV4({ secret: nextAuthSecret })]
  const storage = await createStorageWithAda()
  const session = { strategy: 'cookie', acceptsDeletedUsers: true, importFrom } as const
  const { auth, browse, wait } = serve({ storage, session })
  // The previous service has another clock: what it issues next must not be later than now.
  wait(5)
  const value = await v4()
  const [before, after] = [browse(), browse()]
  before.cookies.set(v4Cookie, value)
  expect(await before.json('/session')).toMatchObject({ user: { id: 'u1' } })
  await auth.users.delete('u1')
  // An application may choose the ids of its users: only the revocation is left.
  await storage.createUser(ada)
  after.cookies.set(v4Cookie, value)
  expect(await after.json('/session')).toEqual({})
})

test('a session of a user whom a capability stops is not imported (I-63.4)', async () => {
  const importFrom = [nextAuthV4({ secret: nextAuthSecret })]
  const suspended = new Set<string>()
  const admission: Admission = {
    ask: async () => undefined,
    stops: async (_, { id }) => suspended.has(id),
  }
  const storage = await createStorageWithAda()
  const { browse } = serve({ storage, session: { importFrom }, use: [{ id: 'rules', admission }] })
  const [before, after] = [browse(), browse()]
  before.cookies.set(v4Cookie, await v4())
  expect(await before.json('/session')).toMatchObject({ user: { id: 'u1' } })
  suspended.add('u1')
  after.cookies.set(v4Cookie, await v4({ name: 'Another device' }))
  expect(await after.json('/session')).toEqual({})
})

describe('importing', () => {
  test('begins with a request that reads the session', async () => {
    const { browse } = serve({
      session: { importFrom: [nextAuthV4({ secret: nextAuthSecret, until: inAYear })] },
    })
    const browser = browse()
    browser.cookies.set(v4Cookie, await v4())
    expect((await browser.visit('/providers')).headers.getSetCookie()).toEqual([])
    expect((await browser.visit('/session')).headers.getSetCookie()).not.toEqual([])
  })

  test('deletes a cookie of a domain with that domain', async () => {
    const options = { secret: nextAuthSecret, domain: '.example.com', until: inAYear }
    const { browse } = serve({ session: { importFrom: [nextAuthV4(options)] } })
    const browser = browse()
    browser.cookies.set(v4Cookie, await v4())
    const lines = (await browser.visit('/session')).headers.getSetCookie()
    expect(lines.find((line) => line.startsWith(v4Cookie))).toContain('Domain=.example.com')
  })

  test('does not fail the request if the storage cannot store the session', async () => {
    const storage = await createStorageWithAda()
    let isDown = false
    const { browse, lines } = serve({
      storage: {
        ...storage,
        createSession: (...args) =>
          isDown ? Promise.reject(new Error('down')) : storage.createSession(...args),
      },
      session: { importFrom: [nextAuthV4({ secret: nextAuthSecret })] },
    })
    const browser = browse()
    const value = await v4()
    browser.cookies.set(v4Cookie, value)
    isDown = true
    expect(await browser.json('/csrf')).toHaveProperty('csrfToken')
    expect(browser.cookies.get(v4Cookie)).toBe(value)
    expect(lines.map(({ message }) => message)).toEqual(['a session could not be imported'])
    isDown = false
    await browser.json('/csrf')
    expect([...browser.cookies.keys()].toSorted()).toEqual(['__Host-latchkey.csrf', sessionCookie])
  })

  test('ends in the second of until', async () => {
    const now = Date.now()
    const load = async (until: number): Promise<unknown> => {
      const importFrom = [nextAuthV4({ secret: nextAuthSecret, until: new Date(until) })]
      const browser = serve({ runtime: { now: () => now }, session: { importFrom } }).browse()
      browser.cookies.set(v4Cookie, await encodeAt(Math.floor(now / 1000)))
      return browser.json('/session')
    }
    expect(await load(now + 1000)).toMatchObject({ user: { id: 'u1' } })
    expect(await load(now)).toEqual({})
  })

  test('ignores cookies from the second of issuedBefore on', async () => {
    const iat = Math.floor(Date.now() / 1000) - 10
    const load = async (seconds: number): Promise<unknown> => {
      const issuedBefore = new Date(seconds * 1000)
      const importFrom = [nextAuthV4({ secret: nextAuthSecret, until: inAYear, issuedBefore })]
      const browser = serve({ session: { importFrom } }).browse()
      browser.cookies.set(v4Cookie, await encodeAt(iat))
      return browser.json('/session')
    }
    expect(await load(iat + 1)).toMatchObject({ user: { id: 'u1' } })
    expect(await load(iat)).toEqual({})
  })

  test('ignores cookies from the second in which maxAge has passed since their issue', async () => {
    const iat = Math.floor(Date.now() / 1000)
    const load = async (seconds: number): Promise<unknown> => {
      const { browse } = serve({
        runtime: { now: () => (iat + seconds) * 1000 },
        storage: await createStorageWithAda(),
        session: { maxAge: 600, importFrom: [nextAuthV4({ secret: nextAuthSecret })] },
      })
      const browser = browse()
      browser.cookies.set(v4Cookie, await encodeAt(iat))
      return browser.json('/session')
    }
    expect(await load(599)).toMatchObject({ user: { id: 'u1' } })
    expect(await load(600)).toEqual({})
  })

  test('ignores a cookie that does not say when it was issued, without a line in the log', async () => {
    const importFrom = [nextAuthV4({ secret: nextAuthSecret, until: inAYear })]
    const { browse, lines } = serve({ session: { importFrom } })
    const now = Math.floor(Date.now() / 1000)
    for (const [iat, isImported] of [
      [now, true],
      [undefined, false],
    ] as const) {
      const browser = browse()
      browser.cookies.set(v4Cookie, await encodeAt(iat, now + 3600))
      expect('user' in (await browser.json('/session'))).toBe(isImported)
    }
    expect(lines).toEqual([])
  })

  test('succeeds if a concurrent request has stored the session first', async () => {
    const memory = await createStorageWithAda()
    let stores = true
    const storage: Storage = {
      ...memory,
      async createSession(...args) {
        if (stores) await memory.createSession(...args)
        throw new Error('the id is not unique')
      },
    }
    const importFrom = [nextAuthV4({ secret: nextAuthSecret })]
    const { browse } = serve({ storage, session: { importFrom } })
    const [browser, other] = [browse(), browse()]
    browser.cookies.set(v4Cookie, await v4())
    expect(await browser.json('/session')).toMatchObject({ user: { id: 'u1' } })
    expect(browser.cookies.has(sessionCookie)).toBe(true)
    stores = false
    other.cookies.set(v4Cookie, await v4({ name: 'Another' }))
    expect((await other.visit('/session')).status).toBe(503)
    expect(other.cookies.has(sessionCookie)).toBe(false)
  })

  test('fails while the storage of its sessions fails: the cookie is kept (I-36)', async () => {
    const memory = await createStorageWithAda()
    const token = crypto.randomUUID()
    const now = Math.floor(Date.now() / 1000)
    const times = { createdAt: now, renewedAt: now, expires: now + 3600 }
    await memory.createSession('u1', { id: token, ...times, data: '' })
    let isDown = true
    const storage: Storage = {
      ...memory,
      getSessionAndUser: (...args) =>
        isDown ? Promise.reject(new Error('down')) : memory.getSessionAndUser(...args),
    }
    const importFrom = [nextAuthV4({ strategy: 'database' })]
    const browser = serve({ storage, session: { strategy: 'cookie', importFrom } }).browse()
    browser.cookies.set(v4Cookie, token)
    expect((await browser.visit('/session')).status).toBe(503)
    expect(browser.cookies.get(v4Cookie)).toBe(token)
    isDown = false
    expect(await browser.json('/session')).toMatchObject({ user: { id: 'u1' } })
  })

  test('does not restore a session that a concurrent sign-out has ended', async () => {
    const storage = await createStorageWithAda()
    const value = await v4()
    let signOut: (() => Promise<unknown>) | undefined
    const { browse } = serve({
      storage: {
        ...storage,
        async createSession(...args) {
          const concurrentSignOut = signOut
          signOut = undefined
          await concurrentSignOut?.()
          return storage.createSession(...args)
        },
      },
      session: { importFrom: [nextAuthV4({ secret: nextAuthSecret })] },
    })
    const [slow, quick] = [browse(), browse()]
    slow.cookies.set(v4Cookie, value)
    quick.cookies.set(v4Cookie, value)
    const page = await (await quick.post('/signout', {})).text()
    const [, csrfToken = ''] = /name="csrfToken" value="([^"]+)"/.exec(page) ?? []
    signOut = () => quick.post('/signout', { csrfToken })
    expect(await slow.json('/session')).toEqual({})
    expect(slow.cookies.has(sessionCookie)).toBe(false)
    expect(await storage.listSessions('u1', 0)).toEqual([])
  })

  test('begins a sign-in in the imported session', async () => {
    const { browse } = serve({
      storage: await createStorageWithAda(),
      session: { importFrom: [nextAuthV4({ secret: nextAuthSecret })] },
    })
    const browser = browse()
    browser.cookies.set(v4Cookie, await v4())
    const redirect = await beginSignIn(browser, { link: 'true' })
    await browser.visit(toCallbackUrl(redirect, 'ada'))
    expect(await browser.json('/session')).toMatchObject({ user: { id: 'u1' } })
  })

  test.for<[string, () => unknown, string]>([
    [
      'without until, without a storage',
      () => serve({ session: { importFrom: [nextAuthV4({ secret: nextAuthSecret })] } }),
      'session.importFrom.until',
    ],
    [
      'with an invalid date',
      () => authJs({ secret: nextAuthSecret, until: new Date('never') }),
      'session.importFrom.until',
    ],
    [
      'of a value that is not an importer',
      () => serve({ session: { importFrom: [{ read: async () => undefined } as never] } }),
      'session.importFrom',
    ],
  ])('%s is refused at start-up', ([, make, option]) => {
    expect(make).toThrow(expect.objectContaining({ name: 'ConfigurationError', option }))
  })
})

describe.for([
  ['next-auth v4', v4Cookie, nextAuthV4, v4],
  ['Auth.js v5', v5Cookie, authJs, v5],
] as const)('a database of %s (I-45)', ([, cookie, importer, encode]) => {
  const setUp = async () => {
    const storage = await createStorageWithAda()
    const token = crypto.randomUUID()
    const now = Math.floor(Date.now() / 1000)
    const times = { createdAt: now, renewedAt: now, expires: now + 3600 }
    await storage.createSession('u1', { id: token, ...times, data: '' })
    const importFrom = [importer({ strategy: 'database' })]
    return { storage, token, importFrom }
  }

  test('a session is imported, and its row is deleted in the same step', async () => {
    const { storage, token, importFrom } = await setUp()
    const { browse, lines } = serve({ storage, session: { importFrom } })
    const [browser, stranger] = [browse(), browse()]
    browser.cookies.set(cookie, token)
    stranger.cookies.set(cookie, crypto.randomUUID())
    expect(await browser.json('/session')).toMatchObject({ user: { id: 'u1', name: 'Ada' } })
    expect([...browser.cookies.keys()]).toEqual([sessionCookie])
    expect(await stranger.json('/session')).toEqual({})
    expect((await storage.listSessions('u1', 0)).map(({ id }) => id)).not.toContain(token)
    expect(lines).toEqual([])
  })

  test('the row is deleted in the step in which another user signs in before the import', async () => {
    const { storage, token, importFrom } = await setUp()
    // What follows that step fails.
    const deleteSession = (): Promise<never> => Promise.reject(new Error('the storage is down'))
    const { browse } = serve({
      storage: { ...storage, deleteSession },
      providers: [badge],
      session: { importFrom },
    })
    const browser = browse()
    browser.cookies.set(cookie, token)
    expect(await storage.listSessions('u1', 0)).toHaveLength(1)
    await signInByForm(browser)
    expect(await browser.json('/session')).toMatchObject({ user: { name: 'Bob' } })
    expect(await storage.listSessions('u1', 0)).toEqual([])
  })

  test('the row is deleted when the session that is kept in a cookie is revoked', async () => {
    const { storage, token, importFrom } = await setUp()
    const session = { strategy: 'cookie', revocable: true, importFrom } as const
    const { auth, browse } = serve({ storage, session })
    const browser = browse()
    browser.cookies.set(cookie, token)
    expect(await browser.json('/session')).toHaveProperty('user')
    const ids = (await auth.sessions.list('u1')).map(({ id }) => id)
    expect(ids).toContain(token)
    const [imported = ''] = ids.filter((id) => id !== token)
    expect(await auth.sessions.revoke('u1', imported)).toBe(true)
    expect(await storage.listSessions('u1', 0)).toEqual([])
  })

  test('a concurrent request with the cookie of next-auth finds the imported session', async () => {
    const { storage, token, importFrom } = await setUp()
    const { browse } = serve({ storage, session: { importFrom } })
    const [first, second] = [browse(), browse()]
    first.cookies.set(cookie, token)
    second.cookies.set(cookie, token)
    await first.json('/session')
    expect(await second.json('/session')).toMatchObject({ user: { id: 'u1' } })
    expect(second.cookies.get(sessionCookie)).toBe(first.cookies.get(sessionCookie))
    expect(await storage.listSessions('u1', 0)).toHaveLength(1)
  })

  test.for(strategies)(
    '%s: the cookie of next-auth does not sign in after a sign-out',
    async ([, strategy]) => {
      const { storage, token, importFrom } = await setUp()
      const { browse } = serve({ storage, session: { ...strategy, importFrom } })
      const [browser, attacker] = [browse(), browse()]
      browser.cookies.set(cookie, token)
      await browser.json('/session')
      await browser.submit('/signout')
      attacker.cookies.set(cookie, token)
      expect(await attacker.json('/session')).toEqual({})
      expect(await storage.listSessions('u1', 0)).toEqual([])
    },
  )

  test.for(strategies)(
    '%s: the row of a browser that is signed in is deleted when its sign-out is answered',
    async ([, strategy]) => {
      const { storage: memory, token, importFrom } = await setUp()
      const storage = { ...memory, ...delay(memory, 'deleteSession') }
      const { browse } = serve({ storage, session: { ...strategy, importFrom } })
      const browser = browse()
      await signIn(browser)
      browser.cookies.set(cookie, token)
      expect(await browser.json('/session')).toMatchObject({ user: { name: 'Person alice' } })
      expect(await memory.listSessions('u1', 0)).toHaveLength(1)
      await browser.submit('/signout')
      expect(await memory.listSessions('u1', 0)).toEqual([])
    },
  )

  test.for([undefined, {}, { sub: '' }, { sub: 5 }])(
    'is ignored if the option token returns %j, without a line in the log',
    async (mapped) => {
      const { storage, token } = await setUp()
      let made: unknown = mapped
      const importFrom = [importer({ strategy: 'database', token: () => made as never })]
      const { browse, lines } = serve({ storage, session: { importFrom } })
      const browser = browse()
      browser.cookies.set(cookie, token)
      expect(await browser.json('/session')).toEqual({})
      made = { sub: 'u1' }
      expect(await browser.json('/session')).toMatchObject({ user: { id: 'u1' } })
      expect(lines).toEqual([])
    },
  )

  test('the id of a session of the service, which is not a secret, does not sign in', async () => {
    for (const session of [{}, { strategy: 'cookie', revocable: true } as const]) {
      const importFrom = [importer({ strategy: 'database' })]
      const memory = memoryStorage()
      // As a database whose collation compares loosely does.
      const getSessionAndUser: Storage['getSessionAndUser'] = (key, now) =>
        memory.getSessionAndUser(key.normalize('NFD').replaceAll(/[^\w-]/g, ''), now)
      const { auth, browse } = serve({
        storage: { ...memory, getSessionAndUser },
        session: { ...session, importFrom },
      })
      const [owner, attacker] = [browse(), browse()]
      await signIn(owner)
      const { user } = (await owner.json('/session')) as { user: { id: string } }
      const [listed] = await auth.sessions.list(user.id)
      const id = listed?.id as string
      for (const value of [id, `${id.slice(0, 9)}\u00ad${id.slice(9)}`, id.replace(/a/i, 'á')]) {
        attacker.cookies.set(cookie, value)
        const held = toCookieHeader(attacker)
        // Headers hold bytes: browsers send such values in UTF-8.
        const headers = { cookie: Buffer.from(held).toString('latin1') }
        expect(await attacker.json('/session', { headers })).toEqual({})
      }
      expect(await owner.json('/session')).toHaveProperty('user')
    }
  })

  test('the option token maps what the row says, or ignores it', async () => {
    const { storage, token } = await setUp()
    const seen: unknown[] = []
    const serveWith = (role: string | undefined) =>
      serve({
        storage,
        session: {
          strategy: 'cookie',
          importFrom: [
            importer({
              strategy: 'database',
              token(claims) {
                seen.push(claims)
                return role === undefined ? undefined : { ...claims, sub: 'u1', role }
              },
            }),
          ],
        },
      })
    const [ignored, mapped] = [serveWith(undefined), serveWith('admin')]
    const [first, second] = [ignored.browse(), mapped.browse()]
    first.cookies.set(cookie, token)
    second.cookies.set(cookie, token)
    expect(await first.json('/session')).toEqual({})
    await second.json('/session')
    expect(await mapped.auth.getToken(createPageRequest(second))).toMatchObject({ role: 'admin' })
    expect(seen[0]).toEqual({
      sub: 'u1',
      name: 'Ada',
      email: null,
      email_verified: false,
      picture: null,
    })
  })

  test('each strategy ignores the cookies of the other', async () => {
    const { storage, token, importFrom } = await setUp()
    const encrypted = [importer({ secret: nextAuthSecret })]
    for (const [value, fitting, other] of [
      [token, importFrom, encrypted],
      [await encode(), encrypted, importFrom],
    ] as const) {
      const [browser, stranger] = [fitting, other].map((list) =>
        serve({ storage, session: { importFrom: list } }).browse(),
      ) as [Browser, Browser]
      stranger.cookies.set(cookie, value)
      browser.cookies.set(cookie, value)
      expect(await stranger.json('/session')).toEqual({})
      expect(await browser.json('/session')).toMatchObject({ user: { id: 'u1' } })
    }
  })

  test.each<[string, object, string]>([
    ['without a secret', {}, 'secret'],
    ['with the strategy jwt and no secret', { strategy: 'jwt' }, 'secret'],
    ['with an empty list of secrets', { secret: [] }, 'secret'],
    ['with an empty secret', { secret: '' }, 'secret'],
    ['with an empty secret in a list', { secret: ['x', ''] }, 'secret'],
    ['with a secret that is not a text', { secret: ['x', 5] }, 'secret'],
    ['with an unknown strategy', { secret: 'x', strategy: 'db' }, 'strategy'],
    ['with an unknown option', { secret: 'x', stratgey: 'database' }, 'stratgey'],
    [
      'with issuedBefore for database sessions',
      { strategy: 'database', issuedBefore: new Date() },
      'issuedBefore',
    ],
  ])('%s it is refused at start-up', (_, options, option) => {
    expect(importer({ secret: 'x', strategy: 'jwt' })).toHaveProperty('read')
    expect(() => importer(options as never)).toThrow(
      expect.objectContaining({
        name: 'ConfigurationError',
        option: `session.importFrom.${option}`,
      }),
    )
  })
})

test('a cookie of Auth.js v5 without an expiry is ignored (I-45)', async () => {
  const importFrom = [authJs({ secret: nextAuthSecret, until: inAYear })]
  const { browse } = serve({ session: { importFrom } })
  const info = `Auth.js Generated Encryption Key (${v5Cookie})`
  const key = new Uint8Array(hkdfSync('sha256', nextAuthSecret, v5Cookie, info, 64))
  const token = (): EncryptJWT =>
    new EncryptJWT({ sub: 'u1' })
      .setProtectedHeader({ alg: 'dir', enc: 'A256CBC-HS512' })
      .setIssuedAt()
  const [complete, endless] = [browse(), browse()]
  complete.cookies.set(v5Cookie, await token().setExpirationTime('1h').encrypt(key))
  endless.cookies.set(v5Cookie, await token().encrypt(key))
  expect(await complete.json('/session')).toMatchObject({ user: { id: 'u1' } })
  expect(await endless.json('/session')).toEqual({})
})

test('a token that next-auth 4.24 made in November 2026 is read', async () => {
  const { browse } = serve({
    session: {
      importFrom: [nextAuthV4({ secret: 'rig-secret-for-recording-only', until: inAYear })],
    },
    runtime: { now: () => 1_795_234_900_000 },
    providers: [passport()],
  })
  const browser = browse()
  browser.cookies.set(v4Cookie, recorded)
  expect(await browser.json('/session')).toMatchObject({
    user: { id: 'u1', name: 'Ada', email: 'ada@example.test' },
  })
})

/** Signs out with the CSRF token of a refused POST, which imports nothing. */
async function signOutByPost(browser: Browser): Promise<Response> {
  const page = await (await browser.post('/signout', {})).text()
  const [, csrfToken = ''] = /name="csrfToken" value="([^"]+)"/.exec(page) ?? []
  return browser.post('/signout', { csrfToken })
}

async function createStorageWithAda(): Promise<Storage> {
  const storage = memoryStorage()
  await storage.createUser(ada)
  return storage
}

/** Creates a storage with Ada that stores no revocations until `setDown(false)`. */
async function createStorageWithoutRevocations(): Promise<{
  readonly storage: Storage
  readonly setDown: (isDown: boolean) => void
}> {
  const storage = await createStorageWithAda()
  let isDown = true
  const createRevocation: Storage['createRevocation'] = (revocation) =>
    isDown ? Promise.reject(new Error('down')) : storage.createRevocation(revocation)
  return { storage: { ...storage, createRevocation }, setDown: (next) => void (isDown = next) }
}

/** Delays methods of a storage, so that what does not wait for them is seen. */
function delay<Name extends keyof Storage>(
  storage: Storage,
  ...names: Name[]
): Pick<Storage, Name> {
  const methods = names.map((name) => [
    name,
    async (...args: never[]) => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      return (storage[name] as (...args: never[]) => unknown)(...args)
    },
  ])
  return Object.fromEntries(methods) as Pick<Storage, Name>
}

/** Sets a bit of the last character that decoders of base64url ignore. */
function setUnusedBit(value: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return value.slice(0, -1) + alphabet.charAt(alphabet.indexOf(value.slice(-1)) + 1)
}

/** Creates a v4 cookie issued at another time, or without one; next-auth always writes the current time. */
async function encodeAt(iat: number | undefined, expires = (iat ?? 0) + 3600): Promise<string> {
  const key = hkdfSync('sha256', nextAuthSecret, '', 'NextAuth.js Generated Encryption Key', 32)
  return new EncryptJWT({ sub: 'u1', name: 'Ada', ...(iat !== undefined && { iat }) })
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .setExpirationTime(expires)
    .encrypt(new Uint8Array(key))
}

/** `{ sub: 'u1', name: 'Ada', email: 'ada@example.test' }`, valid for about a hundred years. */
const recorded = [
  'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0',
  '',
  'Y6YneUIPG4fkRTVI',
  'bVpvuZX1Bbu9ftVrEnX5vXLMP0p_Q8Xq43G6bD6jvR5GNJnnme7Ld2lu4hboUEwoA_2Kh6rRS5nyKNbEZ8Fgs4RKxmF9UbP2Fc9FKW_o-C_v_NGPTDEhLbLfo0GO6oslf8gDoP_-YLkW4c4LAIQSoGhiyZQjZJ9f8TAHveGHIy-x3iUZOyTN8Ndya36Ypg1qCDw',
  'CMNiN5OzymG0YV-nJSecwQ',
].join('.')
