import { ConfigurationError } from '@latchkey/core'
import type { Auth, Identity, Storage, StoredUser, UserChanges } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { userFields } from '@latchkey/core/user-fields'
import type { Browser } from '@latchkey/testing/browser'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { breakableStorage } from './support/breakable.ts'
import { createEmailProvider, requestEmail, serveMail, signInByEmail } from './support/mailbox.ts'
import { serveOutbox } from './support/outbox.ts'
import { getUser, passport, serve, signIn, signInWith } from './support/service.ts'

const fields = userFields({ role: { type: 'text', default: 'member' } })

/** Returns a service with events, and a signed-in user. */
async function serveSignedIn(storage: Storage = memoryStorage()): Promise<{
  readonly auth: Auth
  readonly browser: Browser
  readonly id: string
  readonly events: readonly unknown[]
}> {
  const events: unknown[] = []
  const { auth, browse } = serve({
    storage,
    events: {
      updateUser: (event) => void events.push(event),
      deleteUser: (event) => void events.push(event),
    },
  })
  const browser = browse()
  await signIn(browser)
  const { id } = await getUser(browser)
  return { auth, browser, id, events }
}

describe('auth.users.get (I-61.1)', () => {
  test('returns a stored user with the fields of the application', async () => {
    const { auth, browse } = serve({ storage: memoryStorage({ fields }) })
    const browser = browse()
    await signIn(browser)
    const { id } = await getUser(browser)
    const user = await auth.users.get(id)
    expect(user).toMatchObject({ id, name: 'Person alice', emailVerified: true, role: 'member' })
  })

  test('returns undefined for an unknown user and an invalid id', async () => {
    const { auth } = await serveSignedIn()
    for (const id of ['unknown', '', 'nul\0', 'x'.repeat(256)]) {
      expect(await auth.users.get(id)).toBeUndefined()
    }
  })

  test('finds only exactly this id, also in a database that ignores case', async () => {
    const storage = memoryStorage()
    const { auth, id, events } = await serveSignedIn({
      ...storage,
      getUser: (given) => storage.getUser(given.toLowerCase()),
      deleteUser: (given, rows) => storage.deleteUser(given.toLowerCase(), rows),
    })
    const other = id.toUpperCase()
    expect(await auth.users.get(id)).toMatchObject({ id })
    expect(await auth.users.get(other)).toBeUndefined()
    expect(await auth.users.update(other, { name: 'Renamed' })).toEqual({ refused: 'unknown' })
    expect(await auth.users.delete(other)).toBe(false)
    expect(await auth.users.get(id)).toMatchObject({ name: 'Person alice' })
    expect(events).toEqual([])
  })
})

