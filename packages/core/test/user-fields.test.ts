import { ConfigurationError, createAuth } from '@latchkey/core'
import type { Storage, StoredUser, UserFields } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { Browser } from '@latchkey/testing/browser'
import { contractFields, userFieldsContract } from '@latchkey/testing/user-fields-contract'
import type { ContractFieldValues } from '@latchkey/testing/user-fields-contract'
import { userFields } from '@latchkey/core/user-fields'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { base, origin, passport, secret, serve, signIn } from './support/service.ts'

const fields = userFields({
  role: { type: 'text', default: 'member' },
  credits: { type: 'integer' },
})

/** Creates a passport whose `profile()` adds some members. */
function addingPassport(added: Readonly<Record<string, unknown>>) {
  return passport({
    identify: (subject) => ({
      profile: { name: 'Alice', email: `${subject}@example.com`, ...added },
    }),
  })
}

describe('a sign-in of a new user (I-40)', () => {
  test('stores the declared members of profile(), and defaults for the others', async () => {
    const storage = memoryStorage({ fields })
    const { browse } = serve({
      storage,
      providers: [addingPassport({ credits: 5, isOwner: true })],
    })
    await signIn(browse())
    const user = await storage.getUserByAccount('passport', 'alice')
    expect(user).toEqual({
      id: user?.id,
      name: 'Alice',
      email: 'alice@example.com',
      emailVerified: false,
      image: null,
      role: 'member',
      credits: 5,
    })
  })

  test('refuses a value of the wrong type, with a line in the log that does not repeat it', async () => {
    const storage = memoryStorage({ fields })
    const added = { role: { $ne: 'private' }, credits: 7 }
    const { browse, lines } = serve({ storage, providers: [addingPassport(added)] })
    await signIn(browse())
    const user = await storage.getUserByAccount('passport', 'alice')
    expect(user).toMatchObject({ role: 'member', credits: 7 })
    expect(lines).toEqual([
      {
        level: 'warn',
        message: 'profile() returned user fields of the wrong type',
        details: { error: 'Callback', provider: 'passport', fields: ['role'] },
      },
    ])
  })

  test('gives callbacks and events the values as they are stored', async () => {
    const received: unknown[] = []
    const storage = memoryStorage({ fields })
    const auth = createAuth({
      serviceUrl: origin,
      secret,
      storage,
      providers: [addingPassport({ credits: '9', locale: 'de' })],
      logger: { error() {}, warn() {} },
      callbacks: {
        signIn({ user }) {
          received.push([user.role, user.credits, user['locale']])
          return true
        },
        jwt(args) {
          if (args.trigger !== 'renew') received.push([args.user.role, args.user.credits])
          return args.token
        },
      },
      events: { createUser: ({ user }) => received.push([user['role'], user['credits']]) },
    })
    await signIn(new Browser((request) => auth.handle(request), base))
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(received).toEqual([
      ['member', null, 'de'],
      ['member', null],
      ['member', null],
    ])
  })
})

test('a later sign-in changes no stored value, as in next-auth v4', async () => {
  const storage = memoryStorage({ fields })
  const before = serve({ storage, providers: [addingPassport({ role: 'editor', credits: 1 })] })
  await signIn(before.browse())
  const { id = '' } = (await storage.getUserByAccount('passport', 'alice')) ?? {}
  await storage.updateUser(id, { role: 'admin', credits: null })
  const seen: unknown[] = []
  const { browse } = serve({
    storage,
    providers: [addingPassport({ role: 'owner', credits: 99 })],
    callbacks: {
      jwt(args) {
        if (args.trigger !== 'renew') seen.push([args.user['role'], args.user['credits']])
        return args.token
      },
    },
  })
  await signIn(browse())
  expect(await storage.getUser(id)).toMatchObject({ role: 'admin', credits: null })
  expect(seen).toEqual([['admin', null]])
})

