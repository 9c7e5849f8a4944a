import { memoryStorage } from '@latchkey/core/memory'
import type { Storage } from '@latchkey/core'
import { describe, expect, test } from 'vitest'
import { origin, getRedirect, serve, signIn } from './support/service.ts'

const DAY = 86_400
const cookie = '__Host-latchkey.session'

/** A storage that counts how often each verb is called. */
function counted(storage: Storage = memoryStorage()): { storage: Storage; calls: string[] } {
  const calls: string[] = []
  const verbs = Object.entries(storage).map(([verb, work]) => [
    verb,
    (...args: never[]) => {
      calls.push(verb)
      return (work as (...args: never[]) => unknown)(...args)
    },
  ])
  return { storage: Object.fromEntries(verbs) as Storage, calls }
}

async function userIdOf(browser: {
  json: (path: string) => Promise<Record<string, unknown>>
}): Promise<string> {
  const { user } = (await browser.json('/session')) as { user?: { id: string } }
  if (!user) throw new Error('nobody is signed in')
  return user.id
}

describe('a session in the storage (I-34)', () => {
  test('is a token of 32 bytes in the cookie, and only its hash is stored', async () => {
    const kept: string[] = []
    const storage = memoryStorage()
    const { browse } = serve({
      storage: {
        ...storage,
        createUser: (user, account, session) => {
          kept.push(JSON.stringify(session))
          return storage.createUser(user, account, session)
        },
      },
    })
    const browser = browse()
    const response = await signIn(browser)
    const [line] = response.headers.getSetCookie().filter((each) => each.startsWith(cookie))
    expect(line).toMatch(/=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    expect(kept).toHaveLength(1)
    expect(kept[0]).not.toContain(browser.cookies.get(cookie) as string)
  })

  test('shows the user as stored at that moment', async () => {
    const storage = memoryStorage()
    const { browse } = serve({ storage })
    const browser = browse()
    await signIn(browser)
    const session = await browser.json('/session')
    expect(session).toEqual({
      user: {
        id: expect.stringMatching(
          /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/,
        ),
        name: 'Person alice',
        email: 'alice@example.com',
        image: null,
      },
      expires: expect.any(String),
    })
    await storage.updateUser(await userIdOf(browser), { name: 'Alice Renamed' })
    expect(await browser.json('/session')).toMatchObject({ user: { name: 'Alice Renamed' } })
  })

  test('is read with one query', async () => {
    const { storage, calls } = counted()
    const { browse } = serve({ storage })
    const browser = browse()
    await signIn(browser)
    calls.length = 0
    await browser.json('/session')
    expect(calls).toEqual(['getSessionAndUser'])
  })

  test('is new at every sign-in, and the former one has ended', async () => {
    const { browse } = serve({ storage: memoryStorage() })
    const [browser, thief] = [browse(), browse()]
    await signIn(browser)
    const former = browser.cookies.get(cookie) as string
    await signIn(browser)
    expect(browser.cookies.get(cookie)).not.toBe(former)
    thief.cookies.set(cookie, former)
    expect(await thief.json('/session')).toEqual({})
    expect(thief.cookies.has(cookie)).toBe(false)
  })

  test('a cookie that names no session is deleted, and none of its kind is looked up', async () => {
    const { storage, calls } = counted()
    const browser = serve({ storage }).browse()
    for (const garbage of ['garbage', 'a'.repeat(43), '']) {
      browser.cookies.set(cookie, garbage)
      expect(await browser.json('/session')).toEqual({})
      expect(browser.cookies.has(cookie)).toBe(false)
    }
    expect(calls).toEqual(['getSessionAndUser'])
  })

  test('ends with its user', async () => {
    const storage = memoryStorage()
    const browser = serve({ storage }).browse()
    await signIn(browser)
    await storage.deleteUser(await userIdOf(browser))
    expect(await browser.json('/session')).toEqual({})
  })
})

describe('idle and absolute limits (I-35)', () => {
  test('a session is renewed once a day, not at each read', async () => {
    const { storage, calls } = counted()
    const { browse, wait } = serve({ storage })
    const browser = browse()
    await signIn(browser)
    const renewals = async (): Promise<number> => {
      await browser.json('/session')
      return calls.filter((verb) => verb === 'updateSession').length
    }
    expect(await renewals()).toBe(0)
    wait(DAY)
    expect(await renewals()).toBe(1)
    expect(await renewals()).toBe(1)
    wait(29.5 * DAY)
    expect(await renewals()).toBe(2)
    expect(await browser.json('/session')).toHaveProperty('user')
  })

  test('ends when nobody uses it', async () => {
    const { browse, wait } = serve({ storage: memoryStorage() })
    const browser = browse()
    await signIn(browser)
    wait(30 * DAY)
    expect(await browser.json('/session')).toEqual({})
  })

  test('ends after absoluteMaxAge even in use', async () => {
    const { browse, wait } = serve({
      storage: memoryStorage(),
      session: { absoluteMaxAge: 3 * DAY },
    })
    const browser = browse()
    await signIn(browser)
    for (const days of [1, 1]) {
      wait(days * DAY)
      expect(await browser.json('/session')).toHaveProperty('user')
    }
    wait(DAY)
    expect(await browser.json('/session')).toEqual({})
  })

  test('the limits of today hold for sessions of yesterday', async () => {
    const storage = memoryStorage()
    const before = serve({ storage }).browse()
    await signIn(before)
    const { browse, wait } = serve({ storage, session: { maxAge: DAY } })
    const browser = browse()
    browser.cookies.set(cookie, before.cookies.get(cookie) as string)
    expect(await browser.json('/session')).toHaveProperty('user')
    wait(DAY + 1)
    expect(await browser.json('/session')).toEqual({})
  })
})

describe.for(['storage', 'cookie'] as const)(
  'what the application decides, strategy %s',
  (strategy) => {
    test('callbacks.jwt is kept, callbacks.session sees it', async () => {
      const { browse, wait } = serve({
        storage: memoryStorage(),
        session: { strategy, update: ({ token, data }) => ({ ...token, data }) },
        callbacks: {
          jwt: ({ trigger, token }) => ({ ...token, made: trigger }),
          session: ({ session, token }) => ({
            ...session,
            made: token['made'],
            data: token['data'],
          }),
        },
      })
      const browser = browse()
      await signIn(browser)
      expect(await browser.json('/session')).toMatchObject({ made: 'signIn' })
      wait(DAY)
      expect(await browser.json('/session')).toMatchObject({ made: 'renew' })
      const csrfToken = await browser.csrfToken()
      const updated = await browser.visit('/session', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ csrfToken, data: { theme: 'dark' } }),
      })
      expect(await updated.json()).toMatchObject({ data: { theme: 'dark' } })
      expect(await browser.json('/session')).toMatchObject({ data: { theme: 'dark' } })
    })
  },
)

