import type { DrizzleAdapter } from '@auth/drizzle-adapter'
import type { KyselyAdapter } from '@auth/kysely-adapter'
import type PostgresAdapter from '@auth/pg-adapter'
import { ConfigurationError, createAuth } from '@latchkey/core'
import { nextAuthV4 } from '@latchkey/core/import/next-auth-v4'
import type { Auth, Provider } from '@latchkey/core'
import { authjsStorage } from '@latchkey/storage-authjs'
import type { AuthjsAdapter, AuthjsUser } from '@latchkey/storage-authjs'
import { buildSession, buildUser } from '@latchkey/test-support/records'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { FakeAdapter } from './support/fake.ts'

const user = buildUser({ id: 'ours', email: 'alice@example.com' })
const account = { provider: 'github', type: 'oauth', providerAccountId: '1', access_token: 'a' }
const other = { ...user, email: 'bob@example.com' }

test('published adapters are assignable', () => {
  expectTypeOf<ReturnType<typeof PostgresAdapter>>().toExtend<AuthjsAdapter>()
  expectTypeOf<ReturnType<typeof KyselyAdapter>>().toExtend<AuthjsAdapter>()
  expectTypeOf<ReturnType<typeof DrizzleAdapter>>().toExtend<AuthjsAdapter>()
})

describe('methods of an adapter', () => {
  test.for([
    'createUser',
    'getUser',
    'getUserByEmail',
    'getUserByAccount',
    'updateUser',
    'linkAccount',
  ])('%s is required', (method) => {
    const create = (): unknown => authjsStorage(without(method))
    expect(create).toThrow(ConfigurationError)
    expect(create).toThrow(`storage: the Auth.js adapter does not implement ${method}()`)
  })
  test.for([[null], [undefined], ['pg'], [{}]])('an adapter %o is refused', ([given]) => {
    expect(() => authjsStorage(given as AuthjsAdapter)).toThrow('does not implement createUser()')
  })
  test.for([
    ['createSession', ['verificationTokens']],
    ['getSessionAndUser', ['verificationTokens']],
    ['updateSession', ['verificationTokens']],
    ['deleteSession', ['verificationTokens']],
    ['createVerificationToken', ['sessions']],
    ['useVerificationToken', ['sessions']],
    ['deleteUser', ['sessions', 'verificationTokens']],
  ] as const)('without %s the capabilities are %o', ([method, capabilities]) => {
    expect(authjsStorage(without(method)).capabilities).toEqual(capabilities)
  })
  test('a storage method rejects with the name of the missing adapter method', async () => {
    const calls = {
      createSession: () =>
        authjsStorage(without('createSession')).createSession('1', buildSession({ id: 'session' })),
      getSessionAndUser: () =>
        authjsStorage(without('getSessionAndUser')).getSessionAndUser('a', 1),
      deleteSession: () => authjsStorage(without('deleteSession')).deleteSession('a'),
      deleteUser: () => authjsStorage(without('deleteUser')).deleteUser('1'),
      useVerificationToken: () =>
        authjsStorage(without('useVerificationToken')).useVerificationToken('a', 'b', 1),
    }
    for (const [method, call] of Object.entries(calls)) {
      await expect(call(), method).rejects.toThrow(`does not implement ${method}()`)
    }
  })
  test.for([
    'listAccounts',
    'updateAccount',
    'unlinkAccount',
    'listSessions',
    'deleteSessions',
    'deleteAccountSessions',
    'increment',
    'createRevocation',
    'getRevocation',
  ] as const)('%s rejects with every adapter', async (method) => {
    const call = authjsStorage(new FakeAdapter())[method] as () => Promise<unknown>
    await expect(call()).rejects.toThrow(ConfigurationError)
    await expect(call()).rejects.toThrow(method)
  })
  test('createAuth refuses a missing capability', () => {
    const provider = { id: 'mail', name: 'Mail', type: 'email', needs: ['verificationTokens'] }
    const create = (adapter: AuthjsAdapter): unknown =>
      createAuth({
        secret: 'a text of at least thirty-two bytes',
        providers: [{ ...provider, begin() {}, finish() {} } as unknown as Provider],
        storage: authjsStorage(adapter),
      })
    expect(create(new FakeAdapter())).toBeDefined()
    expect(() => create(without('useVerificationToken'))).toThrow('verificationTokens')
  })
})

