import { encode as encodeV5 } from '@auth/core/jwt'
import type { AuthConfig, SessionImporter, Storage } from '@latchkey/core'
import { authJs } from '@latchkey/core/import/auth-js'
import { createImporter } from '@latchkey/core/import/importer'
import { nextAuthV4 } from '@latchkey/core/import/next-auth-v4'
import { memoryStorage } from '@latchkey/core/memory'
import type { Browser } from '@latchkey/testing/browser'
import { encode as encodeV4 } from 'next-auth/jwt'
import { describe, expect, test } from 'vitest'
import { createKeys } from '../src/crypto/seal.ts'
import { createEmailProvider } from './support/mailbox.ts'
import { slowStorage } from './support/slow-storage.ts'
import {
  beginSignIn,
  createPageRequest,
  getFlowCookies,
  origin,
  passport,
  random,
  secret,
  serve,
  signIn,
  toCallbackUrl,
} from './support/service.ts'

const nextAuthSecret = 'the NEXTAUTH_SECRET of the application'
const v4Cookie = '__Secure-next-auth.session-token'
const v5Cookie = '__Secure-authjs.session-token'
const sessionCookie = '__Host-latchkey.session'
const inAYear = new Date(Date.now() + 365 * 86_400_000)
const DAY = 86_400

const strategies = [
  ['stored', { strategy: 'storage' }],
  ['in the cookie', { strategy: 'cookie' }],
  ['in the cookie and revocable', { strategy: 'cookie', revocable: true }],
] as const
const inCookies = strategies.slice(1)

/** Creates a session cookie with next-auth v4. */
const v4 = (maxAge = 3600): Promise<string> =>
  encodeV4({ token: { sub: 'u1', name: 'Ada' }, secret: nextAuthSecret, maxAge })

/** Creates a session cookie with Auth.js v5. */
const v5 = (secretOfApplication = nextAuthSecret): Promise<string> =>
  encodeV5({ token: { sub: 'u1' }, secret: secretOfApplication, salt: v5Cookie, maxAge: 3600 })

async function createStorageWithAda(storage: Storage = memoryStorage()): Promise<Storage> {
  await storage.createUser({
    id: 'u1',
    name: 'Ada',
    email: null,
    emailVerified: false,
    image: null,
  })
  return storage
}

/** Serves the import of next-auth's JWT sessions, for a storage with the user u1. */
async function serveImport(
  over: Partial<AuthConfig> = {},
  importFrom: readonly SessionImporter[] = [nextAuthV4({ secret: nextAuthSecret })],
) {
  const storage = over.storage ?? (await createStorageWithAda())
  const service = serve({ ...over, storage, session: { ...over.session, importFrom } })
  // The previous service has another clock: what it issues next must not be later than now.
  service.wait(5)
  const browse = (value: string, name = v4Cookie): Browser => {
    const browser = service.browse()
    browser.cookies.set(name, value)
    return browser
  }
  return { ...service, storage, browse, browseFresh: service.browse }
}

/** Serves the import of next-auth's database sessions, of which there is one. */
async function serveDatabaseImport(over: Partial<AuthConfig> = {}) {
  const storage = over.storage ?? (await createStorageWithAda())
  const value = crypto.randomUUID()
  const now = Math.floor(Date.now() / 1000)
  const times = { createdAt: now, renewedAt: now, expires: now + 3600 }
  await storage.createSession('u1', { id: value, ...times, data: '' })
  const importFrom = [nextAuthV4({ secret: nextAuthSecret, strategy: 'database' })]
  return { ...(await serveImport({ ...over, storage }, importFrom)), value }
}

/** Creates an importer of the cookie `sid`, whose only valid value is `valid`. */
const sidImporter = (over: Partial<Parameters<typeof createImporter>[0]> = {}): SessionImporter =>
  createImporter({
    findCookie({ cookies }) {
      const value = cookies.get('sid')
      return value === undefined ? undefined : { value, names: ['sid'] }
    },
    read: async (value) => {
      if (value !== 'valid') return undefined
      return { token: { sub: 'u1' }, issuedAt: Math.floor(Date.now() / 1000) - 10 }
    },
    ...over,
  })