describe('auth.users.update (I-61.2)', () => {
  test('changes the given members and no others, and emits updateUser', async () => {
    const { auth, id, events } = await serveSignedIn()
    const before = await auth.users.get(id)
    const name = 'Renamed'
    expect(await auth.users.update(id, { name })).toEqual({ user: { ...before, name } })
    expect(await auth.users.get(id)).toEqual({ ...before, name })
    expect(events).toEqual([{ user: { ...before, name } }])
  })

  test('changes the fields of the application, which are typed', async () => {
    const storage = memoryStorage({ fields })
    const { auth, browse } = serve<unknown, { sub: string }, { readonly role: string }>({ storage })
    const browser = browse()
    await signIn(browser)
    const [{ id }] = (await auth.users.list()).users as [StoredUser]
    const { user } = await auth.users.update(id, { role: 'admin' } as UserChanges)
    expect(user).toMatchObject({ role: 'admin' })
    await expect(auth.users.update(id, { role: 5 } as UserChanges)).rejects.toThrow(
      'the user field role must be a text',
    )
    expectTypeOf<Auth<unknown, { sub: string }, { readonly role: string }>['users']>()
      .toHaveProperty('update')
      .parameter(1)
      .toExtend<{ readonly role?: string | undefined }>()
  })

  test('a change without a change emits nothing', async () => {
    const { auth, id, events } = await serveSignedIn()
    const user = await auth.users.get(id)
    for (const changes of [{}, { name: undefined }, { email: 'Alice@Example.com' }]) {
      expect(await auth.users.update(id, changes)).toEqual({ user })
    }
    expect(events).toEqual([])
  })

  test.for<[string, UserChanges, string]>([
    ['an empty name', { name: '' }, 'name must be a text'],
    ['a name of 256 characters', { name: 'x'.repeat(256) }, 'name must be a text'],
    ['a name that changes the direction of text', { name: 'a\u202eb' }, 'name must be a text'],
    ['a name that is a number', { name: 5 as never }, 'name must be a text'],
    ['an email address without a host', { email: 'no-email' }, 'email must be an email address'],
    [
      'an email address of 262 characters',
      { email: `${'x'.repeat(250)}@example.com` },
      'email must be an email address',
    ],
    ['an image that is a script', { image: 'javascript:alert(1)' }, 'image must be an http(s) URL'],
    [
      'a verified email address without the address',
      { emailVerified: true },
      'emailVerified must be a boolean, beside the email address',
    ],
    [
      'no email address, verified',
      { email: null, emailVerified: true },
      'emailVerified must be a boolean, beside',
    ],
    [
      'emailVerified that is a text',
      { email: 'b@example.com', emailVerified: 'yes' as never },
      'emailVerified must be a boolean',
    ],
    ['another id', { id: 'other' } as never, 'id is not a member of users that can be changed'],
    [
      'a misspelt member',
      { nmae: 'Alice' } as never,
      'nmae is not a member of users that can be changed',
    ],
    [
      'a field of the application',
      { role: 'admin' } as never,
      'role is not a member of users that can be changed',
    ],
    [
      'constructor',
      { constructor: 'x' } as never,
      'constructor is not a member of users that can be changed',
    ],
    [
      '__proto__',
      JSON.parse('{"__proto__":{"a":1}}') as never,
      '__proto__ is not a member of users',
    ],
  ])('refuses %s', async ([, changes, problem]) => {
    const { auth, id, events } = await serveSignedIn()
    const before = await auth.users.get(id)
    await expect(auth.users.update(id, changes)).rejects.toThrow(problem)
    await expect(auth.users.update(id, changes)).rejects.toBeInstanceOf(TypeError)
    expect(await auth.users.get(id)).toEqual(before)
    expect(events).toEqual([])
    const valid = { name: 'x'.repeat(255), image: null }
    expect(await auth.users.update(id, valid)).toMatchObject({ user: valid })
  })

  test('an unknown user is refused', async () => {
    const { auth } = await serveSignedIn()
    expect(await auth.users.update('unknown', { name: 'A' })).toEqual({ refused: 'unknown' })
  })

  test('the event is in the outbox, with the step (I-60)', async () => {
    const service = serveOutbox()
    const browser = service.browseAt()
    await signIn(browser)
    const { id: userId } = await getUser(browser)
    await service.flush()
    await service.auth.users.update(userId, { name: 'Renamed' })
    const data = { userId, name: 'Renamed', email: 'alice@example.com', emailVerified: true }
    expect(await service.flush()).toMatchObject([{ type: 'updateUser', data }])
    expect(await service.auth.users.update('unknown', { name: 'A' })).toMatchObject({})
    expect(await service.flush()).toEqual([])
  })
})

