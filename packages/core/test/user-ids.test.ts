import type { Provider, SignInEvent, Storage } from '@latchkey/core'
import { nextAuthV4 } from '@latchkey/core/import/next-auth-v4'
import { memoryStorage } from '@latchkey/core/memory'
import { newFactor } from '@latchkey/testing/factors-contract'
import { credentials } from '@latchkey/core/providers/credentials'
import { fromAuthJs } from '@latchkey/core/providers/from-auth-js'
import { github } from '@latchkey/core/providers/github'
import { oidc } from '@latchkey/core/providers/oidc'
import { createIssuer } from '@latchkey/testing/issuer'
import { encode } from 'next-auth/jwt'
import { describe, expect, test } from 'vitest'
import { wrapMethods } from '@latchkey/test-support/wrap-methods'
import { createUuid } from '../src/sign-in/resolve-user.ts'
import { client, issuerOptions, oidcConfig } from './support/identity-provider.ts'
import {
  beginSignIn,
  createPageRequest,
  getConfigError,
  getUser,
  passport,
  serve,
  signInWith,
  toCallbackUrl,
} from './support/service.ts'
import type { ServiceOptions, TestService } from './support/service.ts'
import { getId } from './support/user-ids.ts'

test('an id that the service makes is a random UUID (RFC 9562 §5.4)', () => {
  const fill = (byte: number) => (length: number) => new Uint8Array(length).fill(byte)
  expect(createUuid(fill(0xff))).toBe('ffffffff-ffff-4fff-bfff-ffffffffffff')
  expect(createUuid(fill(0))).toBe('00000000-0000-4000-8000-000000000000')
  const count = (length: number) => Uint8Array.from({ length }, (_, i) => i)
  expect(createUuid(count)).toBe('00010203-0405-4607-8809-0a0b0c0d0e0f')
})

type UserId = NonNullable<Provider['userId']>

/** The subjects that had an id before, by provider: the records of an application that came from next-auth. */
const records: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  passport: { '583231': '583231', ada: 'user-1' },
  licence: { '42': '42' },
}
const fromRecords =
  (id: string): UserId =>
  ({ subject }) =>
    records[id]?.[subject]

const passportWith = (userId: UserId, over: Partial<Provider> = {}): Provider =>
  passport({ userId, ...over })
const licenceWith = (userId: UserId, over: Partial<Provider> = {}): Provider =>
  passport({ id: 'licence', name: 'Licence', userId, ...over })

/** The usual mix: two identity providers, and passwords that the application checks. */
const providers = [
  passportWith(fromRecords('passport')),
  licenceWith(fromRecords('licence')),
  credentials({
    fields: { name: { label: 'Name' } },
    authorize: ({ name }) => ({ id: name }),
  }),
]

const noLimits = { startsPerClient: false, callbacksPerClient: false } as const

/** Returns a storage each of whose calls takes a little while, of any length. */
function withDelays(storage: Storage): Storage {
  return wrapMethods(storage, (method) => async (...args) => {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 4))
    return method(...args)
  })
}

const stored = (id: string): Parameters<Storage['createUser']>[0] => ({
  id,
  name: 'Victim',
  email: null,
  emailVerified: false,
  image: null,
})

const places: readonly (readonly [string, () => ServiceOptions])[] = [
  ['without a storage', () => ({ providers })],
  ['with a storage', () => ({ providers, storage: memoryStorage() })],
  [
    'with a storage and sessions in cookies',
    () => ({
      providers,
      storage: memoryStorage(),
      session: { strategy: 'cookie', revocable: true },
    }),
  ],
]

