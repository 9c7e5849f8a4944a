import { memoryStorage } from '@latchkey/core/memory'
import type { AuthConfig, Identity, Storage, StoredSession } from '@latchkey/core'
import type { Browser } from '@latchkey/testing/browser'
import { describe, expect, test } from 'vitest'
import { wrapMethods } from '@latchkey/test-support/wrap-methods'
import {
  beginSignIn,
  createPageRequest,
  getRedirect,
  getUser,
  passport,
  serve,
  signIn,
  signInWith,
  toCallbackUrl,
} from './support/service.ts'

const DAY = 86_400
const cookieName = '__Host-latchkey.session'

/** Creates a storage in memory that records which methods are called. */
function createRecordingStorage(): { storage: Storage; calls: string[] } {
  const calls: string[] = []
  const storage = wrapMethods(memoryStorage(), (method, name) => (...args) => {
    calls.push(name)
    return method(...args)
  })
  return { storage, calls }
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
    const [line] = response.headers.getSetCookie().filter((each) => each.startsWith(cookieName))
    expect(line).toMatch(/=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    expect(kept).toHaveLength(1)
    expect(kept[0]).not.toContain(browser.cookies.get(cookieName) as string)
  })

  test.for([
    ['in the storage', {}],
    ['in the cookie and revocable', { strategy: 'cookie', revocable: true }],
  ] as const)('%s remembers its account and the provider’s session (I-48)', async ([, session]) => {
    const sids: Record<string, unknown> = { alice: 'sid 1', bob: 'a\0b', carol: 7, dora: 'sid 1' }
    const identify = (subject: string): Partial<Identity> => ({
      claims: { sub: subject, sid: sids[subject] },
    })
    const providers = [
      passport({ type: 'oidc', identify }),
      passport({ id: 'licence', type: 'oauth', identify }),
    ]
    const storage = memoryStorage()
    const { browse } = serve({ storage, providers, session })
    const enter = async (provider: string, subject: string): Promise<Browser> => {
      const browser = browse()
      await signInWith(browser, provider, subject)
      return browser
    }
    const alice = await enter('passport', 'alice')
    const other = await enter('licence', 'dora')
    const bySid = { provider: 'passport', sid: 'sid 1' }
    expect(await storage.deleteAccountSessions({ ...bySid, provider: 'licence' })).toEqual([])
    expect(await storage.deleteAccountSessions(bySid)).toHaveLength(1)
    expect(await alice.json('/session')).toEqual({})
    for (const providerAccountId of ['bob', 'carol']) {
      const browser = await enter('passport', providerAccountId)
      expect(await browser.json('/session')).toHaveProperty('user')
      const account = { provider: 'passport', providerAccountId }
      expect(await storage.deleteAccountSessions({ ...account, sid: 'a\0b' })).toEqual([])
      expect(await storage.deleteAccountSessions(account)).toHaveLength(1)
      expect(await browser.json('/session')).toEqual({})
    }
    expect(await other.json('/session')).toHaveProperty('user')
  })

  test('shows the user as currently stored', async () => {
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
        emailVerified: true,
        image: null,
      },
      expires: expect.any(String),
    })
    const { id } = await getUser(browser)
    await storage.updateUser(id, { name: 'Alice Renamed', emailVerified: false })
    const renamed = { name: 'Alice Renamed', emailVerified: false }
    expect(await browser.json('/session')).toMatchObject({ user: renamed })
    await storage.updateUser(id, { email: 'new@example.com', emailVerified: true })
    const verified = { email: 'new@example.com', emailVerified: true }
    expect(await browser.json('/session')).toMatchObject({ user: verified })
  })

  test('is read with one query', async () => {
    const { storage, calls } = createRecordingStorage()
    const { browse } = serve({ storage })
    const browser = browse()
    await signIn(browser)
    calls.length = 0
    await browser.json('/session')
    expect(calls).toEqual(['getSessionAndUser'])
  })

  test('is new at every sign-in, and the previous one ends', async () => {
    const { browse } = serve({ storage: memoryStorage() })
    const [browser, thief] = [browse(), browse()]
    await signIn(browser)
    const previous = browser.cookies.get(cookieName) as string
    await signIn(browser)
    expect(browser.cookies.get(cookieName)).not.toBe(previous)
    thief.cookies.set(cookieName, previous)
    expect(await thief.json('/session')).toEqual({})
  })

  test('a cookie without a session stays; only a well-formed token is looked up', async () => {
    const { storage, calls } = createRecordingStorage()
    const browser = serve({ storage }).browse()
    for (const garbage of ['garbage', 'a'.repeat(43), '']) {
      browser.cookies.set(cookieName, garbage)
      expect(await browser.json('/session')).toEqual({})
      expect(browser.cookies.get(cookieName)).toBe(garbage)
    }
    expect(calls).toEqual(['getSessionAndUser'])
  })

  test('ends with its user', async () => {
    const storage = memoryStorage()
    const browser = serve({ storage }).browse()
    await signIn(browser)
    await storage.deleteUser((await getUser(browser)).id)
    expect(await browser.json('/session')).toEqual({})
  })
})