describe('createUser', () => {
  test('the id comes from the adapter, as a string', async () => {
    const adapter = new FakeAdapter()
    const storage = authjsStorage(adapter)
    expect(await storage.createUser(user, account, buildSession({ id: 'session' }))).toEqual({
      ...user,
      id: '1',
    })
    expect(adapter.users[0]?.emailVerified).toBeInstanceOf(Date)
    expect(adapter.accounts).toEqual([{ ...account, userId: 1 }])
    expect(adapter.sessions).toMatchObject([{ sessionToken: 'session', userId: 1 }])
  })
  test('the tables have no columns of the times of an account, and no grants', async () => {
    const adapter = new FakeAdapter()
    const storage = authjsStorage(adapter)
    await storage.createUser(user, { ...account, createdAt: 1, lastUsedAt: 2 })
    expect(adapter.accounts).toEqual([{ ...account, userId: 1 }])
    const missing = ['accountTimes', 'grants', 'clients'] as const
    for (const group of missing) expect(storage.capabilities).not.toContain(group)
    expect([storage.createGrant, storage.createClient]).toEqual([undefined, undefined])
  })
  test.for(['linkAccount', 'createSession'] as const)(
    'it is undone if %s fails',
    async (method) => {
      const adapter = new FakeAdapter()
      Object.assign(adapter, { [method]: () => Promise.reject(new Error('disk full')) })
      const storage = authjsStorage(adapter)
      await expect(
        storage.createUser(user, account, buildSession({ id: 'session' })),
      ).rejects.toThrow('disk full')
      expect(adapter).toMatchObject({ users: [], accounts: [], sessions: [] })
    },
  )
  test('if undoing fails too, it rejects with the first error', async () => {
    const adapter = new FakeAdapter()
    adapter.linkAccount = () => Promise.reject(new Error('disk full'))
    adapter.deleteUser = () => Promise.reject(new Error('connection lost'))
    await expect(authjsStorage(adapter).createUser(user, account)).rejects.toThrow('disk full')
  })
  test('it rejects with other errors than a unique constraint', async () => {
    const adapter = new FakeAdapter()
    adapter.createUser = () => Promise.reject(new Error('connection lost'))
    await expect(authjsStorage(adapter).createUser(user)).rejects.toThrow('connection lost')
  })
  test('it deletes the user again if a concurrent call links the account', async () => {
    const adapter = new FakeAdapter()
    const storage = authjsStorage(adapter)
    const [first, second] = await Promise.all([
      storage.createUser(user, account),
      storage.createUser(other, account),
    ])
    expect([first?.email, second]).toEqual([user.email, undefined])
    expect(adapter.users).toHaveLength(1)
  })
  test('without deleteUser, a failed session does not count as a linked account', async () => {
    const adapter = new FakeAdapter()
    adapter.createSession = () => Promise.reject(new Error('disk full'))
    Object.assign(adapter, { deleteUser: undefined })
    const creating = authjsStorage(adapter).createUser(
      user,
      account,
      buildSession({ id: 'session' }),
    )
    await expect(creating).rejects.toThrow('disk full')
  })
})

describe('updateUser', () => {
  test('the adapter may change its argument, and return null for the other fields', async () => {
    const adapter = new FakeAdapter()
    const update = adapter.updateUser.bind(adapter)
    // As TypeORM's `save` does.
    adapter.updateUser = async (changes) => {
      await update({ ...changes })
      return Object.assign(changes, { email: changes.email ?? null, image: null }) as AuthjsUser
    }
    const storage = authjsStorage(adapter)
    await storage.createUser({ ...user, image: 'https://example.com/a.png' })
    const stored = { ...user, id: '1', image: 'https://example.com/a.png', name: 'Renamed' }
    expect(await storage.updateUser('1', { name: 'Renamed' })).toEqual(stored)
    expect(await storage.getUser('1')).toEqual(stored)
  })
})