describe('sign-out (I-37)', () => {
  test('removes the row and the cookie; a second time is harmless', async () => {
    const { browse } = serve({ storage: memoryStorage() })
    const [browser, copy] = [browse(), browse()]
    await signIn(browser)
    copy.cookies.set(cookie, browser.cookies.get(cookie) as string)
    expect((await browser.submit('/signout')).status).toBe(302)
    expect(browser.cookies.has(cookie)).toBe(false)
    expect(await copy.json('/session')).toEqual({})
    expect((await browser.submit('/signout')).status).toBe(302)
  })

  test('with the storage down is refused, and the person stays signed in', async () => {
    const storage = memoryStorage()
    let isDown = false
    const { browse } = serve({
      storage: {
        ...storage,
        deleteSession: (id) =>
          isDown ? Promise.reject(new Error('down')) : storage.deleteSession(id),
      },
    })
    const browser = browse()
    await signIn(browser)
    isDown = true
    expect((await browser.submit('/signout')).status).toBe(503)
    expect(await browser.json('/session')).toHaveProperty('user')
  })
})

describe('the storage down (I-36)', () => {
  test('GET /session is 503 and keeps the cookie; then the session is there again', async () => {
    const storage = memoryStorage()
    let isDown = false
    const { browse, lines } = serve({
      storage: {
        ...storage,
        getSessionAndUser: (id, now) =>
          isDown
            ? Promise.reject(new Error('no route to host'))
            : storage.getSessionAndUser(id, now),
      },
    })
    const browser = browse()
    await signIn(browser)
    isDown = true
    const response = await browser.visit('/session')
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ error: 'Unavailable' })
    expect(response.headers.getSetCookie()).toEqual([])
    expect(lines.at(-1)).toMatchObject({
      level: 'error',
      message: 'storage.getSessionAndUser failed',
      details: { causes: ['Error: no route to host'] },
    })
    isDown = false
    expect(await browser.json('/session')).toHaveProperty('user')
  })
})