/** Runs something once, before a method of the storage is called. */
function interrupt(storage: Storage, method: keyof Storage, isAfter = false) {
  let pending: (() => Promise<unknown>) | undefined
  const original = storage[method] as (...args: never[]) => Promise<unknown>
  const run = async (): Promise<void> => {
    const work = pending
    pending = undefined
    await work?.()
  }
  const interrupted = async (...args: never[]): Promise<unknown> => {
    if (!isAfter) await run()
    const result = await original(...args)
    if (isAfter) await run()
    return result
  }
  return {
    storage: { ...storage, [method]: interrupted } as Storage,
    with: (work: () => Promise<unknown>) => {
      pending = work
    },
  }
}

describe('a storage without sessionData, such as every Auth.js adapter (I-45)', () => {
  // `isImported` is kept in the session's data, which such a storage does not keep.
  test('a sign-out spends the cookie that the session was imported from', async () => {
    const storage = await createStorageWithAda()
    const adapter: Storage = {
      ...storage,
      capabilities: ['sessions', 'verificationTokens'],
      async getSessionAndUser(id, now) {
        const found = await storage.getSessionAndUser(id, now)
        return found && { ...found, session: { ...found.session, data: '{}' } }
      },
    }
    const importFrom = [nextAuthV4({ secret: nextAuthSecret, until: inAYear })]
    const { browse } = await serveImport({ storage: adapter }, importFrom)
    const value = await v4()
    const browser = browse(value)
    await browser.json('/session')
    await browser.submit('/signout')
    expect(await browse(value).json('/session')).toEqual({})
  })
})

describe('ending a session while another request imports it (I-37, I-45)', () => {
  test('revokeAll ends a session whose import is in progress', async () => {
    const interrupted = interrupt(await createStorageWithAda(), 'createSession')
    const { auth, browse, storage, wait } = await serveImport({ storage: interrupted.storage })
    // The previous service has another clock: what it issues next must not be later than now.
    wait(5)
    const browser = browse(await v4())
    interrupted.with(() => auth.sessions.revokeAll('u1'))
    expect(await browser.json('/session')).toEqual({})
    expect(await storage.listSessions('u1', 0)).toEqual([])
  })

  test('a revoked cookie does not sign in if deleting the row failed', async () => {
    const storage = await createStorageWithAda()
    const deleteSession = (): Promise<never> => Promise.reject(new Error('down'))
    const { browse } = await serveImport({ storage: { ...storage, deleteSession } })
    const value = await v4()
    const browser = browse(value)
    await browser.json('/session')
    expect((await browser.submit('/signout')).status).toBe(503)
    expect(await browse(value).json('/session')).toEqual({})
  })
})

describe('database sessions of next-auth, kept in cookies from now on (I-45)', () => {
  // The next-auth row ends at the import, and no Latchkey row can be found by the next-auth cookie.
  test.for(inCookies)('%s: a concurrent request finds the session too', async ([, session]) => {
    const { browse, value } = await serveDatabaseImport({ session })
    const [first, second] = [browse(value), browse(value)]
    expect(await first.json('/session')).toHaveProperty('user')
    expect(await second.json('/session')).toHaveProperty('user')
  })

  test.for(inCookies)('%s: a failed reply does not lose the session', async ([, session]) => {
    let fails = true
    const { browse, value } = await serveDatabaseImport({
      session,
      callbacks: {
        session: (args) => {
          if (fails) throw new Error('callbacks.session failed')
          return args.session
        },
      },
    })
    const browser = browse(value)
    expect((await browser.visit('/session')).status).toBe(500)
    fails = false
    expect(await browser.json('/session')).toHaveProperty('user')
  })
})

test('a read finds a database session that is imported between its two look-ups', async () => {
  // The read looks for our row first, then for the next-auth row. The import happens in between.
  const interrupted = interrupt(await createStorageWithAda(), 'getSessionAndUser', true)
  const { browse, value } = await serveDatabaseImport({ storage: interrupted.storage })
  interrupted.with(() => browse(value).json('/session'))
  expect(await browse(value).json('/session')).toHaveProperty('user')
})

test('cookies without a session of any user are not stored as revoked (I-45)', async () => {
  const storage = await createStorageWithAda()
  let writes = 0
  const { browseFresh } = await serveImport({
    storage: {
      ...storage,
      createRevocation(revocation) {
        writes += 1
        return storage.createRevocation(revocation)
      },
    },
  })
  const browser = browseFresh()
  const csrfToken = await browser.csrfToken()
  for (let i = 0; i < 3; i++) {
    browser.cookies.set(v4Cookie, `garbage${i}`)
    await browser.post('/signout', { csrfToken })
  }
  expect(writes).toBe(0)
})