describe.for(places)('userId %s (I-46)', ([place, over]) => {
  test('keeps the ids of known subjects, at each of several providers', async () => {
    const service = serve(over())
    expect(await getId(service, 'passport', '583231')).toBe('583231')
    expect(await getId(service, 'passport', 'ada')).toBe('user-1')
    expect(await getId(service, 'licence', '42')).toBe('42')
    // And again.
    expect(await getId(service, 'passport', 'ada')).toBe('user-1')
  })

  test('an id without a colon may be the id of a provider', async () => {
    const service = serve({ ...over(), providers: [passportWith(() => 'passport')] })
    expect(await getId(service, 'passport', 'bob')).toBe('passport')
  })

  test('undefined and null keep the default', async () => {
    const answers = [undefined, null]
    const service = serve({ ...over(), providers: [passportWith(() => answers.shift())] })
    for (const subject of ['bob', 'carol']) {
      const id = await getId(service, 'passport', subject)
      if (place === 'without a storage') expect(id).toBe(`passport:${subject}`)
      else expect(id).toMatch(/^[\da-f-]{36}$/)
    }
    expect(answers).toEqual([])
  })

  test('may be a promise, and receives the subject and all claims', async () => {
    const asked: unknown[] = []
    const userId: UserId = async (args) => {
      asked.push(args)
      return 'user-9'
    }
    const identify = (): object => ({ claims: { sub: 'grace', tenant: 'navy' } })
    const service = serve({ ...over(), providers: [passport({ userId, identify })] })
    expect(await getId(service, 'passport', 'grace')).toBe('user-9')
    expect(asked).toEqual([{ subject: 'grace', profile: { sub: 'grace', tenant: 'navy' } }])
  })

  test('gives the same id to the token, the callbacks and the events', async () => {
    const ids: [string, unknown][] = []
    const service = serve({
      ...over(),
      callbacks: {
        signIn: ({ user, account }) => {
          ids.push(['callbacks.signIn', user.id])
          expect(account.providerAccountId).toBe('ada')
          return true
        },
        jwt: ({ token, user }) => {
          ids.push(['callbacks.jwt', user?.id ?? token.sub], ['callbacks.jwt', token.sub])
          return token
        },
      },
      events: {
        createUser: ({ user }) => ids.push(['createUser', user.id]),
        linkAccount: ({ user }) => ids.push(['linkAccount', user.id]),
        signIn: ({ user }: SignInEvent) => ids.push(['signIn', user.id]),
      },
    })
    const browser = service.browse()
    await signInWith(browser, 'passport', 'ada')
    await new Promise((resolve) => setTimeout(resolve))
    const token = await service.auth.getToken(createPageRequest(browser))
    expect([token?.sub, (await getUser(browser)).id]).toEqual(['user-1', 'user-1'])
    expect(new Set(ids.map(([, id]) => id))).toEqual(new Set(['user-1']))
    expect(ids.map(([name]) => name)).toEqual(
      expect.arrayContaining(['callbacks.signIn', 'callbacks.jwt', 'signIn']),
    )
  })

  test('the same subject at two providers is always two users', async () => {
    const service = serve(over())
    expect(await getId(service, 'passport', '583231')).toBe('583231')
    expect(await getId(service, 'licence', '583231')).not.toBe('583231')
    expect(await getId(service, 'licence', '42')).toBe('42')
    expect(await getId(service, 'passport', '42')).not.toBe('42')
  })

  test('the same subject at a provider and in credentials is always two users', async () => {
    const service = serve(over())
    expect(await getId(service, 'credentials', 'staff-7')).toBe('staff-7')
    expect(await getId(service, 'passport', 'staff-7')).not.toBe('staff-7')
    expect(await getId(service, 'licence', 'user-1')).not.toBe('user-1')
  })

  test.each([
    'licence:42',
    'passport:victim',
    'credentials:staff-7',
    '',
    'a\0b',
    'a'.repeat(256),
    7,
  ])('the answer of case %# is refused, and logged by the option', async (answer) => {
    let current: unknown = 'user-1'
    const all = [passportWith(() => current as string), ...providers.slice(1)]
    const service = serve({ ...over(), providers: all })
    expect(await getId(service, 'passport', 'ada')).toBe('user-1')
    current = answer
    expect(await getId(service, 'passport', 'mallory')).toBe('Callback')
    expect(JSON.stringify(service.lines)).toContain('providers.passport.userId')
  })

  test.each(['passport:ada', 'urn:user:1', 'other:1'])('the answer %s is not', async (answer) => {
    const service = serve({ ...over(), providers: [passportWith(() => answer)] })
    expect(await getId(service, 'passport', 'ada')).toBe(answer)
  })

  test('that throws refuses the sign-in', async () => {
    let isDown = false
    const userId: UserId = async ({ subject }) => {
      if (isDown) throw new Error('the records cannot be read')
      return subject
    }
    const service = serve({ ...over(), providers: [passportWith(userId)] })
    expect(await getId(service, 'passport', 'ada')).toBe('ada')
    isDown = true
    expect(await getId(service, 'passport', 'bob')).toBe('Callback')
    expect(JSON.stringify(service.lines)).toContain('the records cannot be read')
  })
})