describe.for([
  ['storage', {}],
  ['cookie', { revocable: true }],
] as const)('auth.sessions, strategy %s', ([strategy, options]) => {
  const setUp = () => serve({ storage: memoryStorage(), session: { strategy, ...options } })

  test('lists a user’s sessions with their browsers, newest first', async () => {
    const { auth, browse, wait } = setUp()
    const [laptop, phone] = [browse(), browse()]
    await signIn(laptop)
    wait(60)
    await signIn(phone)
    const sessions = await auth.sessions.list(await userIdOf(laptop))
    expect(sessions).toHaveLength(2)
    expect(sessions[0]?.createdAt).toBe((sessions[1]?.createdAt as number) + 60)
    const { id } = await auth.getSession(requestOf(phone))
    expect(id).toBe(sessions[0]?.id)
  })

  test('keeps what the browser said it was', async () => {
    const { auth, browse } = setUp()
    const browser = browse()
    const away = await browser.submit('/signin/passport')
    const url = new URL(away.headers.get('location') as string)
    const back = `${url.searchParams.get('redirect_uri') as string}?code=alice&state=${url.searchParams.get('state') as string}`
    await browser.visit(back, { headers: { 'user-agent': `Mozilla/5.0 ${'x'.repeat(500)}` } })
    const [session] = await auth.sessions.list(await userIdOf(browser))
    expect(session?.userAgent).toMatch(/^Mozilla\/5\.0 x+$/)
    expect(session?.userAgent).toHaveLength(255)
  })

  test('revoke ends one session, of its user alone', async () => {
    const { auth, browse } = setUp()
    const [alice, bob] = [browse(), browse()]
    await signIn(alice, 'alice')
    await signIn(bob, 'bob')
    const [session] = await auth.sessions.list(await userIdOf(alice))
    const id = session?.id as string
    expect(await auth.sessions.revoke(await userIdOf(bob), id)).toBe(false)
    expect(await alice.json('/session')).toHaveProperty('user')
    expect(await auth.sessions.revoke(await userIdOf(alice), id)).toBe(true)
    expect(await alice.json('/session')).toEqual({})
    expect(alice.cookies.has(cookie)).toBe(false)
    expect(await bob.json('/session')).toHaveProperty('user')
  })

  test('revokeAll ends all, but one where asked to', async () => {
    const { auth, browse } = setUp()
    const [laptop, phone] = [browse(), browse()]
    await signIn(laptop)
    await signIn(phone)
    const userId = await userIdOf(phone)
    const { id } = await auth.getSession(requestOf(phone))
    await auth.sessions.revokeAll(userId, { except: id as string })
    expect(await laptop.json('/session')).toEqual({})
    expect(await phone.json('/session')).toHaveProperty('user')
    await auth.sessions.revokeAll(userId)
    expect(await phone.json('/session')).toEqual({})
  })

  test('a session that is revoked while it is renewed stays ended', async () => {
    const storage = memoryStorage()
    const { browse, wait } = serve({
      storage: {
        ...storage,
        async updateSession(id, changes) {
          await storage.deleteSession(id)
          return storage.updateSession(id, changes)
        },
      },
      session: { strategy, ...options },
    })
    const browser = browse()
    await signIn(browser)
    wait(DAY)
    expect(await browser.json('/session')).toEqual({})
    expect(browser.cookies.has(cookie)).toBe(false)
  })

  test('sign-out ends a copy of the cookie too', async () => {
    const { browse } = setUp()
    const [browser, copy] = [browse(), browse()]
    await signIn(browser)
    copy.cookies.set(cookie, browser.cookies.get(cookie) as string)
    await browser.submit('/signout')
    expect(await copy.json('/session')).toEqual({})
  })
})