describe('what an application throws while an imported session is read', () => {
  const paths = ['/csrf', '/signin', '/signout']

  test('callbacks.jwt: the user can still sign in or out', async () => {
    const { browse } = await serveImport({
      callbacks: {
        jwt({ trigger, token }) {
          if (trigger === 'renew') throw new Error('callbacks.jwt failed')
          return { ...token }
        },
      },
    })
    const browser = browse(await v4())
    const statuses = []
    for (const path of paths) statuses.push((await browser.visit(path)).status)
    expect(statuses).toEqual([200, 200, 200])
    expect((await browser.submit('/signout')).headers.get('location')).toBe(origin)
  })

  test('the option token: a user with a Latchkey session can still sign out', async () => {
    const token = (): never => {
      throw new Error('unexpected claims')
    }
    const importFrom = [nextAuthV4({ secret: nextAuthSecret, token })]
    const { browseFresh } = await serveImport({}, importFrom)
    const browser = browseFresh()
    await signIn(browser)
    browser.cookies.set(v4Cookie, await v4())
    expect((await browser.submit('/signout')).headers.get('location')).toBe(origin)
    expect(browser.cookies.has(sessionCookie)).toBe(false)
  })
})

test('callbacks.jwt is not called by reads whose result is dropped (I-45, I-46)', async () => {
  let calls = 0
  const { auth, browse } = await serveImport({
    callbacks: {
      jwt({ token }) {
        calls += 1
        return { ...token }
      },
    },
  })
  const browser = browse(await v4())
  await browser.visit('/csrf', { method: 'HEAD' })
  await browser.post('/signout', {})
  await auth.getAccessToken(createPageRequest(browser), 'passport')
  expect(calls).toBe(0)
})

test('a session with neither issuedAt nor storedId is ignored, and the log says why', async () => {
  const read = async () => ({ token: { sub: 'u1' } }) as never
  const { browse, lines } = await serveImport({}, [sidImporter({ read })])
  expect(await browse('valid', 'sid').json('/session')).toEqual({})
  expect(lines.flatMap(({ details }) => details.causes ?? [])).toEqual([
    'TypeError: an imported session must have issuedAt or storedId',
  ])
})

test('an imported session of another service ends with its limits, counted from issuedAt', async () => {
  const { browse, wait } = await serveImport({ session: { maxAge: 1000 } }, [sidImporter()])
  const browser = browse('valid', 'sid')
  await browser.json('/session')
  await browser.submit('/signout')
  expect(await browse('valid', 'sid').json('/session')).toEqual({})
  wait(1001)
  expect(await browse('valid', 'sid').json('/session')).toEqual({})
})

test('a sign-out beside an expired cookie ends the session that another request imported from it', async () => {
  for (const signsOut of [false, true]) {
    const { browse, browseFresh, wait } = await serveImport()
    const value = await v4(60)
    const [first, second] = [browse(value), browseFresh()]
    expect(await first.json('/session')).toMatchObject({ user: { id: 'u1' } })
    wait(3600)
    await signIn(second)
    second.cookies.set(v4Cookie, value)
    if (signsOut) await second.submit('/signout')
    expect('user' in (await first.json('/session'))).toBe(!signsOut)
  }
})

test('a sign-out waits until the row of the previous service is deleted', async () => {
  const storage = await createStorageWithAda(slowStorage('deleteSession').storage)
  const { browse, value } = await serveDatabaseImport({
    storage,
    session: { strategy: 'cookie' },
  })
  const now = Math.floor(Date.now() / 1000)
  const browser = browse(value)
  expect(await browser.json('/session')).toMatchObject({ user: { id: 'u1' } })
  expect(await storage.getSessionAndUser(value, now)).toBeDefined()
  await browser.submit('/signout')
  expect(await storage.getSessionAndUser(value, now)).toBeUndefined()
})

test('one failure of the storage at a sign-in does not leave the cookie valid (I-45)', async () => {
  const storage = await createStorageWithAda()
  let failures = 1
  const { browse } = await serveImport({
    storage: {
      ...storage,
      createRevocation: (revocation) =>
        failures-- > 0
          ? Promise.reject(new Error('a connection was lost'))
          : storage.createRevocation(revocation),
    },
  })
  const value = await v4()
  const browser = browse(value)
  await signIn(browser, 'bob')
  expect(await browser.json('/session')).toMatchObject({ user: { name: 'Person bob' } })
  expect(await browse(value).json('/session')).toEqual({})
})