test('without a storage it is asked at every sign-in; with one, once for an unknown account', async () => {
  for (const [over, times] of [
    [{}, 3],
    [{ storage: memoryStorage() }, 1],
  ] as const) {
    const answers = ['first', 'second', 'third']
    const asked = passportWith(() => answers.shift())
    const service = serve({ ...over, providers: [asked] })
    for (let i = 0; i < 3; i++) await getId(service, 'passport', 'ada')
    expect(answers).toHaveLength(3 - times)
  }
})

test('with a storage the answer is kept as the user of the account', async () => {
  const storage = memoryStorage()
  const answers = ['user-1', 'user-2']
  const service = serve({ storage, providers: [passportWith(() => answers.shift())] })
  expect(await getId(service, 'passport', 'ada')).toBe('user-1')
  expect(await getId(service, 'passport', 'ada')).toBe('user-1')
  expect(await storage.listAccounts('user-1')).toMatchObject([{ providerAccountId: 'ada' }])
})

test('an account that a user links is not asked about: it is the user’s of the session', async () => {
  const storage = memoryStorage()
  const asked: string[] = []
  const userId: UserId = ({ subject }) => void asked.push(subject)
  const { browse } = serve({ storage, providers: [passport(), licenceWith(userId)] })
  const browser = browse()
  await signInWith(browser, 'passport')
  const { id } = await getUser(browser)
  await signInWith(browser, 'licence', 'alice-2', { link: 'true' })
  expect(await storage.listAccounts(id)).toHaveLength(2)
  expect(asked).toEqual([])
})

test('concurrent first sign-ins of one account are one user', async () => {
  const storage = memoryStorage()
  const { browse } = serve({ storage, providers })
  const browsers = [browse(), browse(), browse()]
  await Promise.all(browsers.map((browser) => signInWith(browser, 'passport', 'ada')))
  const ids = await Promise.all(browsers.map(async (browser) => (await getUser(browser)).id))
  expect(ids).toEqual(['user-1', 'user-1', 'user-1'])
  expect(await storage.listAccounts('user-1')).toHaveLength(1)
})

test('an imported session and the next sign-in have the same id (I-45)', async () => {
  const secret = 'the NEXTAUTH_SECRET of the application'
  const until = new Date(Date.now() + 86_400_000)
  const importFrom = [nextAuthV4({ secret, until })]
  const browser = serve({ providers, session: { importFrom } }).browse()
  const cookie = await encode({ token: { sub: '583231' }, secret })
  browser.cookies.set('__Secure-next-auth.session-token', cookie)
  expect((await getUser(browser)).id).toBe('583231')
  await browser.submit('/signout')
  await signInWith(browser, 'passport', '583231')
  expect((await getUser(browser)).id).toBe('583231')
})