describe('a client', () => {
  const storage = (): Storage<{ readonly role: string; readonly credits: number | null }> =>
    memoryStorage({ fields })
  const providers = [addingPassport({ role: 'private-role', credits: 987654321012345 })]

  test.for(['storage', 'cookie'] as const)(
    'sees no field by default, strategy %s (I-33)',
    async (strategy) => {
      const { browse } = serve({ storage: storage(), providers, session: { strategy } })
      const browser = browse()
      await signIn(browser)
      const session = await (await browser.visit('/session')).text()
      expect(session).toContain('alice@example.com')
      expect(session).not.toContain('private-role')
      expect(session).not.toContain('987654321012345')
    },
  )

  test('sees what callbacks.session returns', async () => {
    const { auth } = createTyped()
    const browser = new Browser((request) => auth.handle(request), base)
    await signIn(browser)
    expect(await browser.json('/session')).toMatchObject({
      role: 'private-role',
      credits: 987654321012345,
    })
  })

  test('keeps no field in the cookie unless callbacks.jwt returns it', async () => {
    const tokens: unknown[] = []
    const { browse } = serve({
      storage: storage(),
      providers,
      session: { strategy: 'cookie' },
      callbacks: {
        session({ session, token }) {
          tokens.push(token)
          return session
        },
      },
    })
    const browser = browse()
    await signIn(browser)
    await browser.visit('/session')
    expect(Object.keys(tokens[0] as object).toSorted()).toEqual([
      'email',
      'email_verified',
      'name',
      'picture',
      'sub',
    ])
  })

  /** Also the type test: each member is inferred from `fields`, whatever the order of the options. */
  function createTyped() {
    const auth = createAuth({
      serviceUrl: origin,
      secret,
      callbacks: {
        session({ session, user }) {
          expectTypeOf(user).toEqualTypeOf<
            (StoredUser & { readonly role: string; readonly credits: number | null }) | undefined
          >()
          return { ...session, role: user?.role, credits: user?.credits }
        },
        signIn: ({ user }) => user.role !== 'blocked',
      },
      providers,
      storage: memoryStorage({
        fields: userFields({
          role: { type: 'text', default: 'member' },
          credits: { type: 'integer' },
        }),
      }),
    })
    type Session = NonNullable<Awaited<ReturnType<typeof auth.getSession>>['session']>
    expectTypeOf<Session['role']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<Session['credits']>().toEqualTypeOf<number | null | undefined>()
    return { auth }
  }
})

describe('types', () => {
  test('of every declaration', () => {
    expectTypeOf(
      userFields({
        a: { type: 'text' },
        b: { type: 'integer', default: 1 },
        c: { type: 'number' },
        d: { type: 'boolean', default: false },
        e: { type: 'date' },
        f: { type: 'json' },
      }),
    ).toEqualTypeOf<
      UserFields<{
        readonly a: string | null
        readonly b: number
        readonly c: number | null
        readonly d: boolean
        readonly e: Date | null
        readonly f: unknown
      }>
    >()
  })
  test('without fields are the types of a plain storage', () => {
    expectTypeOf(memoryStorage()).toEqualTypeOf<Storage>()
    expectTypeOf<Storage['getUser']>().returns.resolves.toEqualTypeOf<StoredUser | undefined>()
    const auth = createAuth({
      secret,
      providers: [passport()],
      storage: memoryStorage(),
      callbacks: {
        session({ session, user }) {
          expectTypeOf(user).toEqualTypeOf<StoredUser | undefined>()
          // @ts-expect-error -- no such field is declared
          return { ...session, role: user?.role as unknown }
        },
      },
    })
    expect(auth.basePath).toBe('/api/auth')
  })
  test('refuse values of the wrong type', () => {
    const storage = memoryStorage({ fields })
    const refused = (): unknown[] => [
      // @ts-expect-error -- the type is integer
      storage.updateUser('1', { credits: 'many' }),
      // @ts-expect-error -- the field has a default
      storage.updateUser('1', { role: null }),
      // @ts-expect-error -- the default has another type
      userFields({ a: { type: 'integer', default: 'one' } }),
      // @ts-expect-error -- there is no such type
      userFields({ a: { type: 'varchar' } }),
    ]
    expect(refused).toBeInstanceOf(Function)
    expectTypeOf(storage).toExtend<Storage>()
  })
})