describe('a new email address by auth.users.update (I-61.3)', () => {
  const serveEmail = async (
    providers = [passport()],
  ): Promise<{
    readonly service: ReturnType<typeof serveMail>
    readonly browser: Browser
    readonly id: string
  }> => {
    const service = serveMail({ providers })
    const browser = service.browse()
    await signInByEmail(service, browser)
    return { service, browser, id: (await getUser(browser)).id }
  }
  const link = (browser: Browser): Promise<Response> =>
    signInWith(browser, 'passport', 'other', { link: 'true' })

  test('is not verified, and the session continues', async () => {
    const { auth, id, browser } = await serveSignedIn()
    expect(await auth.users.update(id, { email: 'New@Example.com' })).toMatchObject({
      user: { email: 'new@example.com', emailVerified: false },
    })
    expect((await getUser(browser)).id).toBe(id)
  })

  test('is verified if the change says so', async () => {
    const { auth, id } = await serveSignedIn()
    const changes = { email: 'new@example.com', emailVerified: true }
    expect(await auth.users.update(id, changes)).toMatchObject({ user: changes })
  })

  test('the email address that the user has stays verified, unless the change says otherwise', async () => {
    const { auth, id } = await serveSignedIn()
    const email = 'alice@example.com'
    const { user } = await auth.users.update(id, { email, name: 'Renamed' })
    expect(user).toMatchObject({ email, name: 'Renamed', emailVerified: true })
    const unverified = await auth.users.update(id, { email, emailVerified: false })
    expect(unverified.user).toMatchObject({ email, emailVerified: false })
  })

  test('that another user has verified is refused, and changes nothing', async () => {
    const { auth, browse } = serve({ storage: memoryStorage() })
    const browsers = [browse(), browse()] as const
    await signIn(browsers[0])
    await signIn(browsers[1], 'bob')
    const { id } = await getUser(browsers[1])
    const before = await auth.users.get(id)
    const changes = { email: 'alice@example.com', emailVerified: true, name: 'Renamed' }
    expect(await auth.users.update(id, changes)).toEqual({ refused: 'taken' })
    expect(await auth.users.get(id)).toEqual(before)
  })

  test('ends links to the previous one: the new one signs the user in', async () => {
    const { service, id } = await serveEmail()
    const { auth, browse } = service
    const pending = browse()
    await requestEmail(pending)
    const sent = service.mailbox.getLink().href
    const changes = { email: 'new@example.com', emailVerified: true }
    expect(await auth.users.update(id, changes)).toMatchObject({ user: changes })
    await pending.visit(sent)
    expect((await getUser(pending)).id).not.toBe(id)
    const next = browse()
    await signInByEmail(service, next, 'new@example.com')
    expect((await getUser(next)).id).toBe(id)
    expect(await auth.accounts.list(id)).toMatchObject([
      { provider: 'email', type: 'email', providerAccountId: 'new@example.com' },
    ])
  })

  test('that is not verified ends links too, and links no account of the new one', async () => {
    const { service, browser, id } = await serveEmail()
    await link(browser)
    const { user } = await service.auth.users.update(id, { email: 'new@example.com' })
    expect(user).toMatchObject({ email: 'new@example.com', emailVerified: false })
    expect(await service.auth.accounts.list(id)).toMatchObject([{ provider: 'passport' }])
    for (const emailAddress of ['alice@example.com', 'new@example.com']) {
      const other = service.browse()
      await signInByEmail(service, other, emailAddress)
      expect((await getUser(other)).id).not.toBe(id)
    }
  })

  test('that is not verified is refused if the user has no other way to sign in', async () => {
    const { service, id } = await serveEmail()
    const before = await service.auth.users.get(id)
    const changes = { email: 'new@example.com', name: 'Renamed' }
    expect(await service.auth.users.update(id, changes)).toEqual({ refused: 'last' })
    expect(await service.auth.users.get(id)).toEqual(before)
    expect(await service.auth.users.update(id, { email: null })).toEqual({ refused: 'last' })
    expect(await service.auth.users.update(id, { name: 'Renamed' })).toMatchObject({
      user: { name: 'Renamed', emailVerified: true },
    })
  })

  test('by which another user signs in is refused', async () => {
    const { service, id } = await serveEmail()
    const owner = service.browse()
    await signInByEmail(service, owner, 'new@example.com')
    // The other user has another verified email address by now, and still the account of this one.
    const { id: otherId } = await getUser(owner)
    const other = { email: 'elsewhere@example.com', emailVerified: true }
    await service.storage.updateUser(otherId, other)
    const changes = { email: 'new@example.com', emailVerified: true }
    expect(await service.auth.users.update(id, changes)).toEqual({ refused: 'taken' })
    expect(await service.auth.users.get(id)).toMatchObject({ email: 'alice@example.com' })
    expect(await service.auth.accounts.list(id)).toHaveLength(1)
  })

  describe('of a user who signs in by two email providers', () => {
    const setUp = async (): ReturnType<typeof serveEmail> => {
      const second = createEmailProvider({ id: 'second' })
      const found = await serveEmail([passport(), second])
      const account = { provider: 'second', type: 'email', providerAccountId: 'alice@example.com' }
      await found.service.storage.linkAccount(found.id, account)
      return found
    }

    test('that is not verified is refused if there is no other way, and unlinks neither', async () => {
      const { service, browser, id } = await setUp()
      const { auth } = service
      const before = await auth.accounts.list(id)
      expect(before).toHaveLength(2)
      expect(await auth.users.update(id, { email: 'new@example.com' })).toEqual({ refused: 'last' })
      expect(await auth.accounts.list(id)).toEqual(before)
      await link(browser)
      expect(await auth.users.update(id, { email: 'new@example.com' })).toHaveProperty('user')
      expect(await auth.accounts.list(id)).toMatchObject([{ provider: 'passport' }])
    })

    test('by which another user signs in at one of them is refused, and links none', async () => {
      const { service, id } = await setUp()
      const { auth, storage } = service
      const other = service.browse()
      await signIn(other, 'bob')
      const account = { provider: 'second', type: 'email', providerAccountId: 'new@example.com' }
      await storage.linkAccount((await getUser(other)).id, account)
      const before = await auth.accounts.list(id)
      const changes = { email: 'new@example.com', emailVerified: true }
      expect(await auth.users.update(id, changes)).toEqual({ refused: 'taken' })
      expect(await auth.accounts.list(id)).toEqual(before)
      const free = { email: 'free@example.com', emailVerified: true }
      expect(await auth.users.update(id, free)).toMatchObject({ user: free })
      expect(await auth.accounts.list(id)).toMatchObject([
        { provider: 'email', providerAccountId: 'free@example.com' },
        { provider: 'second', providerAccountId: 'free@example.com' },
      ])
    })
  })

  test('is stored as the accounts of the email provider have it', async () => {
    const { service, id } = await serveEmail()
    const { auth } = service
    const email = 'ada@b\u00fccher.example'
    const changes = { email, emailVerified: true }
    expect(await auth.users.update(id, changes)).toMatchObject({
      user: { email: 'ada@xn--bcher-kva.example', emailVerified: true },
    })
    const next = service.browse()
    await signInByEmail(service, next, email)
    expect((await getUser(next)).id).toBe(id)
    const user = await auth.users.get(id)
    expect(await auth.users.update(id, { email })).toEqual({ user })
  })

  test('to which no email is sent is refused if the user has no other way to sign in', async () => {
    const { service, browser, id } = await serveEmail()
    const { auth } = service
    const before = await auth.accounts.list(id)
    const changes = { email: 'j\u00f6rg@example.com', emailVerified: true }
    expect(await auth.users.update(id, changes)).toEqual({ refused: 'last' })
    expect(await auth.accounts.list(id)).toEqual(before)
    await link(browser)
    expect(await auth.users.update(id, changes)).toMatchObject({ user: changes })
    expect(await auth.accounts.list(id)).toMatchObject([{ provider: 'passport' }])
  })

  test('that another user has, in a storage without unverifiedEmails, unlinks nothing', async () => {
    const storage = createUniqueEmailStorage()
    const service = serveMail({ storage })
    const browser = service.browse()
    await signInByEmail(service, browser)
    const { id } = await getUser(browser)
    await link(browser)
    await signInByEmail(service, service.browse(), 'bob@example.com')
    const { auth } = service
    const before = await auth.accounts.list(id)
    expect(before).toHaveLength(2)
    expect(await auth.users.update(id, { email: 'bob@example.com' })).toEqual({ refused: 'taken' })
    expect(await auth.accounts.list(id)).toEqual(before)
    expect(await auth.users.update(id, { email: 'new@example.com' })).toHaveProperty('user')
    expect(await auth.accounts.list(id)).toMatchObject([{ provider: 'passport' }])
  })

  test('a further account by email stays', async () => {
    const { service, browser, id } = await serveEmail()
    await requestEmail(browser, 'second@example.com', { link: 'true' })
    await browser.visit(service.mailbox.getLink().href)
    await service.auth.users.update(id, { email: 'new@example.com' })
    expect(await service.auth.accounts.list(id)).toMatchObject([
      { providerAccountId: 'second@example.com' },
    ])
  })

  test('if the storage fails at any call, the same call completes the change', async () => {
    const methods = [
      'getUser',
      'listAccounts',
      'linkAccount',
      'unlinkAccount',
      'updateUser',
    ] as const
    for (const method of methods) {
      const { storage, fail } = breakableStorage()
      const service = serveMail({ storage })
      await signInByEmail(service, service.browse())
      const [user] = (await service.auth.users.list()).users
      const id = user?.id ?? ''
      const update = (): Promise<unknown> =>
        service.auth.users.update(id, { email: 'new@example.com', emailVerified: true })
      fail([method])
      await expect(update()).rejects.toMatchObject({ code: 'Unavailable' })
      fail([])
      expect(await update()).toMatchObject({ user: { email: 'new@example.com' } })
      expect(await service.auth.accounts.list(id)).toMatchObject([
        { providerAccountId: 'new@example.com' },
      ])
    }
  })
})