describe('whose a session is', () => {
  test.for(['storage', 'cookie'] as const)('no client changes, strategy %s', async (strategy) => {
    const { browse } = serve({
      storage: memoryStorage(),
      session: { strategy, update: ({ token, data }) => ({ ...token, ...(data as object) }) },
    })
    const browser = browse()
    await signIn(browser)
    const id = await userIdOf(browser)
    const body = JSON.stringify({ csrfToken: await browser.csrfToken(), data: { sub: 'victim' } })
    const headers = { 'content-type': 'application/json' }
    await browser.visit('/session', { method: 'POST', headers, body })
    expect(await userIdOf(browser)).toBe(id)
  })

  test('its row says, whatever callbacks.jwt was told before the user was stored', async () => {
    const storage = memoryStorage()
    const { browse } = serve({
      storage: {
        ...storage,
        createUser: (user, account, session) =>
          storage.createUser({ ...user, id: 'db-1' }, account, session),
      },
      callbacks: { jwt: ({ token }) => ({ ...token, seen: true }) },
    })
    const browser = browse()
    await signIn(browser)
    expect(await userIdOf(browser)).toBe('db-1')
  })

  test.for(['not json', 'null', '"text"', '[]', ''])('data %j harms no session', async (data) => {
    const storage = memoryStorage()
    const { auth, browse } = serve({
      storage: {
        ...storage,
        createUser: (user, account, session) =>
          storage.createUser(user, account, session && { ...session, data }),
      },
    })
    const browser = browse()
    await signIn(browser)
    const id = await userIdOf(browser)
    expect(await auth.sessions.list(id)).toHaveLength(1)
  })
})

describe('the strategy cookie with a storage', () => {
  test('does not renew the session of a user who is gone', async () => {
    const storage = memoryStorage()
    const { browse, wait } = serve({ storage, session: { strategy: 'cookie' } })
    const browser = browse()
    await signIn(browser)
    await storage.deleteUser(await userIdOf(browser))
    expect(await browser.json('/session')).toHaveProperty('user')
    wait(DAY)
    expect(await browser.json('/session')).toEqual({})
    expect(browser.cookies.has(cookie)).toBe(false)
  })

  test('asks it at sign-in alone', async () => {
    const { storage, calls } = counted()
    const { browse } = serve({ storage, session: { strategy: 'cookie' } })
    const browser = browse()
    await signIn(browser)
    expect(calls).toEqual(['getUserByAccount', 'getUserByEmail', 'createUser'])
    await browser.json('/session')
    expect(calls).toHaveLength(3)
  })

  test('keeps the stored user’s id', async () => {
    const storage = memoryStorage()
    const browser = serve({ storage, session: { strategy: 'cookie' } }).browse()
    await signIn(browser)
    const id = await userIdOf(browser)
    expect(await storage.getUser(id)).toMatchObject({ email: 'alice@example.com' })
  })

  test('a storage that gives users ids of its own: the session has that', async () => {
    const storage = memoryStorage()
    const browser = serve({
      storage: {
        ...storage,
        createUser: (user, account, session) =>
          storage.createUser({ ...user, id: 'user-1' }, account, session),
      },
      session: { strategy: 'cookie' },
    }).browse()
    await signIn(browser)
    expect(await userIdOf(browser)).toBe('user-1')
  })
})

describe('two tabs', () => {
  test('the second tab’s return is accepted after the first has signed in (I-16)', async () => {
    const browser = serve({ storage: memoryStorage() }).browse()
    const tabs = [
      await browser.submit('/signin/passport'),
      await browser.submit('/signin/passport'),
    ].map(({ headers }) => new URL(headers.get('location') as string))
    for (const away of tabs) {
      const back = `${origin}/api/auth/callback/passport?code=alice&state=${away.searchParams.get('state') as string}`
      expect(getRedirect(await browser.visit(back)).error).toBeNull()
    }
    expect(await browser.json('/session')).toHaveProperty('user')
  })
})

function requestOf(browser: { cookies: Map<string, string> }): Request {
  const header = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  return new Request(`${origin}/page`, { headers: { cookie: header } })
}
