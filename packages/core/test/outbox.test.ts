import { ConfigurationError } from '@latchkey/core'
import type { AuthConfig, Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { deliverEvents, outbox } from '@latchkey/core/outbox'
import type { Outbox, OutboxEvent, OutboxEventName } from '@latchkey/core/outbox'
import { nextAuthV4 } from '@latchkey/core/import/next-auth-v4'
import { Browser } from '@latchkey/testing/browser'
import { encode } from 'next-auth/jwt'
import { describe, expect, test } from 'vitest'
import { wrapMethods } from '@latchkey/test-support/wrap-methods'
import { breakableStorage } from './support/breakable.ts'
import { serveOutbox, toTypes } from './support/outbox.ts'
import type { OutboxService } from './support/outbox.ts'
import {
  base,
  beginSignIn,
  getConfigError,
  getUser,
  passport,
  secret,
  serve,
  signIn,
  toCallbackUrl,
} from './support/service.ts'

const tokens = {
  access_token: 'raw-access-token',
  refresh_token: 'raw-refresh-token',
  id_token: 'raw-id-token',
}
const trusted = { linkByVerifiedEmail: true, trustEmailVerified: true } as object
const createProvider = (id: string, emailProven = true): ReturnType<typeof passport> =>
  passport({
    id,
    name: id,
    ...trusted,
    identify: (subject) => ({
      tokens,
      emailProven,
      claims: { sub: subject, secret: 'raw-claim' },
      profile: {
        name: `Person ${subject}`,
        email: `${subject}@example.com`,
        emailVerified: true,
        image: 'https://example.com/raw-picture.png',
        phone: 'raw-phone',
      },
    }),
  })
const providers = [createProvider('passport'), createProvider('licence')]
const alice = { provider: 'passport', type: 'oauth', providerAccountId: 'alice' }
const licence = { ...alice, provider: 'licence' }
const uuid = /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/

async function signInWith(browser: Browser, id: string, fields = {}): Promise<Response> {
  const url = await beginSignIn(browser, fields, `/signin/${id}`)
  return browser.visit(toCallbackUrl(url, 'alice'))
}

/** Returns the types and data of events. */
function toData(events: readonly OutboxEvent[]): unknown[] {
  return events.map(({ type, data }) => [type, data])
}

async function getSessionId({ auth }: OutboxService, userId: string): Promise<string> {
  const [session] = await auth.sessions.list(userId)
  return session?.id ?? ''
}

describe('an event is stored in the step that it describes (I-60.1)', () => {
  test('createUser, linkAccount and signIn with a new user', async () => {
    const before = Date.now()
    const service = serveOutbox({ providers })
    const browser = service.browseAt()
    await signIn(browser)
    const events = await service.flush()
    const { id: userId } = await getUser(browser)
    const sessionId = await getSessionId(service, userId)
    const common = { userId, sessionId, ip: '192.0.2.1' }
    const person = { name: 'Person alice', email: 'alice@example.com', emailVerified: true }
    expect(toData(events)).toEqual([
      ['createUser', { ...common, ...person, provider: 'passport' }],
      ['linkAccount', { ...common, account: alice }],
      ['signIn', { ...common, account: alice, isNewUser: true, authentication: { methods: [] } }],
    ])
    const ids = events.map(({ id }) => id)
    for (const id of ids) expect(id).toMatch(uuid)
    expect(ids.toSorted()).toEqual(ids)
    for (const { timestamp } of events) {
      expect(Date.parse(timestamp)).toBeGreaterThanOrEqual(before)
      expect(Date.parse(timestamp)).toBeLessThanOrEqual(Date.now())
    }
  })

  test('signIn of a known user, and signOut of the same session', async () => {
    const service = serveOutbox({ providers })
    await signIn(service.browseAt())
    const [created] = await service.flush()
    const browser = service.browseAt()
    await signIn(browser)
    await browser.submit('/signout')
    const events = await service.flush()
    expect(toData(events)).toEqual([
      ['signIn', expect.objectContaining({ account: alice, isNewUser: false })],
      ['signOut', { userId: expect.any(String), sessionId: expect.any(String), ip: '192.0.2.1' }],
    ])
    const [one, two] = events.map(({ data }) => data as { userId: string; sessionId: string })
    expect(two?.sessionId).toBe(one?.sessionId)
    expect(created?.data).toMatchObject({ userId: two?.userId })
  })

  test('signOut in a browser without a session stores no event', async () => {
    const service = serveOutbox()
    await service.browseAt().submit('/signout')
    expect(await service.flush()).toEqual([])
  })

  test('linkAccount by a verified email address, and by the user', async () => {
    const service = serveOutbox({ providers })
    await signIn(service.browseAt())
    await service.flush()
    await signInWith(service.browseAt(), 'licence')
    const byEmail = await service.flush()
    expect(toData(byEmail)).toMatchObject([
      ['linkAccount', { account: licence }],
      ['signIn', { account: licence, isNewUser: false }],
    ])
    const [{ data }] = byEmail as [OutboxEvent]
    const { userId } = data as { userId: string }
    await service.auth.accounts.unlink(userId, licence)
    const browser = service.browseAt()
    await signIn(browser)
    await signInWith(browser, 'licence', { link: 'true' })
    expect(toData(await service.flush())).toMatchObject([
      ['unlinkAccount', { userId, account: { provider: 'licence', providerAccountId: 'alice' } }],
      ['signIn', { userId }],
      ['linkAccount', { userId, account: licence, ip: '192.0.2.1' }],
    ])
  })

  test.each([{}, { link: 'true' }])(
    'updateUser if a sign-in proves the email address: %j',
    async (fields) => {
      const service = serveOutbox({
        providers: [createProvider('passport', false), createProvider('licence')],
      })
      const browser = service.browseAt()
      await signIn(browser)
      const { id } = await getUser(browser)
      await service.storage.linkAccount(id, { ...licence, providerAccountId: 'other' })
      if (!('link' in fields)) await service.storage.linkAccount(id, licence)
      await service.flush()
      await signInWith(browser, 'licence', fields)
      const events = await service.flush()
      const updated = events.find(({ type }) => type === 'updateUser')
      expect(updated?.data).toMatchObject({
        userId: id,
        email: 'alice@example.com',
        emailVerified: true,
        provider: 'licence',
        sessionId: expect.stringMatching(/^[\w-]{43}$/),
      })
    },
  )

  test('updateSession, without what the client sent', async () => {
    const service = serveOutbox({
      session: { update: ({ token, data }) => ({ ...token, theme: data }) },
    })
    const browser = service.browseAt()
    await signIn(browser)
    const { id: userId } = await getUser(browser)
    await service.flush()
    const reply = await browser.submit('/session', { data: 'raw-data' })
    expect(reply.status).toBe(200)
    const sessionId = await getSessionId(service, userId)
    expect(toData(await service.flush())).toEqual([
      ['updateSession', { userId, sessionId, ip: '192.0.2.1' }],
    ])
  })

  test('revokeSession by auth.sessions.revoke and revokeAll', async () => {
    const service = serveOutbox()
    const browser = service.browseAt()
    await signIn(browser)
    const { id: userId } = await getUser(browser)
    const sessionId = await getSessionId(service, userId)
    await service.flush()
    expect(await service.auth.sessions.revoke(userId, 'unknown')).toBe(false)
    expect(await service.flush()).toEqual([])
    await service.auth.sessions.revoke(userId, sessionId)
    await service.auth.sessions.revokeAll(userId, { except: 'this one' })
    await service.auth.sessions.revokeAll(userId)
    expect(toData(await service.flush())).toEqual([
      ['revokeSession', { userId, sessionId }],
      ['revokeSession', { userId, except: 'this one' }],
      ['revokeSession', { userId }],
    ])
  })

  test('unlinkAccount of the last account, or of another user, stores no event', async () => {
    const service = serveOutbox()
    const browser = service.browseAt()
    await signIn(browser)
    const { id } = await getUser(browser)
    await service.flush()
    expect(await service.auth.accounts.unlink(id, alice)).toBe('last')
    expect(await service.auth.accounts.unlink('bob', alice)).toBe('unknown')
    expect(await service.flush()).toEqual([])
  })

  test('deleteUser, whose session ends in the same step', async () => {
    const service = serveOutbox()
    const browser = service.browseAt()
    await signIn(browser)
    const { id: userId } = await getUser(browser)
    await service.flush()
    expect(await service.auth.users.delete('unknown')).toBe(false)
    expect(await service.auth.users.delete(userId)).toBe(true)
    expect(await service.auth.users.delete(userId)).toBe(false)
    expect(await browser.json('/session')).toEqual({})
    expect(toData(await service.flush())).toEqual([['deleteUser', { userId }]])
  })

  test('with revocable sessions in cookies as with stored ones', async () => {
    const service = serveOutbox({ session: { strategy: 'cookie', revocable: true } })
    const browser = service.browseAt()
    await signIn(browser)
    const { id: userId } = await getUser(browser)
    const sessionId = await getSessionId(service, userId)
    await browser.submit('/signout')
    const events = await service.flush()
    expect(toTypes(events)).toEqual(['createUser', 'linkAccount', 'signIn', 'signOut'])
    for (const { data } of events) expect(data).toMatchObject({ userId, sessionId })
  })

  test('without the IP address if the host does not supply it', async () => {
    const service = serveOutbox()
    await signIn(service.browse())
    const events = await service.flush()
    expect(events).toHaveLength(3)
    for (const { data } of events) expect(data).not.toHaveProperty('ip')
  })

  test('without the IP address if the host fails to supply it', async () => {
    const service = serveOutbox()
    const failing = new Browser((request) => {
      const clientIp = (): never => {
        throw new Error('no socket')
      }
      const isSignOut = request.method === 'POST' && request.url.endsWith('/signout')
      return service.auth.handle(request, isSignOut ? { clientIp } : {})
    }, base)
    await signIn(failing)
    await service.flush()
    await failing.submit('/signout')
    const event = { userId: expect.any(String), sessionId: expect.any(String) }
    expect(toData(await service.flush())).toEqual([['signOut', event]])
    expect(service.lines).toMatchObject([{ level: 'error', message: 'clientIp threw' }])
  })

  test('signOut of a session of a previous service that was not imported yet', async () => {
    const storage = memoryStorage()
    const user = { id: 'ada', name: 'Ada', email: null, emailVerified: false, image: null }
    await storage.createUser(user)
    const service = serveOutbox({
      storage,
      session: { importFrom: [nextAuthV4({ secret })] },
    })
    const browser = service.browseAt()
    const cookie = await encode({ token: { sub: 'ada', name: 'Ada' }, secret, maxAge: 3600 })
    const name = '__Secure-next-auth.session-token'
    browser.cookies.set(name, cookie)
    const { csrfToken } = (await browser.json('/csrf')) as { csrfToken: string }
    // As if the reply that imported the session had failed.
    await storage.deleteSession(await getSessionId(service, 'ada'))
    browser.cookies.delete('__Host-latchkey.session')
    browser.cookies.set(name, cookie)
    const reply = await browser.post('/signout', { csrfToken })
    expect(reply.status).toBe(302)
    expect(toData(await service.flush())).toEqual([
      ['signOut', { userId: 'ada', sessionId: expect.any(String), ip: '192.0.2.1' }],
    ])
    expect(await storage.listSessions('ada', 0)).toEqual([])
  })
})

describe('a step that fails stores no event (I-60.1)', () => {
  test.each(['createUser', 'createSession', 'deleteSession'] as const)('%s', async (method) => {
    const { storage, fail } = breakableStorage()
    const service = serveOutbox({ storage })
    const browser = service.browseAt()
    if (method !== 'createUser') await signIn(browser)
    const before = await service.flush()
    fail([method])
    if (method === 'deleteSession') await browser.submit('/signout')
    else await signIn(service.browseAt())
    expect(await service.flush()).toEqual([])
    fail([])
    await (method === 'deleteSession' ? browser.submit('/signout') : signIn(service.browseAt()))
    const after = toTypes(await service.flush())
    const expected = {
      createUser: ['createUser', 'linkAccount', 'signIn'],
      createSession: ['signIn'],
      // The browser has lost its cookie, so that there is no session to sign out of.
      deleteSession: [],
    }
    expect(after).toEqual(expected[method])
    expect(before).toHaveLength(method === 'createUser' ? 0 : 3)
  })

  test('the event of a step before the failure is kept', async () => {
    const { storage, fail } = breakableStorage()
    const service = serveOutbox({ storage, providers })
    await signIn(service.browseAt())
    await service.flush()
    fail(['createSession'])
    await signInWith(service.browseAt(), 'licence')
    fail([])
    expect(toTypes(await service.flush())).toEqual(['linkAccount'])
  })

  test('of two users who sign in at the same time with one account, one is created', async () => {
    const service = serveOutbox()
    await Promise.all([signIn(service.browseAt()), signIn(service.browseAt())])
    const types = toTypes(await service.flush()).toSorted()
    expect(types).toEqual(['createUser', 'linkAccount', 'signIn', 'signIn'])
  })
})

describe('an event holds no secret (I-60.4)', () => {
  test('neither tokens of accounts, nor claims, nor pictures, nor fields of profile()', async () => {
    const rows: string[] = []
    const inner = memoryStorage()
    const storage: Storage = {
      ...inner,
      async createUser(user, account, session, events = []) {
        rows.push(...events.map(({ data }) => data))
        return inner.createUser(user, account, session, events)
      },
      async createSession(userId, session, events = []) {
        rows.push(...events.map(({ data }) => data))
        return inner.createSession(userId, session, events)
      },
    }
    const service = serveOutbox({ storage, providers })
    const browser = service.browseAt()
    await signIn(browser)
    await signIn(browser)
    const cookie = browser.cookies.get('__Host-latchkey.session') ?? ''
    expect(cookie).toMatch(/^[\w-]{43}$/)
    expect(rows).toHaveLength(4)
    expect(JSON.stringify(await service.flush())).not.toContain('raw-')
    for (const row of rows) {
      expect(row).not.toContain('raw-')
      expect(row).not.toContain(cookie)
      expect(row).not.toContain('https:')
    }
  })
})

describe('without the option', () => {
  test('no event is stored and nothing is taken', async () => {
    const calls: [string, readonly unknown[]][] = []
    const storage = wrapMethods(memoryStorage(), (method, name) => (...args) => {
      calls.push([name, args])
      return method(...args)
    })
    const { auth, browse } = serve({ storage, providers })
    const browser = browse()
    await signIn(browser)
    await signInWith(browser, 'licence', { link: 'true' })
    const { id } = await getUser(browser)
    await auth.accounts.unlink(id, licence)
    await auth.sessions.revokeAll(id, { except: 'none' })
    await browser.submit('/signout')
    const names = new Set(calls.map(([name]) => name))
    expect([...names].filter((name) => name.endsWith('Events') || name.endsWith('Event'))).toEqual(
      [],
    )
    for (const [name, args] of calls) {
      // The types by which users sign in are a list too.
      const events = args.filter((arg) => Array.isArray(arg)).flat()
      expect(events, name).toEqual([])
    }
  })

  test('deliverEvents is a ConfigurationError', async () => {
    const { auth } = serve({ storage: memoryStorage() })
    const call = (given: object): Promise<unknown> => deliverEvents(given as never)
    const problem = 'needs the object that createAuth returned'
    await expect(call(auth)).rejects.toThrow('deliverEvents: needs the option outbox')
    await expect(call({})).rejects.toThrow(`deliverEvents: ${problem}`)
    await expect(call(auth)).rejects.toBeInstanceOf(ConfigurationError)
  })
})

describe('the option outbox', () => {
  const create = (events?: readonly string[]): Outbox =>
    outbox({ deliver: () => undefined, ...(events && { events: events as OutboxEventName[] }) })
  const capabilities = ['sessions', 'sessionLists', 'accountLists'] as const

  test('requires a storage with the capability outbox', () => {
    expect(getConfigError(() => ({ outbox: create() }))).toEqual([
      'outbox',
      'needs the option storage',
    ])
    expect(
      getConfigError(() => ({
        outbox: create(),
        storage: { ...memoryStorage(), capabilities },
      })),
    ).toEqual(['outbox', 'needs a storage with the capability outbox'])
    expect(getConfigError(() => ({ outbox: create(), storage: memoryStorage() }))).toBeUndefined()
  })

  test.each([
    [undefined, 'signIn'],
    [['createUser', 'signIn'], 'signIn'],
    [['signOut'], 'signOut'],
    [['updateSession', 'deleteUser'], 'updateSession'],
  ])('refuses events of sessions that only cookies keep: %j', (events, name) => {
    const config = (session: AuthConfig['session'] = {}): Partial<AuthConfig> => ({
      outbox: create(events),
      storage: memoryStorage(),
      session,
    })
    const [option, problem] = getConfigError(() => config({ strategy: 'cookie' })) ?? []
    expect(option).toBe('outbox.events')
    expect(problem).toContain(`${name} has no step of the storage`)
    expect(getConfigError(() => config())).toBeUndefined()
    expect(getConfigError(() => config({ strategy: 'cookie', revocable: true }))).toBeUndefined()
  })

  test('stores the other events with sessions that only cookies keep', async () => {
    const service = serveOutbox({
      names: ['createUser', 'linkAccount', 'revokeSession'],
      session: { strategy: 'cookie', acceptsDeletedUsers: true },
    })
    const browser = service.browseAt()
    await signIn(browser)
    await browser.submit('/signout')
    expect(toData(await service.flush())).toMatchObject([
      ['createUser', { sessionId: expect.stringMatching(/^[\w-]{22}$/) }],
      ['linkAccount', { account: alice }],
    ])
  })

  test.each([
    [{ deliver: undefined }, 'outbox.deliver', 'must be a function'],
    [{ deliver: 'https://example.com' }, 'outbox.deliver', 'must be a function'],
    [{ deliver: () => {}, events: 'signIn' }, 'outbox.events', 'must be a list'],
    [{ deliver: () => {}, events: ['signin'] }, 'outbox.events', 'unknown event signin'],
    [{ deliver: () => {}, events: ['signInFailed'] }, 'outbox.events', 'use events.signInFailed'],
    [{ deliver: () => {}, events: ['session'] }, 'outbox.events', 'use events.session'],
    [{ deliver: () => {}, event: [] }, 'outbox.event', 'did you mean events?'],
  ])('refuses %j', (options, option, problem) => {
    const call = (): Outbox => outbox(options as never)
    expect(call).toThrow(ConfigurationError)
    expect(call).toThrow(`${option}: `)
    expect(call).toThrow(problem)
  })

  test('refuses the function itself', () => {
    const config = { outbox: outbox as unknown as Outbox, storage: memoryStorage() }
    expect(getConfigError(() => config)).toEqual(['outbox', 'must be outbox({ deliver })'])
  })
})
