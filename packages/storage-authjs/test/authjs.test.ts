import type { DrizzleAdapter } from '@auth/drizzle-adapter'
import type { KyselyAdapter } from '@auth/kysely-adapter'
import type PostgresAdapter from '@auth/pg-adapter'
import { ConfigurationError, createAuth } from '@latchkey/core'
import type { NewSession, Provider } from '@latchkey/core'
import { authjsStorage } from '@latchkey/storage-authjs'
import type { AuthjsAdapter } from '@latchkey/storage-authjs'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { FakeAdapter } from './support/fake.ts'

const user = {
  id: 'ours',
  name: 'Alice',
  email: 'alice@example.com',
  emailVerified: true,
  image: null,
}
const account = { provider: 'github', type: 'oauth', providerAccountId: '1', access_token: 'a' }
const other = { ...user, email: 'bob@example.com' }

test('published adapters fit as they are', () => {
  expectTypeOf<ReturnType<typeof PostgresAdapter>>().toExtend<AuthjsAdapter>()
  expectTypeOf<ReturnType<typeof KyselyAdapter>>().toExtend<AuthjsAdapter>()
  expectTypeOf<ReturnType<typeof DrizzleAdapter>>().toExtend<AuthjsAdapter>()
})

describe('what an adapter must have', () => {
  test.for([
    'createUser',
    'getUser',
    'getUserByEmail',
    'getUserByAccount',
    'updateUser',
    'linkAccount',
  ])('without %s it is no storage', (method) => {
    const make = (): unknown => authjsStorage(without(method))
    expect(make).toThrow(ConfigurationError)
    expect(make).toThrow(`storage: the Auth.js adapter does not implement ${method}()`)
  })
  test.for([null, undefined, 'pg', {}])('%o is no adapter', (given) => {
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
  ] as const)('without %s it is capable of %o', ([method, capabilities]) => {
    expect(authjsStorage(without(method)).capabilities).toEqual(capabilities)
  })
  test('a verb that has no method rejects, and names it', async () => {
    const calls = {
      createSession: () => authjsStorage(without('createSession')).createSession('1', newSession()),
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
    'increment',
  ] as const)('no adapter can do %s', async (verb) => {
    const call = authjsStorage(new FakeAdapter())[verb] as () => Promise<unknown>
    await expect(call()).rejects.toThrow(ConfigurationError)
    await expect(call()).rejects.toThrow(verb)
  })
  test('createAuth refuses what the adapter cannot do', () => {
    const provider = { id: 'mail', name: 'Mail', type: 'email', needs: ['verificationTokens'] }
    const make = (adapter: AuthjsAdapter): unknown =>
      createAuth({
        secret: 'a text of at least thirty-two bytes',
        providers: [{ ...provider, begin() {}, finish() {} } as unknown as Provider],
        storage: authjsStorage(adapter),
      })
    expect(make(new FakeAdapter())).toBeDefined()
    expect(() => make(without('useVerificationToken'))).toThrow('verificationTokens')
  })
})

describe('createUser', () => {
  test('the id is the adapter’s, as text', async () => {
    const adapter = new FakeAdapter()
    const storage = authjsStorage(adapter)
    expect(await storage.createUser(user, account, newSession())).toEqual({ ...user, id: '1' })
    expect(adapter.users[0]?.emailVerified).toBeInstanceOf(Date)
    expect(adapter.accounts).toEqual([{ ...account, userId: 1 }])
    expect(adapter.sessions).toMatchObject([{ sessionToken: 'session', userId: 1 }])
  })
  test.for(['linkAccount', 'createSession'] as const)(
    'where %s fails, it is undone',
    async (verb) => {
      const adapter = new FakeAdapter()
      Object.assign(adapter, { [verb]: () => Promise.reject(new Error('disk full')) })
      const storage = authjsStorage(adapter)
      await expect(storage.createUser(user, account, newSession())).rejects.toThrow('disk full')
      expect(adapter).toMatchObject({ users: [], accounts: [], sessions: [] })
    },
  )
  test('where undoing fails too, the first error tells', async () => {
    const adapter = new FakeAdapter()
    adapter.linkAccount = () => Promise.reject(new Error('disk full'))
    adapter.deleteUser = () => Promise.reject(new Error('gone away'))
    await expect(authjsStorage(adapter).createUser(user, account)).rejects.toThrow('disk full')
  })
  test('where it fails for another reason than uniqueness, it rejects', async () => {
    const adapter = new FakeAdapter()
    adapter.createUser = () => Promise.reject(new Error('gone away'))
    await expect(authjsStorage(adapter).createUser(user)).rejects.toThrow('gone away')
  })
  test('an account that another one has linked meanwhile leaves no user behind', async () => {
    const adapter = new FakeAdapter()
    const storage = authjsStorage(adapter)
    const [first, second] = await Promise.all([
      storage.createUser(user, account),
      storage.createUser(other, account),
    ])
    expect([first?.email, second]).toEqual([user.email, undefined])
    expect(adapter.users).toHaveLength(1)
  })
  test('without deleteUser, a failure of the session is not taken for a taken account', async () => {
    const adapter = new FakeAdapter()
    adapter.createSession = () => Promise.reject(new Error('disk full'))
    Object.assign(adapter, { deleteUser: undefined })
    const creating = authjsStorage(adapter).createUser(user, account, newSession())
    await expect(creating).rejects.toThrow('disk full')
  })
})

describe('what is gone', () => {
  test('to delete it again is harmless', async () => {
    const storage = authjsStorage(new FakeAdapter())
    await storage.createUser(user, account, newSession())
    for (let i = 0; i < 2; i++) await storage.deleteSession('session')
    for (let i = 0; i < 2; i++) await storage.deleteUser('1')
  })
  test('a session that has ended is not updated, whether the adapter throws or not', async () => {
    const adapter = new FakeAdapter()
    const changes = { renewedAt: 1, expires: 4_000_000_000, data: '{}' }
    expect(await authjsStorage(adapter).updateSession('session', changes)).toBe(false)
    adapter.updateSession = async () => undefined as never
    expect(await authjsStorage(adapter).updateSession('session', changes)).toBe(false)
  })
  test('an adapter that answers nothing has updated what is there', async () => {
    const adapter = new FakeAdapter()
    const storage = authjsStorage(adapter)
    await storage.createUser(user, account, newSession())
    adapter.updateSession = async () => undefined as never
    const changes = { renewedAt: 1, expires: 4_000_000_000, data: '{}' }
    expect(await storage.updateSession('session', changes)).toBe(true)
  })
  test('a failure is no absence', async () => {
    const adapter = new FakeAdapter()
    const storage = authjsStorage(adapter)
    await storage.createUser(user, account, newSession())
    const fails = (): Promise<never> => Promise.reject(new Error('gone away'))
    Object.assign(adapter, { deleteSession: fails, deleteUser: fails, updateUser: fails })
    Object.assign(adapter, { updateSession: fails, linkAccount: fails })
    const changes = { renewedAt: 1, expires: 2, data: '' }
    await expect(storage.deleteSession('session')).rejects.toThrow('gone away')
    await expect(storage.deleteUser('1')).rejects.toThrow('gone away')
    await expect(storage.updateUser('1', { name: 'A' })).rejects.toThrow('gone away')
    await expect(storage.updateSession('session', changes)).rejects.toThrow('gone away')
    const further = { ...account, providerAccountId: '2' }
    await expect(storage.linkAccount('1', further)).rejects.toThrow('gone away')
  })
  test('a session that cannot replace another one does not begin', async () => {
    const adapter = new FakeAdapter()
    const storage = authjsStorage(adapter)
    await storage.createUser(user, account, newSession())
    const remove = adapter.deleteSession.bind(adapter)
    adapter.deleteSession = (id) =>
      id === 'session' ? Promise.reject(new Error('gone away')) : remove(id)
    const next = { ...newSession(), id: 'next', replaces: 'session' }
    await expect(storage.createSession('1', next)).rejects.toThrow('gone away')
    expect(adapter.sessions.map(({ sessionToken }) => sessionToken)).toEqual(['session'])
  })
})

describe('verification tokens', () => {
  const token = { identifier: 'alice@example.com', token: 'hash', expires: 4_000_000_000 }

  test('an adapter that looks first and deletes then gives one all the same', async () => {
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
  test('a database that is away is no token that was used', async () => {
    const adapter = new FakeAdapter()
    const fails = (): Promise<never> => Promise.reject(new Error('gone away'))
    Object.assign(adapter, { createVerificationToken: fails, getUserByEmail: fails })
    const using = authjsStorage(adapter).useVerificationToken('a', 'b', 1)
    await expect(using).rejects.toThrow('gone away')
  })
  test('an adapter that fails while a token is used lets it be tried again', async () => {
    const adapter = new FakeAdapter()
    const storage = authjsStorage(adapter)
    await storage.createVerificationToken(token)
    const use = adapter.useVerificationToken.bind(adapter)
    adapter.useVerificationToken = (params) =>
      params.token === 'hash' ? Promise.reject(new Error('gone away')) : use(params)
    const using = (): Promise<unknown> =>
      storage.useVerificationToken(token.identifier, token.token, 1)
    await expect(using()).rejects.toThrow('gone away')
    adapter.useVerificationToken = use
    expect(await using()).toEqual(token)
  })
  test('dates may come as texts', async () => {
    const adapter = new FakeAdapter()
    adapter.useVerificationToken = async (params) =>
      ({ ...params, expires: '2096-10-02T07:06:40.000Z' }) as never
    const used = await authjsStorage(adapter).useVerificationToken('a', 'b', 1)
    expect(used?.expires).toBe(4_000_000_000)
  })
})

test('where the adapter can name the account it has found, a similar one is not it', async () => {
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

function newSession(): NewSession {
  return { id: 'session', createdAt: 1, renewedAt: 1, expires: 4_000_000_000, data: '{}' }
}