describe('idle and absolute limits (I-35)', () => {
  test('a session is renewed once a day, not at each read', async () => {
    const { storage, calls } = createRecordingStorage()
    const { browse, wait } = serve({ storage })
    const browser = browse()
    await signIn(browser)
    const renewals = async (): Promise<number> => {
      await browser.json('/session')
      return calls.filter((name) => name === 'updateSession').length
    }
    expect(await renewals()).toBe(0)
    wait(DAY)
    expect(await renewals()).toBe(1)
    expect(await renewals()).toBe(1)
    wait(29.5 * DAY)
    expect(await renewals()).toBe(2)
    expect(await browser.json('/session')).toHaveProperty('user')
  })

  test('ends after maxAge without use', async () => {
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

  test('a lower maxAge applies to existing sessions', async () => {
    const storage = memoryStorage()
    const other = serve({ storage }).browse()
    await signIn(other)
    const { browse, wait } = serve({ storage, session: { maxAge: DAY } })
    const browser = browse()
    browser.cookies.set(cookieName, other.cookies.get(cookieName) as string)
    expect(await browser.json('/session')).toHaveProperty('user')
    wait(DAY + 1)
    expect(await browser.json('/session')).toEqual({})
  })
})

describe('over a storage that keeps only when a session expires (I-35)', () => {
  const setUp = () => {
    const memory = memoryStorage()
    const renewals: number[] = []
    const storage: Storage = {
      ...memory,
      capabilities: ['sessions', 'increment'],
      async getSessionAndUser(id, at) {
        const found = await memory.getSessionAndUser(id, at)
        return found && { ...found, session: { ...found.session, createdAt: 0, renewedAt: 0 } }
      },
      updateSession(id, changes) {
        renewals.push(changes.expires)
        return memory.updateSession(id, changes)
      },
    }
    return { storage, renewals }
  }

  test('a session is renewed when it was renewed updateAge ago, and not before', async () => {
    const { storage, renewals } = setUp()
    const { browse, wait } = serve({ storage })
    const browser = browse()
    await signIn(browser)
    for (const seconds of [0, DAY - 1]) {
      wait(seconds)
      expect(await browser.json('/session')).toHaveProperty('user')
    }
    expect(renewals).toEqual([])
    wait(1)
    expect(await browser.json('/session')).toHaveProperty('user')
    expect(renewals).toHaveLength(1)
    expect(await browser.json('/session')).toHaveProperty('user')
    expect(renewals).toHaveLength(1)
  })

  test('a lower maxAge makes a renewal due', async () => {
    const { storage, renewals } = setUp()
    const now = Date.now()
    const runtime = { now: () => now }
    const [browser, other] = [
      serve({ storage, runtime }).browse(),
      serve({ storage, runtime, session: { maxAge: DAY } }).browse(),
    ]
    await signIn(browser)
    other.cookies.set(cookieName, browser.cookies.get(cookieName) as string)
    for (let reads = 0; reads < 2; reads++) {
      expect(await other.json('/session')).toHaveProperty('user')
      expect(renewals).toEqual([Math.floor(now / 1000) + DAY])
    }
  })
})

describe.for(['storage', 'cookie'] as const)('the callbacks, strategy %s', (strategy) => {
  test('callbacks.session receives what callbacks.jwt and session.update returned', async () => {
    const { browse, wait } = serve({
      storage: memoryStorage(),
      session: { strategy, update: ({ token, data }) => ({ ...token, data }) },
      callbacks: {
        jwt: ({ trigger, token }) => ({ ...token, made: trigger, data: undefined as unknown }),
        session: ({ session, token }) => ({ ...session, made: token.made, data: token.data }),
      },
    })
    const browser = browse()
    await signIn(browser)
    expect(await browser.json('/session')).toMatchObject({ made: 'signUp' })
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
    const other = browse()
    await signIn(other)
    expect(await other.json('/session')).toMatchObject({ made: 'signIn' })
  })
})

describe('sign-out (I-37)', () => {
  test('removes the row and the cookie, and is idempotent', async () => {
    const { browse } = serve({ storage: memoryStorage() })
    const [browser, copy] = [browse(), browse()]
    await signIn(browser)
    copy.cookies.set(cookieName, browser.cookies.get(cookieName) as string)
    expect((await browser.submit('/signout')).status).toBe(302)
    expect(browser.cookies.has(cookieName)).toBe(false)
    expect(await copy.json('/session')).toEqual({})
    expect((await browser.submit('/signout')).status).toBe(302)
  })
})

describe('while the storage is down (I-36)', () => {
  test('GET /session is 503 and keeps the cookie; afterwards the session is found again', async () => {
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
    const sessions = await auth.sessions.list((await getUser(laptop)).id)
    expect(sessions).toHaveLength(2)
    // The time continues while the users sign in.
    expect(sessions[0]?.createdAt).toBeGreaterThanOrEqual((sessions[1]?.createdAt as number) + 60)
    const { id } = await auth.getSession(createPageRequest(phone))
    expect(id).toBe(sessions[0]?.id)
  })

  test('says which session is the one of a request, without renewing it', async () => {
    const { auth, browse, wait } = setUp()
    const [laptop, phone] = [browse(), browse()]
    await signIn(laptop)
    wait(60)
    await signIn(phone)
    const userId = (await getUser(laptop)).id
    const list = async (browser: Browser | undefined): Promise<readonly boolean[]> => {
      const request = browser && createPageRequest(browser)
      return (await auth.sessions.list(userId, request)).map(({ isCurrent }) => isCurrent)
    }
    expect(await list(phone)).toEqual([true, false])
    expect(await list(laptop)).toEqual([false, true])
    expect(await list(undefined)).toEqual([false, false])
    expect(await list(browse())).toEqual([false, false])
    const before = await auth.sessions.list(userId)
    wait(86_500)
    await list(phone)
    expect(await auth.sessions.list(userId)).toEqual(before)
  })

  test('stores the User-Agent of the browser, truncated', async () => {
    const { auth, browse } = setUp()
    const browser = browse()
    const url = toCallbackUrl(await beginSignIn(browser), 'alice')
    await browser.visit(url, { headers: { 'user-agent': `Mozilla/5.0 ${'x'.repeat(500)}` } })
    const [session] = await auth.sessions.list((await getUser(browser)).id)
    expect(session?.userAgent).toMatch(/^Mozilla\/5\.0 x+$/)
    expect(session?.userAgent).toHaveLength(255)
  })

  test('revoke ends one session, only of the given user', async () => {
    const { auth, browse } = setUp()
    const [alice, bob] = [browse(), browse()]
    await signIn(alice, 'alice')
    await signIn(bob, 'bob')
    const [session] = await auth.sessions.list((await getUser(alice)).id)
    const id = session?.id as string
    expect(await auth.sessions.revoke((await getUser(bob)).id, id)).toBe(false)
    expect(await alice.json('/session')).toHaveProperty('user')
    expect(await auth.sessions.revoke((await getUser(alice)).id, id)).toBe(true)
    expect(await alice.json('/session')).toEqual({})
    expect(await bob.json('/session')).toHaveProperty('user')
  })

  test('revokeAll ends all sessions, except one on request', async () => {
    const { auth, browse } = setUp()
    const [laptop, phone] = [browse(), browse()]
    await signIn(laptop)
    await signIn(phone)
    const userId = (await getUser(phone)).id
    const { id } = await auth.getSession(createPageRequest(phone))
    await auth.sessions.revokeAll(userId, { except: id as string })
    expect(await laptop.json('/session')).toEqual({})
    expect(await phone.json('/session')).toHaveProperty('user')
    await auth.sessions.revokeAll(userId)
    expect(await phone.json('/session')).toEqual({})
  })

  test('a session that is revoked during a renewal stays ended', async () => {
    const storage = memoryStorage()
    const { auth, browse, wait } = serve({
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
    expect(await auth.getToken(createPageRequest(browser))).toBeNull()
  })

  test('sign-out also ends the session in a copy of the cookie', async () => {
    const { browse } = setUp()
    const [browser, copy] = [browse(), browse()]
    await signIn(browser)
    copy.cookies.set(cookieName, browser.cookies.get(cookieName) as string)
    await browser.submit('/signout')
    expect(await copy.json('/session')).toEqual({})
  })
})

describe('the user of a session', () => {
  const updates: [string, NonNullable<NonNullable<AuthConfig['session']>['update']>][] = [
    ['returns another token', ({ token, data }) => ({ ...token, ...(data as object) })],
    ['changes the token in place', ({ token, data }) => Object.assign(token, data)],
  ]
  describe.for(['storage', 'cookie'] as const)(
    'cannot be changed by a client, strategy %s,',
    (strategy) => {
      test.for(updates)('if session.update %s', async ([, update]) => {
        const { browse } = serve({ storage: memoryStorage(), session: { strategy, update } })
        const browser = browse()
        await signIn(browser)
        const id = (await getUser(browser)).id
        const csrfToken = await browser.csrfToken()
        const body = JSON.stringify({ csrfToken, data: { sub: 'victim' } })
        const headers = { 'content-type': 'application/json' }
        await browser.visit('/session', { method: 'POST', headers, body })
        expect((await getUser(browser)).id).toBe(id)
      })
    },
  )

  test('is the user of the row, whatever the data of the row says', async () => {
    const storage = memoryStorage()
    const { auth, browse } = serve({ storage, callbacks: { jwt: ({ token }) => ({ ...token }) } })
    const browser = browse()
    await signIn(browser)
    const { id } = await getUser(browser)
    const [row] = await storage.listSessions(id, 0)
    const { token } = JSON.parse(row?.data ?? '') as { token: object }
    expect(token).toMatchObject({ sub: id })
    const data = JSON.stringify({ token: { ...token, sub: 'victim', name: 'Renamed' } })
    expect(await storage.updateSession(row?.id ?? '', { ...(row as StoredSession), data })).toBe(
      true,
    )
    expect(await auth.getToken(createPageRequest(browser))).toMatchObject({
      sub: id,
      name: 'Renamed',
    })
  })

  test('is the user of the row, whatever user callbacks.jwt received before', async () => {
    const storage = memoryStorage()
    const seen: unknown[] = []
    const { browse } = serve({
      storage: {
        ...storage,
        createUser: (user, account, session) =>
          storage.createUser({ ...user, id: 'db-1' }, account, session),
      },
      callbacks: {
        jwt(args) {
          if (args.trigger !== 'renew') seen.push([args.trigger, args.user.id, args.user.name])
          return { ...args.token, seen: true }
        },
      },
    })
    const browser = browse()
    await signIn(browser)
    expect((await getUser(browser)).id).toBe('db-1')
    expect(seen).toEqual([
      ['signUp', expect.not.stringContaining('db-1'), 'Person alice'],
      ['signUp', 'db-1', 'Person alice'],
    ])
  })

  test.for(['not json', 'null', '"text"', '[]', ''])(
    'is found although the stored data is %j',
    async (data) => {
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
      const id = (await getUser(browser)).id
      expect(await auth.sessions.list(id)).toHaveLength(1)
    },
  )
})

describe('the strategy cookie with a storage', () => {
  test('does not renew the session of a deleted user', async () => {
    const storage = memoryStorage()
    const { auth, browse, wait } = serve({ storage, session: { strategy: 'cookie' } })
    const browser = browse()
    await signIn(browser)
    await storage.deleteUser((await getUser(browser)).id)
    expect(await browser.json('/session')).toHaveProperty('user')
    wait(DAY)
    expect(await browser.json('/session')).toEqual({})
    // It has ended in this browser, also for reads that do not renew it.
    expect(await auth.getToken(createPageRequest(browser))).toBeNull()
  })

  test('does not update the session of a deleted user', async () => {
    const storage = memoryStorage()
    const { auth, browse } = serve({
      storage,
      session: { strategy: 'cookie', update: ({ token }) => token },
    })
    const browser = browse()
    await signIn(browser)
    const update = async (): Promise<unknown> => (await browser.submit('/session')).json()
    expect(await update()).toHaveProperty('user')
    await storage.deleteUser((await getUser(browser)).id)
    expect(await update()).toEqual({})
    expect(await auth.getToken(createPageRequest(browser))).toBeNull()
  })

  test('calls it only at sign-in', async () => {
    const { storage, calls } = createRecordingStorage()
    const { browse } = serve({ storage, session: { strategy: 'cookie' } })
    const browser = browse()
    await signIn(browser)
    expect(calls).toEqual(['increment', 'getUserByAccount', 'getUserByEmail', 'createUser'])
    await browser.json('/session')
    expect(calls).toHaveLength(4)
  })

  test('has the id of the stored user', async () => {
    const storage = memoryStorage()
    const browser = serve({ storage, session: { strategy: 'cookie' } }).browse()
    await signIn(browser)
    const id = (await getUser(browser)).id
    expect(await storage.getUser(id)).toMatchObject({ email: 'alice@example.com' })
  })

  test('uses the user id that the storage assigns', async () => {
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
    expect((await getUser(browser)).id).toBe('user-1')
  })
})

describe('two tabs', () => {
  test('the callback of the second tab is accepted after the first has signed in (I-16)', async () => {
    const browser = serve({ storage: memoryStorage() }).browse()
    const redirects = [await beginSignIn(browser), await beginSignIn(browser)]
    for (const redirect of redirects) {
      const response = await browser.visit(toCallbackUrl(redirect, 'alice'))
      expect(getRedirect(response).error).toBeNull()
    }
    expect(await browser.json('/session')).toHaveProperty('user')
  })
})
