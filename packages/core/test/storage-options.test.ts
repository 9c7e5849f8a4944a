import { AuthError, ConfigurationError } from '@latchkey/core'
import type { AuthConfig, StorageGroup, Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { storedUsers } from '@latchkey/core/storage'
import { describe, expect, test } from 'vitest'
import { breakableStorage } from './support/breakable.ts'
import { createEmailProvider } from './support/mailbox.ts'
import { getConfigError, passport, serve, signIn } from './support/service.ts'
import type { TestService } from './support/service.ts'

const DAY = 86_400
const sessionCookie = '__Host-latchkey.session'

const allCapabilities: readonly StorageGroup[] = [
  'sessions',
  'sessionData',
  'sessionLists',
  'sessionAccounts',
  'unverifiedEmails',
  'userLists',
  'accountLists',
  'accountUpdates',
  'verificationTokens',
  'increment',
  'revocations',
  'outbox',
  'factors',
]

/** Creates a storage that does not declare some capabilities. */
function createStorageWithout(...missing: readonly StorageGroup[]): Storage {
  const capabilities = allCapabilities.filter((capability) => !missing.includes(capability))
  return { ...memoryStorage(), capabilities }
}

/** Creates a storage that does not implement a method, with all or the given capabilities. */
function createStorageWithoutMethod(
  method: keyof Storage,
  capabilities?: readonly StorageGroup[],
): Storage {
  const storage = { ...memoryStorage(), ...(capabilities && { capabilities }) }
  return Object.fromEntries(Object.entries(storage).filter(([name]) => name !== method)) as never
}

describe('the option storage', () => {
  test.each<keyof Storage>([
    'createUser',
    'getUser',
    'getUserByEmail',
    'getUserByAccount',
    'updateUser',
    'deleteUser',
    'linkAccount',
  ])('requires the method %s', (method) => {
    const expected = ['storage', `does not implement ${method}()`]
    expect(getConfigError(() => ({ storage: createStorageWithoutMethod(method) }))).toEqual(
      expected,
    )
    expect(
      getConfigError(() => ({ storage: createStorageWithoutMethod(method, ['sessions']) })),
    ).toEqual(expected)
  })

  test.each<[StorageGroup, keyof Storage]>([
    ['sessions', 'createSession'],
    ['sessions', 'getSessionAndUser'],
    ['sessions', 'updateSession'],
    ['sessions', 'deleteSession'],
    ['sessionLists', 'listSessions'],
    ['sessionLists', 'deleteSessions'],
    ['sessionAccounts', 'deleteAccountSessions'],
    ['accountLists', 'listAccounts'],
    ['accountLists', 'unlinkAccount'],
    ['accountUpdates', 'updateAccount'],
    ['verificationTokens', 'createVerificationToken'],
    ['verificationTokens', 'useVerificationToken'],
    ['increment', 'increment'],
    ['revocations', 'createRevocation'],
    ['revocations', 'getRevocation'],
    ['outbox', 'takeEvents'],
    ['outbox', 'postponeEvent'],
    ['outbox', 'deleteEvents'],
    ['outbox', 'purgeEvents'],
    ['factors', 'createFactor'],
    ['factors', 'getFactorAndUser'],
    ['factors', 'listFactors'],
    ['factors', 'updateFactor'],
    ['factors', 'deleteFactor'],
  ])('requires, with the capability %s only, the method %s', (capability, method) => {
    const expected = ['storage', `does not implement ${method}()`]
    expect(getConfigError(() => ({ storage: createStorageWithoutMethod(method) }))).toEqual(
      expected,
    )
    expect(
      getConfigError(() => ({ storage: createStorageWithoutMethod(method, [capability]) })),
    ).toEqual(expected)
    const others = allCapabilities.filter((each) => each !== capability)
    const session = { strategy: 'cookie' } as const
    expect(
      getConfigError(() => ({
        storage: createStorageWithoutMethod(method, others),
        session,
      })),
    ).toBeUndefined()
  })

  test('requires functions as methods', () => {
    const storage = { ...memoryStorage(), getUser: 'yes' } as unknown as Storage
    expect(getConfigError(() => ({ storage }))).toEqual(['storage', 'does not implement getUser()'])
  })

  test.each([
    [{}, 'needs the member storedUsers, of @latchkey/core/storage'],
    [{ storedUsers }, 'does not implement createUser()'],
    ['redis://127.0.0.1', 'must be an object, found a string'],
    [42, 'must be an object, found a number'],
    [true, 'must be an object, found a boolean'],
    [null, 'must be an object, found null'],
  ])('refuses %j', (storage, problem) => {
    expect(getConfigError(() => ({ storage: storage as unknown as Storage }))).toEqual([
      'storage',
      problem,
    ])
  })

  test('refuses an unknown capability', () => {
    const storage = {
      ...memoryStorage(),
      capabilities: ['sessions', 'sessionlists'] as StorageGroup[],
    }
    expect(getConfigError(() => ({ storage }))).toEqual([
      'storage',
      expect.stringContaining('sessionlists'),
    ])
  })

  test('is the this value of its methods', async () => {
    const inner = memoryStorage()
    const storage: Storage = {
      ...inner,
      async getUserByAccount(provider, id) {
        if (this !== storage) throw new Error('expected the storage as this')
        return inner.getUserByAccount(provider, id)
      },
    }
    const browser = serve({ storage }).browse()
    await signIn(browser)
    expect(await browser.json('/session')).toMatchObject({ user: { name: 'Person alice' } })
  })
})

describe('the option session.strategy (I-34)', () => {
  const signInForCookie = async (config: Partial<AuthConfig>): Promise<string | undefined> => {
    const browser = serve(config).browse()
    await signIn(browser)
    return browser.cookies.get(sessionCookie)
  }

  test('is storage by default with a storage', async () => {
    expect(await signInForCookie({ storage: memoryStorage() })).toMatch(/^[\w-]{43}$/)
  })

  test('is cookie by default without a storage', async () => {
    expect(await signInForCookie({})).toMatch(/^eyJ/)
  })

  test('cookie with a storage stores users, but no sessions', async () => {
    const storage = memoryStorage()
    expect(await signInForCookie({ storage, session: { strategy: 'cookie' } })).toMatch(/^eyJ/)
    const user = await storage.getUserByAccount('passport', 'alice')
    expect(user).toMatchObject({ name: 'Person alice' })
    expect(await storage.listSessions(user?.id ?? '', 0)).toEqual([])
  })

  test('storage requires a storage', () => {
    expect(getConfigError(() => ({ session: { strategy: 'storage' } }))).toEqual([
      'session.strategy',
      'needs the option storage',
    ])
  })

  test.each([{}, { session: { strategy: 'storage' } } as const])(
    'storage requires the capability sessions, also by default: %j',
    (config) => {
      expect(
        getConfigError(() => ({ storage: createStorageWithout('sessions'), ...config })),
      ).toEqual(['session.strategy', 'needs a storage with the capability sessions'])
    },
  )

  test.each([
    ['jwt', ": next-auth's jwt is cookie"],
    ['database', ": next-auth's database is storage"],
    ['', ''],
    [null, ''],
  ])('refuses %j', (strategy, hint) => {
    const session = { strategy: strategy as 'cookie' }
    const expected = ['session.strategy', `must be cookie or storage${hint}`]
    expect(getConfigError(() => ({ session }))).toEqual(expected)
    expect(getConfigError(() => ({ session, storage: memoryStorage() }))).toEqual(expected)
  })
})

describe('the option session.revocable', () => {
  const session = { strategy: 'cookie', revocable: true } as const

  test('requires a storage', () => {
    const expected = ['session.revocable', 'needs the option storage']
    expect(getConfigError(() => ({ session }))).toEqual(expected)
    expect(getConfigError(() => ({ session: { revocable: true } }))).toEqual(expected)
  })

  test.each(['sessions', 'sessionLists'] as const)('requires the capability %s', (capability) => {
    expect(getConfigError(() => ({ session, storage: createStorageWithout(capability) }))).toEqual([
      'session.revocable',
      `needs a storage with the capability ${capability}`,
    ])
  })

  test('is refused with the strategy storage, whose sessions can always be revoked', () => {
    const expected = ['session.revocable', 'is for the strategy cookie']
    const storage = memoryStorage()
    expect(getConfigError(() => ({ storage, session: { revocable: true } }))).toEqual(expected)
    const stored = { strategy: 'storage', revocable: true } as const
    expect(getConfigError(() => ({ storage, session: stored }))).toEqual(expected)
    expect(getConfigError(() => ({ storage, session }))).toBeUndefined()
  })
})

describe('options that store data in sessions', () => {
  const options: [string, Partial<AuthConfig>][] = [
    ['callbacks.jwt', { callbacks: { jwt: ({ token }) => ({ ...token }) } }],
    ['session.update', { session: { update: ({ token }) => token } }],
    ['session.absoluteMaxAge', { session: { absoluteMaxAge: DAY } }],
  ]

  test.each(options)('%s requires the capability sessionData', (option, config) => {
    expect(
      getConfigError(() => ({ ...config, storage: createStorageWithout('sessionData') })),
    ).toEqual([option, 'needs a storage with the capability sessionData'])
    expect(getConfigError(() => ({ ...config, storage: memoryStorage() }))).toBeUndefined()
  })

  test.each(options)('%s requires no capability with the strategy cookie', (_, config) => {
    const session = { ...config.session, strategy: 'cookie' } as const
    const storage = createStorageWithout('sessionData')
    expect(getConfigError(() => ({ ...config, storage, session }))).toBeUndefined()
  })
})

describe('providers', () => {
  const session = { strategy: 'cookie' } as const

  test('by email require a storage', () => {
    expect(getConfigError(() => ({ providers: [createEmailProvider()] }))).toEqual([
      'providers.email',
      'needs the option storage',
    ])
    // Also if it needs no capability: its links are answered by code that comes with the storage.
    const provider = { ...createEmailProvider(), needs: [] }
    expect(getConfigError(() => ({ providers: [provider] }))).toEqual([
      'providers.email',
      'needs the option storage',
    ])
    expect(
      getConfigError(() => ({ providers: [provider], storage: memoryStorage() })),
    ).toBeUndefined()
  })

  test('by email require the capability verificationTokens', () => {
    expect(
      getConfigError(() => ({
        providers: [createEmailProvider()],
        storage: createStorageWithout('verificationTokens'),
      })),
    ).toEqual(['providers.email', 'needs a storage with the capability verificationTokens'])
  })

  test('with eight-digit codes require the capability increment; with links they do not', () => {
    const storage = createStorageWithout('increment')
    expect(
      getConfigError(() => ({
        providers: [createEmailProvider({ code: true, id: 'post' })],
        storage,
      })),
    ).toEqual(['providers.post', 'needs a storage with the capability increment'])
    expect(getConfigError(() => ({ providers: [createEmailProvider()], storage }))).toBeUndefined()
  })

  test('of the application require the capabilities in their needs', () => {
    const providers = [passport({ needs: ['accountLists', 'accountUpdates'] })]
    expect(getConfigError(() => ({ providers }))).toEqual([
      'providers.passport',
      'needs the option storage',
    ])
    expect(
      getConfigError(() => ({
        providers,
        session,
        storage: createStorageWithout('accountUpdates'),
      })),
    ).toEqual(['providers.passport', 'needs a storage with the capability accountUpdates'])
  })

  test('with linkByVerifiedEmail require a storage (I-38)', () => {
    const providers = [passport({ linkByVerifiedEmail: true })]
    expect(getConfigError(() => ({ providers }))).toEqual([
      'providers.passport.linkByVerifiedEmail',
      'needs the option storage',
    ])
    expect(getConfigError(() => ({ providers, storage: memoryStorage() }))).toBeUndefined()
    expect(
      getConfigError(() => ({ providers: [passport({ linkByVerifiedEmail: false })] })),
    ).toBeUndefined()
  })
})

describe('auth.sessions and auth.accounts', () => {
  const callSessions = ({ auth }: TestService<unknown>): Promise<unknown>[] => [
    auth.sessions.list('a user'),
    auth.sessions.revoke('a user', 'a session'),
    auth.sessions.revokeAll('a user'),
  ]
  const callAccounts = ({ auth }: TestService<unknown>): Promise<unknown>[] => [
    auth.accounts.list('a user'),
    auth.accounts.unlink('a user', { provider: 'passport', providerAccountId: 'alice' }),
  ]

  test.each([
    ['auth.sessions', 'sessionLists', callSessions],
    ['auth.accounts', 'accountLists', callAccounts],
  ] as const)('%s requires the capability %s', async (option, capability, call) => {
    for (const result of call(serve({ storage: createStorageWithout(capability) }))) {
      await expect(result).rejects.toBeInstanceOf(ConfigurationError)
      await expect(result).rejects.toMatchObject({
        option,
        problem: `needs a storage with the capability ${capability}`,
      })
    }
    for (const result of call(serve({ storage: memoryStorage() }))) {
      await expect(result).resolves.not.toThrow()
    }
  })

  test.each([
    ['auth.sessions', callSessions],
    ['auth.accounts', callAccounts],
  ] as const)('%s requires a storage', async (option, call) => {
    for (const result of call(serve())) {
      await expect(result).rejects.toMatchObject({ option, problem: 'needs the option storage' })
    }
  })

  test('reject with Unavailable if the storage fails, without its message', async () => {
    const { storage, fail } = breakableStorage()
    const service = serve({ storage })
    fail()
    // All at once: one that waits for another would be an unhandled rejection.
    const calls = [...callSessions(service), ...callAccounts(service)]
    const reasons = await Promise.all(calls.map((call) => call.catch((reason: unknown) => reason)))
    for (const thrown of reasons) {
      expect(thrown).toBeInstanceOf(AuthError)
      expect(thrown).toMatchObject({ code: 'Unavailable', status: 503 })
      expect((thrown as Error).message).not.toContain('secret')
    }
  })
})