/** Creates a storage without the capability `unverifiedEmails`: every email address is unique. */
function createUniqueEmailStorage(): Storage {
  const storage = memoryStorage()
  const find = async (email: string): Promise<StoredUser | undefined> =>
    (await storage.listUsers?.(500))?.find((user) => user.email === email)
  return {
    ...storage,
    capabilities: ['sessions', 'accountLists', 'verificationTokens'],
    getUserByEmail: find,
    async updateUser(id, changes, events) {
      const owner = await find(changes.email ?? '')
      return owner && owner.id !== id ? undefined : storage.updateUser(id, changes, events)
    },
  }
}

describe('auth.users.delete (I-61.4)', () => {
  test.for([{}, { strategy: 'cookie', revocable: true }] as const)(
    'deletes a user with sessions and accounts, and emits deleteUser: %j',
    async (session) => {
      const events: unknown[] = []
      const storage = memoryStorage()
      const deleteUser = (event: unknown): void => void events.push(event)
      const { auth, browse } = serve({ storage, session, events: { deleteUser } })
      const browser = browse()
      await signIn(browser)
      const { id } = await getUser(browser)
      expect(await auth.users.delete('unknown')).toBe(false)
      expect(await auth.users.delete(id)).toBe(true)
      expect(await auth.users.delete(id)).toBe(false)
      expect(events).toEqual([{ userId: id }])
      expect(await browser.json('/session')).toEqual({})
      expect(await storage.getUserByAccount('passport', 'alice')).toBeUndefined()
      await signIn(browser)
      expect((await getUser(browser)).id).not.toBe(id)
    },
  )

  test('with sessions only in cookies, the session ends at its next renewal (I-58)', async () => {
    const { auth, browse, wait } = serve({
      storage: memoryStorage(),
      session: { strategy: 'cookie', acceptsDeletedUsers: true },
    })
    const browser = browse()
    await signIn(browser)
    const { id } = await getUser(browser)
    await auth.users.delete(id)
    expect((await getUser(browser)).id).toBe(id)
    wait(86_401)
    expect(await browser.json('/session')).toEqual({})
  })
})