test('no code is sent to the provider while the storage fails (I-21)', async () => {
  const storage = memoryStorage()
  let isDown = false
  let finished = 0
  const provider = passport()
  const { browse } = serve({
    storage: {
      ...storage,
      getSessionAndUser: (...args) =>
        isDown ? Promise.reject(new Error('down')) : storage.getSessionAndUser(...args),
    },
    providers: [
      {
        ...provider,
        finish(callback) {
          finished += 1
          return provider.finish(callback)
        },
      },
    ],
  })
  const browser = browse()
  await signIn(browser, 'alice')
  const callbackUrl = toCallbackUrl(await beginSignIn(browser), 'bob')
  finished = 0
  isDown = true
  expect((await browser.visit(callbackUrl)).status).toBe(503)
  expect([finished, getFlowCookies(browser).length]).toEqual([0, 1])
  isDown = false
  await browser.visit(callbackUrl)
  expect(await browser.json('/session')).toMatchObject({ user: { name: 'Person bob' } })
})

describe.each([strategies[0], strategies[2]])(
  'revokeAll, before the sessions were imported, which are then %s (I-45)',
  (_, session) => {
    /** Creates two sessions of one user. The clock stands still, after they were issued. */
    const setUp = async (storage?: Storage) => {
      const clock = { now: Date.now() + 5000 }
      const service = await serveImport({
        session,
        runtime: { now: () => clock.now },
        ...(storage && { storage }),
      })
      const [first, second] = [service.browse(await v4()), service.browse(await v4())]
      const getId = async (browser: Browser): Promise<string> =>
        String((await service.auth.getSession(createPageRequest(browser))).id)
      const ids = { first: await getId(first), second: await getId(second) }
      const revokeAll = (except?: keyof typeof ids): Promise<void> =>
        service.auth.sessions.revokeAll('u1', except ? { except: ids[except] } : {})
      const listAlive = async (): Promise<string[]> => {
        const read = await Promise.all([first.json('/session'), second.json('/session')])
        return ['first', 'second'].filter((__, i) => 'user' in (read[i] ?? {}))
      }
      return { clock, revokeAll, listAlive }
    }

    test('spares the session of except', async () => {
      const { revokeAll, listAlive } = await setUp()
      await revokeAll('first')
      expect(await listAlive()).toEqual(['first'])
    })

    test('rejects if the storage fails at its first step, and ends nothing', async () => {
      const interrupted = interrupt(await createStorageWithAda(), 'createRevocation')
      const { revokeAll, listAlive } = await setUp(interrupted.storage)
      await revokeAll('first')
      interrupted.with(() => Promise.reject(new Error('away')))
      await expect(revokeAll('second')).rejects.toMatchObject({ code: 'Unavailable' })
      expect(await listAlive()).toEqual(['first'])
    })

    test('spares it twice', async () => {
      const { revokeAll, listAlive } = await setUp()
      await revokeAll('first')
      await revokeAll('first')
      expect(await listAlive()).toEqual(['first'])
    })

    test.each<[string, number, string[], ...(('first' | 'second') | undefined)[]]>([
      ['without except ends it', 0, [], 'first', undefined],
      ['without except ends it', 1, [], 'first', undefined],
      ['that excepts another ends both', 0, [], 'first', 'second'],
      ['that excepts another ends both', 1, [], 'first', 'second'],
      ['does not bring back what the first ended', 0, [], undefined, 'first'],
      ['does not bring back what the first ended', 1, [], undefined, 'first'],
      ['and a third end all', 0, [], 'first', 'second', 'first'],
    ])('a second call %s, %i seconds later', async (__, seconds, alive, ...calls) => {
      const { clock, revokeAll, listAlive } = await setUp()
      for (const except of calls) {
        await revokeAll(except)
        clock.now += seconds * 1000
      }
      expect(await listAlive()).toEqual(alive)
    })

    test('a second call without except ends it also if both are made simultaneously', async () => {
      const { revokeAll, listAlive } = await setUp()
      await Promise.all([revokeAll('first'), revokeAll()])
      expect(await listAlive()).toEqual([])
    })
  },
)

test('a later revokeAll ends the session that an earlier one spared (I-45)', async () => {
  const { auth, browse, wait } = await serveImport()
  const browser = browse(await v4())
  const read = async () => (await auth.getSession(createPageRequest(browser))).session
  const { id } = await auth.getSession(createPageRequest(browser))
  await auth.sessions.revokeAll('u1', { except: id as string })
  wait(10)
  expect(await read()).toHaveProperty('user')
  await auth.sessions.revokeAll('u1')
  expect(await read()).toBeNull()
  expect(await browser.json('/session')).toEqual({})
})