describe('sessions of next-auth', () => {
  const configure = (adapter: AuthjsAdapter, until?: Date): Auth =>
    createAuth({
      serviceUrl: 'https://app.example',
      secret: 'a text of at least thirty-two bytes',
      storage: authjsStorage(adapter),
      providers: [
        { id: 'p', name: 'P', type: 'oauth', begin() {}, finish() {} } as unknown as Provider,
      ],
      session: {
        importFrom: [
          nextAuthV4({ secret: 'previous', strategy: 'database', ...(until && { until }) }),
        ],
      },
    })

  test('are imported until a date, which is required', async () => {
    const adapter = new FakeAdapter()
    const { id: userId } = await adapter.createUser({ ...user, emailVerified: null })
    const expires = new Date(Date.now() + 3_600_000)
    await adapter.createSession({ sessionToken: crypto.randomUUID(), userId, expires })
    const cookie = `__Secure-next-auth.session-token=${adapter.sessions[0]?.sessionToken}`
    expect(() => configure(adapter)).toThrow('session.importFrom.until')
    const { handle } = configure(adapter, new Date('2099-01-01'))
    const request = new Request('https://app.example/api/auth/session', { headers: { cookie } })
    const response = await handle(request)
    expect(await response.json()).toMatchObject({ user: { id: '1', email: user.email } })
    expect(response.headers.getSetCookie().join()).toContain('latchkey.session=')
  })
})

describe('missing records', () => {
  test('deleteSession and deleteUser are idempotent', async () => {
    const adapter = new FakeAdapter()
    const storage = authjsStorage(adapter)
    await storage.createUser(user, account, buildSession({ id: 'session' }))
    await storage.createSession('1', buildSession({ id: 'other' }))
    for (let i = 0; i < 2; i++) {
      await storage.deleteSession('session')
      expect(adapter.sessions.map(({ sessionToken }) => sessionToken)).toEqual(['other'])
    }
    for (let i = 0; i < 2; i++) {
      await storage.deleteUser('1')
      expect(adapter).toMatchObject({ users: [], accounts: [], sessions: [] })
    }
  })
  test('updateSession is false for an ended session, whether the adapter throws or not', async () => {
    const adapter = new FakeAdapter()
    const changes = { renewedAt: 1, expires: 4_000_000_000, data: '{}' }
    expect(await authjsStorage(adapter).updateSession('session', changes)).toBe(false)
    adapter.updateSession = async () => undefined as never
    expect(await authjsStorage(adapter).updateSession('session', changes)).toBe(false)
  })
  test('updateSession is true if the adapter returns nothing but the session exists', async () => {
    const adapter = new FakeAdapter()
    const storage = authjsStorage(adapter)
    await storage.createUser(user, account, buildSession({ id: 'session' }))
    adapter.updateSession = async () => undefined as never
    const changes = { renewedAt: 1, expires: 4_000_000_000, data: '{}' }
    expect(await storage.updateSession('session', changes)).toBe(true)
  })
  test('methods reject if the adapter fails and the record exists', async () => {
    const adapter = new FakeAdapter()
    const storage = authjsStorage(adapter)
    await storage.createUser(user, account, buildSession({ id: 'session' }))
    const reject = (): Promise<never> => Promise.reject(new Error('connection lost'))
    Object.assign(adapter, { deleteSession: reject, deleteUser: reject, updateUser: reject })
    Object.assign(adapter, { updateSession: reject, linkAccount: reject })
    const changes = { renewedAt: 1, expires: 2, data: '' }
    await expect(storage.deleteSession('session')).rejects.toThrow('connection lost')
    await expect(storage.deleteUser('1')).rejects.toThrow('connection lost')
    await expect(storage.updateUser('1', { name: 'A' })).rejects.toThrow('connection lost')
    await expect(storage.updateSession('session', changes)).rejects.toThrow('connection lost')
    const further = { ...account, providerAccountId: '2' }
    await expect(storage.linkAccount('1', further)).rejects.toThrow('connection lost')
  })
  test('createSession creates nothing if it cannot delete the replaced session', async () => {
    const adapter = new FakeAdapter()
    const storage = authjsStorage(adapter)
    await storage.createUser(user, account, buildSession({ id: 'session' }))
    const remove = adapter.deleteSession.bind(adapter)
    adapter.deleteSession = (id) =>
      id === 'session' ? Promise.reject(new Error('connection lost')) : remove(id)
    const next = buildSession({ id: 'next', replaces: 'session' })
    await expect(storage.createSession('1', next)).rejects.toThrow('connection lost')
    expect(adapter.sessions.map(({ sessionToken }) => sessionToken)).toEqual(['session'])
  })
})