describe('auth.users.list (I-61.5)', () => {
  test('returns pages that have every user once', async () => {
    const { auth, browse } = serve({ storage: memoryStorage() })
    const names = ['alice', 'bob', 'carol', 'dave', 'erin']
    for (const name of names) await signIn(browse(), name)
    const found = new Set<string | null>()
    const sizes: number[] = []
    let cursor: string | undefined
    do {
      const page = await auth.users.list({ cursor, limit: 2 })
      sizes.push(page.users.length)
      for (const { name } of page.users) found.add(name)
      cursor = page.cursor
    } while (cursor !== undefined)
    expect(sizes).toEqual([2, 2, 1])
    expect(found).toEqual(new Set(names.map((name) => `Person ${name}`)))
    expect((await auth.users.list({ limit: 5 })).cursor).toBeUndefined()
    expect((await auth.users.list()).users).toHaveLength(5)
  })

  test.for([0, 501, 1.5, Number.NaN, '5' as never])('refuses the limit %s', async (limit) => {
    const { auth } = await serveSignedIn()
    await expect(auth.users.list({ limit: 500 })).resolves.toMatchObject({ cursor: undefined })
    await expect(auth.users.list({ limit })).rejects.toThrow('limit must be a whole number')
  })

  test.for<[string, string]>([
    ['an empty text', ''],
    ['a control character', 'nul\0'],
    ['256 characters', 'x'.repeat(256)],
    ['a number', 5 as never],
  ])('refuses a cursor that is %s', async ([, cursor]) => {
    const { auth } = await serveSignedIn()
    await expect(auth.users.list({ cursor: 'x' })).resolves.toBeDefined()
    await expect(auth.users.list({ cursor })).rejects.toThrow('cursor must be the cursor of a page')
  })

  test('needs a storage with userLists; the other methods only a storage', async () => {
    const storage: Storage = { ...memoryStorage(), capabilities: ['sessions'] }
    const { auth, id } = await serveSignedIn(storage)
    await expect(auth.users.list()).rejects.toThrow(
      new ConfigurationError('auth.users', 'needs a storage with the capability userLists'),
    )
    expect(await auth.users.update(id, { name: 'Renamed' })).toHaveProperty('user')
    expect(await auth.users.delete(id)).toBe(true)
    const { listUsers: _, ...unlisted } = memoryStorage()
    await expect(serve({ storage: unlisted }).auth.users.list()).rejects.toThrow('userLists')
    const without = serve().auth
    await expect(without.users.get('id')).rejects.toThrow('auth.users: needs the option storage')
    await expect(without.users.list()).rejects.toThrow('auth.users: needs the option storage')
  })
})