describe('an id that a stored user has already', () => {
  const echo =
    (): UserId =>
    ({ subject }) =>
      subject

  test('is the account’s if no account reaches the user', async () => {
    const storage = memoryStorage()
    await storage.createUser(stored('user-1'))
    const heard: string[] = []
    const events = {
      createUser: () => heard.push('createUser'),
      linkAccount: () => heard.push('linkAccount'),
    }
    const service = serve({ storage, events, providers: [passportWith(fromRecords('passport'))] })
    expect(await getId(service, 'passport', 'ada')).toBe('user-1')
    expect(await storage.getUser('user-1')).toMatchObject({ name: 'Victim' })
    expect(await storage.listAccounts('user-1')).toMatchObject([{ providerAccountId: 'ada' }])
    expect(heard).toEqual(['linkAccount'])
  })

  test('is refused if another account of the same provider reaches the user', async () => {
    const storage = memoryStorage()
    const service = serve({ storage, providers: [passportWith(() => 'user-1')] })
    expect(await getId(service, 'passport', 'ada')).toBe('user-1')
    expect(await getId(service, 'passport', 'mallory')).toBe('OAuthAccountNotLinked')
    expect(await storage.listAccounts('user-1')).toHaveLength(1)
  })

  test('is the account’s over a storage that keeps no factors', async () => {
    const { listFactors: _, ...storage } = memoryStorage()
    await storage.createUser(stored('user-1'))
    const service = serve({
      storage: {
        ...storage,
        capabilities: ['sessions', 'sessionData', 'accountLists', 'increment'],
      },
      providers: [passportWith(fromRecords('passport'))],
    })
    expect(await getId(service, 'passport', 'ada')).toBe('user-1')
  })

  test('is refused if the user has a factor (I-49.4)', async () => {
    const storage = memoryStorage()
    const service = serve({ storage, providers: [passportWith(echo())] })
    for (const type of ['password', 'passkey', 'totp']) {
      const [user, other] = [stored(`with-${type}`), stored(`without-${type}`)]
      await storage.createUser(user, undefined, undefined, undefined, newFactor({ type }))
      await storage.createUser(other)
      expect(await getId(service, 'passport', other.id)).toBe(other.id)
      expect(await getId(service, 'passport', user.id)).toBe('OAuthAccountNotLinked')
      expect(await storage.listAccounts(user.id)).toEqual([])
    }
  })

  test('is refused if the functions of two providers return any subject, one after the other and simultaneously', async () => {
    const storage = memoryStorage()
    const service = serve({ storage, providers: [passportWith(echo()), licenceWith(echo())] })
    expect(await getId(service, 'passport', '1')).toBe('1')
    expect(await getId(service, 'licence', '1')).toBe('OAuthAccountNotLinked')
    const found = await Promise.all(['passport', 'licence'].map((id) => getId(service, id, '2')))
    expect(new Set(found)).toEqual(new Set(['2', 'OAuthAccountNotLinked']))
    await storage.createUser(stored('3'))
    const joining = await Promise.all(['passport', 'licence'].map((id) => getId(service, id, '3')))
    expect(new Set(joining)).toEqual(new Set(['3', 'OAuthAccountNotLinked']))
    for (const id of ['1', '2', '3']) expect(await storage.listAccounts(id)).toHaveLength(1)
  })

  describe.each([
    ['in the storage', {}],
    ['in cookies', { strategy: 'cookie' }],
    ['revocable', { strategy: 'cookie', revocable: true }],
  ] as const)('of 50 concurrent sign-ins of two identities, with sessions %s,', (_, session) => {
    test('one identity gets it, and no session of the other remains', async () => {
      for (let round = 0; round < 5; round++) {
        const kept = memoryStorage()
        const storage = withDelays(kept)
        await kept.createUser(stored('7'))
        const given = [passportWith(echo()), licenceWith(echo())]
        const service = serve({ storage, session, limits: noLimits, providers: given })
        const attempts = Array.from({ length: 50 }, async (__, i) => {
          const [id, browser] = [i % 2 === 0 ? 'passport' : 'licence', service.browse()]
          const url = toCallbackUrl(await beginSignIn(browser, {}, `/signin/${id}`), '7')
          return { id, browser, url }
        })
        const begun = await Promise.all(attempts)
        await Promise.all(begun.map(({ browser, url }) => browser.visit(url)))
        const accounts = await kept.listAccounts('7')
        expect(accounts).toHaveLength(1)
        const sessions = await Promise.all(begun.map(({ browser }) => browser.json('/session')))
        const signedIn = begun.filter((__, i) => 'user' in (sessions[i] ?? {}))
        expect(new Set(signedIn.map(({ id }) => id))).toEqual(new Set([accounts[0]?.provider]))
      }
    })
  })

  test('is refused beside credentials, which reach every stored user', async () => {
    const storage = memoryStorage()
    await storage.createUser(stored('staff-7'))
    const password = providers[2] as Provider
    const service = serve({ storage, providers: [passportWith(echo()), password] })
    expect(await getId(service, 'passport', 'staff-7')).toBe('OAuthAccountNotLinked')
    expect(await getId(service, 'credentials', 'staff-7')).toBe('staff-7')
    expect(await storage.listAccounts('staff-7')).toEqual([])
    expect(await getId(service, 'credentials', 'staff-8')).toBe('staff-8')
    expect(await getId(service, 'passport', 'staff-8')).toBe('OAuthAccountNotLinked')
  })

  test('is refused if the storage cannot list the accounts of the user', async () => {
    const limited: Storage = {
      ...memoryStorage(),
      capabilities: ['sessions', 'sessionData', 'increment'],
    }
    await limited.createUser(stored('user-1'))
    const service = serve({ storage: limited, providers: [passportWith(fromRecords('passport'))] })
    expect(await getId(service, 'passport', 'ada')).toBe('OAuthAccountNotLinked')
    expect(await getId(service, 'passport', '583231')).toBe('583231')
  })

  test('is refused if only the case of its letters differs, and the storage ignores case', async () => {
    const storage = memoryStorage()
    await storage.createUser(stored('USER-1'))
    const loose: Storage = {
      ...storage,
      getUser: async (id) => storage.getUser(id.toUpperCase()),
      createUser: async (user, ...rest) =>
        (await storage.getUser(user.id.toUpperCase()))
          ? undefined
          : storage.createUser(user, ...rest),
    }
    const service = serve({ storage: loose, providers: [passportWith(fromRecords('passport'))] })
    expect(await getId(service, 'passport', 'ada')).toBe('OAuthCreateAccount')
  })

  test('is refused if the user has a verified email address, unless the identity proves it too', async () => {
    const storage = memoryStorage()
    const email = { email: 'ada@example.com', emailVerified: true }
    await storage.createUser({ ...stored('user-1'), ...email })
    await storage.createUser({ ...stored('583231'), ...email, email: 'other@example.com' })
    const serveWith = (linkByVerifiedEmail: boolean): TestService<unknown> =>
      serve({
        storage,
        providers: [passportWith(fromRecords('passport'), { linkByVerifiedEmail })],
      })
    expect(await getId(serveWith(false), 'passport', 'ada')).toBe('OAuthAccountNotLinked')
    expect(await getId(serveWith(true), 'passport', '583231')).toBe('OAuthAccountNotLinked')
    expect(await storage.listAccounts('583231')).toEqual([])
    expect(await getId(serveWith(true), 'passport', 'ada')).toBe('user-1')
  })

  test('does not give way to a verified email address, nor take it from its user', async () => {
    const storage = memoryStorage()
    const email = { email: 'ada@example.com', emailVerified: true }
    await storage.createUser({ ...stored('victim'), ...email })
    const provider = passportWith(fromRecords('passport'), { linkByVerifiedEmail: true })
    const service = serve({ storage, providers: [provider] })
    expect(await getId(service, 'passport', 'ada')).toBe('OAuthAccountNotLinked')
    expect(await storage.listAccounts('victim')).toEqual([])
    expect(await storage.getUser('user-1')).toBeUndefined()
  })
})