describe('userFields refuses', () => {
  const refusals: readonly (readonly [name: string, declaration: unknown, problem: string])[] = [
    ...['', '1a', 'a-b', 'a b', '_a', 'ä', '__proto__', 'a"', 'a`', "a'", `a${'b'.repeat(40)}`].map(
      (name) => [name, { type: 'text' }, 'the name must match'] as const,
    ),
    ...[
      'id',
      'ID',
      'name',
      'email',
      'emailVerified',
      'email_verified',
      'unverified_email',
      'image',
    ].map((name) => [name, { type: 'text' }, 'the name is reserved'] as const),
    ...['constructor', 'toString', 'latchkey_role', 'Latchkey_', 'rowid', 'ctid', 'xmin'].map(
      (name) => [name, { type: 'text' }, 'the name is reserved'] as const,
    ),
    ...['oid', 'cmin', 'cmax', 'xmax', 'tableoid'].map(
      (name) => [name, { type: 'text' }, 'the name is reserved'] as const,
    ),
    ['a', { type: 'varchar' }, '.type: must be one of text, integer'],
    ['a', {}, '.type: must be one of text, integer'],
    ['a', { type: 'toString' }, '.type: must be one of text, integer'],
    ['a', { type: 'text', defualt: 'b' }, 'did you mean default?'],
    ['a', { type: 'text', default: 1 }, '.default: must be a text'],
    ['a', { type: 'text', default: null }, '.default: must be a text'],
    ['a', { type: 'text', default: '\0' }, '.default: must be a text'],
    ['a', { type: 'integer', default: 0.5 }, '.default: must be a safe integer'],
    ['a', { type: 'number', default: Number.NaN }, '.default: must be a finite number'],
    ['a', { type: 'boolean', default: 0 }, '.default: must be true or false'],
    ['a', { type: 'date', default: '2031-01-01' }, '.default: must be a valid Date'],
    ['a', { type: 'date', default: new Date(Number.NaN) }, '.default: must be a valid Date'],
    ['a', { type: 'json', default: 1n }, '.default: must be a value'],
  ]
  test.for(refusals)('the field %j: %o', ([name, declaration, problem]) => {
    const declare = (): unknown => userFields(Object.fromEntries([[name, declaration]]) as never)
    expect(declare).toThrow(ConfigurationError)
    expect(declare).toThrow(problem)
    expect(declare).toThrow(/^fields\./)
  })
  test('two names that differ in case only', () => {
    expect(() => userFields({ role: { type: 'text' }, Role: { type: 'text' } })).toThrow(
      'fields.Role: another field has this name, apart from case',
    )
  })
  test('more than fifty fields', () => {
    const declare = (count: number): unknown =>
      userFields(
        Object.fromEntries(
          Array.from({ length: count }, (_, i) => [`field${i}`, { type: 'text' } as const]),
        ),
      )
    expect(declare(50)).toBeDefined()
    expect(() => declare(51)).toThrow('fields: must be at most 50')
  })
})

test('memoryStorage refuses fields that userFields has not created', () => {
  const given = { role: { type: 'text' } } as unknown as UserFields
  expect(() => memoryStorage({ fields: given })).toThrow('fields: must be created by userFields(…)')
})

test('no two users share the object of a default', async () => {
  const storage = memoryStorage({
    fields: userFields({ tags: { type: 'json', default: [] }, since: { type: 'date' } }),
  })
  const create = (id: string) =>
    storage.createUser({ id, name: null, email: null, emailVerified: false, image: null })
  const [one, two] = await Promise.all([create('1'), create('2')])
  const tags = one?.tags as string[]
  tags.push('changed')
  expect(two?.tags).toEqual([])
})