describe('a linked account completes its user (I-39.4)', () => {
  const image = 'https://example.com/alice.png'
  const createProvider = (
    id: string,
    profile: Partial<Identity['profile']> = {},
  ): ReturnType<typeof passport> =>
    passport({
      id,
      name: id,
      identify: (subject) => ({
        profile: {
          name: `Name at ${id}`,
          image,
          email: `${subject}@example.com`,
          emailVerified: true,
          ...profile,
        },
      }),
    })
  const first = createProvider('first')
  const second = createProvider('second')

  test('a user who signed up by email gets name and image of the first account that has them', async () => {
    const events: unknown[] = []
    const updateUser = ({ user, ...event }: { readonly user: StoredUser }): void =>
      void events.push([user.name, event])
    const nameless = createProvider('nameless', { name: null, image: null })
    const service = serveMail({ providers: [nameless, first, second], events: { updateUser } })
    const browser = service.browse()
    await signInByEmail(service, browser)
    const { id } = await getUser(browser)
    const get = (): Promise<unknown> => service.auth.users.get(id)
    expect(await get()).toMatchObject({ name: null, image: null })
    await signInWith(browser, 'nameless', 'other', { link: 'true' })
    expect(await get()).toMatchObject({ name: null, image: null })
    await signInWith(browser, 'first', 'other', { link: 'true' })
    expect(await get()).toMatchObject({ name: 'Name at first', image, email: 'alice@example.com' })
    await signInWith(browser, 'second', 'other', { link: 'true' })
    expect(await get()).toMatchObject({ name: 'Name at first', image })
    expect(events).toEqual([['Name at first', expect.objectContaining({ provider: 'first' })]])
  })

  test('what is set stays', async () => {
    const service = serveMail({ providers: [first] })
    const browser = service.browse()
    await signInByEmail(service, browser)
    const { id } = await getUser(browser)
    await service.auth.users.update(id, { name: 'Own name' })
    await signInWith(browser, 'first', 'other', { link: 'true' })
    expect(await service.auth.users.get(id)).toMatchObject({ name: 'Own name', image })
  })

  test('an account that is linked by a verified email address completes it too', async () => {
    const trusted = { ...first, linkByVerifiedEmail: true }
    const service = serveMail({ providers: [trusted] })
    await signInByEmail(service, service.browse())
    const browser = service.browse()
    await signInWith(browser, 'first')
    const { id, name } = await getUser(browser)
    expect(name).toBe('Name at first')
    expect(await service.auth.users.get(id)).toMatchObject({ name: 'Name at first', image })
    // A sign-in that links nothing changes no stored field (I-40).
    await service.auth.users.update(id, { name: null })
    await signInWith(browser, 'first')
    expect(await service.auth.users.get(id)).toMatchObject({ name: null })
  })

  test('the event is stored with the change (I-60)', async () => {
    const trusted = { ...first, linkByVerifiedEmail: true }
    const service = serveOutbox({ providers: [passport(), trusted] })
    const browser = service.browseAt()
    await signIn(browser)
    const { id } = await getUser(browser)
    await service.storage.updateUser(id, { name: null })
    await service.flush()
    await signInWith(browser, 'first', 'other', { link: 'true' })
    const events = await service.flush()
    expect(events.map(({ type, data }) => [type, data])).toEqual([
      ['linkAccount', expect.anything()],
      [
        'updateUser',
        expect.objectContaining({ userId: id, name: 'Name at first', provider: 'first' }),
      ],
    ])
  })
})