test('a storage that makes its own ids is refused, and keeps nothing of the sign-in', async () => {
  const storage = memoryStorage()
  let isOwn = false
  const owning: Storage = {
    ...storage,
    createUser: (user, ...rest) =>
      storage.createUser({ ...user, id: isOwn ? crypto.randomUUID() : user.id }, ...rest),
    deleteUser: async (id) => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      deleted.push(id)
      await storage.deleteUser(id)
    },
  }
  const deleted: string[] = []
  const service = serve({ storage: owning, providers })
  expect(await getId(service, 'passport', 'ada')).toBe('user-1')
  isOwn = true
  expect(await getId(service, 'passport', '583231')).toBe('Configuration')
  expect(deleted).toHaveLength(1)
  const bare = passport({ subjectAsUserId: true })
  expect(await getId(serve({ storage: owning, providers: [bare] }), 'passport', '1')).toBe(
    'Configuration',
  )
  expect(deleted).toHaveLength(2)
  for (const id of deleted) expect(await storage.getUser(id)).toBeUndefined()
  expect(await storage.getUserByAccount('passport', '583231')).toBeUndefined()
  // Other users have the ids of the storage, as before.
  expect(await getId(service, 'passport', 'unknown')).toMatch(/^[\da-f-]{36}$/)
})