describe('columns', () => {
  const decode = (credits: unknown): unknown => fields.decode({ credits })

  test('that are not given have their defaults, or are null', () => {
    const empty = { role: 'member', credits: null }
    expect(fields.encodeUser({})).toEqual(empty)
    expect(fields.decode({})).toEqual(empty)
    expect(fields.decode({ credits: 7 })).toEqual({ ...empty, credits: 7 })
  })

  test.for(['7', ' 7 ', 7n, 7])('an integer is read from %o', (column) => {
    expect(decode(column)).toEqual({ role: 'member', credits: 7 })
  })

  test.for(['', ' ', 'x', [7], {}, new Date(7), '0.5'])('no integer is read from %o', (column) => {
    expect(() => decode(column)).toThrow('the column credits of a user must be a safe integer')
  })

  test.for([
    [true, true],
    [false, false],
    [1, true],
    ['0', false],
    [1n, true],
  ])('a boolean is read from %o', ([column, value]) => {
    const switches = userFields({ isMember: { type: 'boolean' } })
    expect(switches.decode({ isMember: column })).toEqual({ isMember: value })
  })

  test('the message about a value says what it must be, and not what it is', () => {
    expect(() => fields.encodeChanges({ credits: 'many' })).toThrow(
      /^the user field credits must be a safe integer or null, found another value \(string\)$/,
    )
    expect(() => fields.encodeChanges({ role: null })).toThrow(/surrogates, found null$/)
  })

  test('a value as JSON has at most 10,000 characters', () => {
    const noted = userFields({ notes: { type: 'json' } })
    const text = 'x'.repeat(10_000 - '""'.length)
    expect(noted.encodeChanges({ notes: text })).toEqual({ notes: `"${text}"` })
    expect(() => noted.encodeChanges({ notes: `${text}x` })).toThrow(
      'at most 10000 characters as JSON',
    )
  })
})

/** Replaces methods of a correct storage with faulty ones. */
type Fault = (s: Storage<ContractFieldValues>) => Partial<Storage<ContractFieldValues>>

const faults: Readonly<Record<string, Fault>> = {
  'createUser ignores fields': (s) => ({
    createUser: ({ id, name, email, emailVerified, image }, account, session) =>
      s.createUser({ id, name, email, emailVerified, image }, account, session),
  }),
  'updateUser resets the other fields': (s) => ({
    updateUser: (id, changes) =>
      s.updateUser(id, { ...contractFields.fromProfile({}).values, ...changes }),
  }),
  'getSessionAndUser leaves fields out': (s) => ({
    async getSessionAndUser(id, now) {
      const found = await s.getSessionAndUser(id, now)
      return found && { ...found, user: { ...found.user, role: 'member' } }
    },
  }),
  'dates are returned as texts': (s) => ({
    async getUser(id) {
      const user = await s.getUser(id)
      return user && { ...user, trialEnds: user.trialEnds?.toJSON() as unknown as Date }
    },
  }),
  'wrong values are written as the default': (s) => ({
    updateUser: (id, changes) =>
      s.updateUser(id, changes).catch(() => s.updateUser(id, { name: 'Renamed' })),
  }),
  'a field keeps emailVerified with a new email address': (s) => ({
    updateUser: (id, changes) =>
      s.updateUser(id, { ...changes, ...(changes.role && { emailVerified: true }) }),
  }),
}

test.for(Object.entries(faults))('the contract finds: %s', async ([, fault]) => {
  const failures: string[] = []
  for (const { name, run } of userFieldsContract) {
    const correct = memoryStorage({ fields: contractFields })
    await run({ ...correct, ...fault(correct) }).catch(() => failures.push(name))
  }
  expect(failures).not.toEqual([])
})