describe('the event signInFailed', () => {
  const setUp = (over: Partial<AuthConfig> = {}) => {
    const failures: string[] = []
    const { browse } = serve({
      ...over,
      events: { signInFailed: ({ error }) => failures.push(error) },
    })
    return { browser: browse(), failures }
  }

  // The previous version emitted it.
  test('is emitted for a posted callback that was used or has expired (I-28)', async () => {
    const { browser, failures } = setUp()
    await browser.visit('/callback/passport?return=form')
    expect(failures).toEqual(['OAuthCallback'])
  })
})

test('a next-auth cookie renews the imported session once per updateAge, by callbacks.jwt (I-35, I-46)', async () => {
  const storage = await createStorageWithAda()
  let [writes, calls] = [0, 0]
  const { browse, wait } = await serveImport({
    storage: {
      ...storage,
      updateSession(...args) {
        writes += 1
        return storage.updateSession(...args)
      },
    },
    callbacks: {
      jwt({ token }) {
        calls += 1
        return { ...token }
      },
    },
  })
  const value = await v4()
  await browse(value).json('/session')
  for (let i = 0; i < 5; i++) await browse(value).json('/session')
  const before = { writes, calls }
  wait(2 * DAY)
  await browse(value).json('/session')
  expect({ before, after: { writes, calls } }).toEqual({
    before: { writes: 0, calls: 1 },
    after: { writes: 1, calls: 2 },
  })
})

describe('cookies of two importers', () => {
  const importFrom = [
    nextAuthV4({ secret: nextAuthSecret }),
    authJs({ secret: nextAuthSecret }),
  ] as const

  test('the cookie that was deleted unread at the import is spent as well', async () => {
    const { browse, browseFresh } = await serveImport({}, importFrom)
    const value = await v5()
    const browser = browse(await v4())
    browser.cookies.set(v5Cookie, value)
    await browser.json('/session')
    expect([...browser.cookies.keys()]).toEqual([sessionCookie])
    await browser.submit('/signout')
    const attacker = browseFresh()
    attacker.cookies.set(v5Cookie, value)
    expect(await attacker.json('/session')).toEqual({})
  })

  test('a cookie of another application, which cannot be read, is kept', async () => {
    const { browse } = await serveImport({}, importFrom)
    const browser = browse(await v4())
    browser.cookies.set(v5Cookie, await v5('the secret of another application'))
    await browser.json('/session')
    expect(browser.cookies.has(v5Cookie)).toBe(true)
  })
})

test('an import with a fractional issuedAt stores whole seconds', async () => {
  const storage = await createStorageWithAda()
  const times: number[] = []
  const issuedAt = Math.floor(Date.now() / 1000) - 60.5
  const read = async () => ({ token: { sub: 'u1' }, issuedAt })
  const { browse } = await serveImport(
    {
      storage: {
        ...storage,
        createSession(userId, session) {
          times.push(session.createdAt, session.renewedAt, session.expires)
          return storage.createSession(userId, session)
        },
      },
    },
    [sidImporter({ read })],
  )
  await browse('valid', 'sid').json('/session')
  expect(times.map(Number.isInteger)).toEqual([true, true, true])
})

test('a flow cookie that the previous version sealed is ignored (I-13)', async () => {
  const now = Math.floor(Date.now() / 1000)
  const previous = { provider: 'email', purpose: 'signIn', callbackUrl: origin, salt: 's' }
  const content = { ...previous, sessionId: '', keep: { address: 'a@b.example' }, startedAt: now }
  const sealed = await createKeys([secret], random).flow.seal(content, now + 900)
  const { browse } = serve({ storage: memoryStorage(), providers: [createEmailProvider()] })
  const browser = browse()
  browser.cookies.set('__Host-latchkey.flow.abcdefgh', sealed)
  expect((await browser.visit('/verify-request?provider=email')).status).toBe(200)
})

test('importing database sessions from a storage without sessions is refused at start-up', async () => {
  const storage: Storage = { ...(await createStorageWithAda()), capabilities: ['revocations'] }
  const importFrom = [nextAuthV4({ secret: nextAuthSecret, strategy: 'database' })]
  const create = () => serve({ storage, session: { strategy: 'cookie', importFrom } })
  expect(create).toThrow(expect.objectContaining({ name: 'ConfigurationError' }))
})