describe('at start-up', () => {
  const password = providers[2] as Provider
  const echo: UserId = ({ subject }) => subject

  test.each<[string, readonly Provider[], string, string]>([
    [
      'a value that is not a function',
      [passportWith('583231' as never)],
      'providers.passport.userId',
      'must be a function, found a string',
    ],
    [
      'subjectAsUserId at the same provider',
      [passportWith(echo, { subjectAsUserId: true })],
      'providers.passport.userId',
      'cannot be used with subjectAsUserId',
    ],
    [
      'subjects that are ids of the application',
      [passportWith(echo, { type: 'custom', kind: 'user' })],
      'providers.passport.userId',
      'is for providers with accounts',
    ],
    [
      'subjectAsUserId beside it',
      [passport({ subjectAsUserId: true }), licenceWith(echo)],
      'providers.passport.subjectAsUserId',
      'whose ids of users have no prefix either',
    ],
    [
      'subjectAsUserId beside credentials',
      [passport({ subjectAsUserId: true }), password],
      'providers.passport.subjectAsUserId',
      'whose ids of users have no prefix either',
    ],
    [
      'one function at two providers',
      [passportWith(echo), licenceWith(echo)],
      'providers.licence.userId',
      'it cannot distinguish their subjects',
    ],
  ])('%s is refused when createAuth is called', (_, list, option, problem) => {
    const [found, reason] = getConfigError(() => ({ providers: list })) ?? []
    expect([found, reason]).toEqual([option, expect.stringContaining(problem)])
  })

  test('it may stand beside credentials and other providers', () => {
    expect(getConfigError(() => ({ providers }))).toBeUndefined()
  })

  test('one function at two providers is accepted with a storage, which keeps their accounts apart', () => {
    const list = [passportWith(echo), licenceWith(echo)]
    expect(getConfigError(() => ({ providers: list }))?.[0]).toBe('providers.licence.userId')
    expect(getConfigError(() => ({ providers: list, storage: memoryStorage() }))).toBeUndefined()
  })
})

describe('it is an option', () => {
  test('of identity providers', () => {
    const userId: UserId = () => 'user-1'
    expect(github({ clientId: 'a', clientSecret: 'b', userId }).userId).toBe(userId)
    expect(github({ clientId: 'a', clientSecret: 'b' }).userId).toBeUndefined()
    const invalid = { clientId: 'a', clientSecret: 'b', userId: 'user-1' as never }
    expect(getConfigError(() => ({ providers: [github(invalid)] }))).toEqual([
      'providers.github.userId',
      'must be a function, found a string',
    ])
  })

  test.each(['oidc', 'fromAuthJs'])('of %s, which receives the claims', async (kind) => {
    const issuer = createIssuer({ ...issuerOptions, ...client, userClaims: { tenant: 'navy' } })
    const userId: UserId = ({ subject, profile }) => `${subject}@${String(profile['tenant'])}`
    const foreign = { ...oidcConfig, ...client, type: 'oidc' as const }
    const provider =
      kind === 'oidc' ? oidc({ ...oidcConfig, userId }) : fromAuthJs(foreign, { userId })
    const browser = serve({ providers: [provider], runtime: { fetch: issuer.fetch } }).browse()
    const url = await beginSignIn(browser, {}, '/signin/op')
    await browser.visit(issuer.authorize(url).href)
    expect((await getUser(browser)).id).toMatch(/@navy$/)
  })
})