describe('verification tokens', () => {
  const token = { identifier: 'alice@example.com', token: 'hash', expires: 4_000_000_000 }

  test('one of 200 concurrent callers gets a token, though the adapter reads it before it deletes it', async () => {
    const adapter = new FakeAdapter()
    const use = adapter.useVerificationToken.bind(adapter)
    adapter.useVerificationToken = async (params) => {
      const kept = adapter.tokens.find((one) => one.token === params.token) ?? null
      await new Promise((resolve) => setTimeout(resolve, 5))
      await use(params)
      return kept
    }
    const storage = authjsStorage(adapter)
    await storage.createVerificationToken(token)
    const using = Array.from({ length: 200 }, () =>
      storage.useVerificationToken(token.identifier, token.token, 1),
    )
    expect((await Promise.all(using)).filter(Boolean)).toEqual([token])
    expect(adapter.tokens).toEqual([])
  })
  test('useVerificationToken rejects if the database is unavailable', async () => {
    const adapter = new FakeAdapter()
    const reject = (): Promise<never> => Promise.reject(new Error('connection lost'))
    Object.assign(adapter, { createVerificationToken: reject, getUserByEmail: reject })
    const using = authjsStorage(adapter).useVerificationToken('a', 'b', 1)
    await expect(using).rejects.toThrow('connection lost')
  })
  test('a token can be used again after the adapter failed', async () => {
    const adapter = new FakeAdapter()
    const storage = authjsStorage(adapter)
    await storage.createVerificationToken(token)
    const use = adapter.useVerificationToken.bind(adapter)
    adapter.useVerificationToken = (params) =>
      params.token === 'hash' ? Promise.reject(new Error('connection lost')) : use(params)
    const using = (): Promise<unknown> =>
      storage.useVerificationToken(token.identifier, token.token, 1)
    await expect(using()).rejects.toThrow('connection lost')
    adapter.useVerificationToken = use
    expect(await using()).toEqual(token)
  })
  test('dates may be texts', async () => {
    const adapter = new FakeAdapter()
    adapter.useVerificationToken = async (params) =>
      ({ ...params, expires: '2096-10-02T07:06:40.000Z' }) as never
    const used = await authjsStorage(adapter).useVerificationToken('a', 'b', 1)
    expect(used?.expires).toBe(4_000_000_000)
  })
})

test('getUserByAccount ignores a similar account if the adapter has getAccount', async () => {
  const adapter = new FakeAdapter()
  const find = adapter.getUserByAccount.bind(adapter)
  adapter.getUserByAccount = ({ provider, providerAccountId }) =>
    find({ provider, providerAccountId: providerAccountId.toLowerCase() })
  const storage = authjsStorage(
    Object.assign(adapter, { getAccount: async () => adapter.accounts[0] }),
  )
  await storage.createUser(user, { ...account, providerAccountId: 'abc' })
  expect(await storage.getUserByAccount('github', 'abc')).toBeDefined()
  expect(await storage.getUserByAccount('github', 'ABC')).toBeUndefined()
})

function without(method: string): AuthjsAdapter {
  return Object.assign(new FakeAdapter(), { [method]: undefined })
}
