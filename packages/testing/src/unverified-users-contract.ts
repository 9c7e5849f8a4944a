import type { StoredUser, Storage, UnverifiedUsers } from '@latchkey/core'
import {
  CONCURRENCY,
  contract,
  createUser,
  newPerson,
  newSession,
  now,
  runConcurrently,
} from './contract-case.ts'
import type { NewPerson, StorageCase } from './contract-case.ts'
import { equal } from './equal.ts'
import { newFactor, requireFactors } from './factors-contract.ts'

/** The cases of the capability `unverifiedUsers`. */
export const unverifiedUserCases: readonly StorageCase[] = [
  contract(
    'listUsersByEmail returns users as getUser does',
    ['unverifiedUsers'],
    async (storage) => {
      const { email } = newPerson().user
      const users = [
        await create(storage, { email }),
        await create(storage, { email }),
        await create(storage, { email, emailVerified: true }),
      ]
      await create(storage)
      const listed = await requireUsers(storage).listUsersByEmail(email ?? '', 9)
      equal(sort(listed), sort(users), 'listUsersByEmail')
      equal((await requireUsers(storage).listUsersByEmail(email ?? '', 2)).length, 2, 'two of them')
    },
  ),
  contract('listUsersByEmail compares exactly', ['unverifiedUsers'], async (storage) => {
    const { email } = await create(storage)
    const users = requireUsers(storage)
    for (const other of [`É${email}`, `${email} `, email?.toUpperCase() ?? '']) {
      await create(storage, { email: other })
    }
    for (const other of ['', '%', `é${email}`]) {
      equal(await users.listUsersByEmail(other, 9), [], 'listUsersByEmail')
    }
    equal((await users.listUsersByEmail(email ?? '', 9)).length, 1, 'listUsersByEmail')
  }),
  contract(
    'listUsersByEmail follows what becomes of a user',
    ['unverifiedUsers'],
    async (storage) => {
      const { id, email } = await create(storage)
      const { email: next } = newPerson().user
      const list = async (wanted: string | null): Promise<readonly string[]> =>
        (await requireUsers(storage).listUsersByEmail(wanted ?? '', 9)).map((user) => user.id)
      await storage.updateUser(id, { email: next })
      equal([await list(email), await list(next)], [[], [id]], 'another email address')
      await storage.updateUser(id, { email: next, emailVerified: true })
      equal(await list(next), [id], 'a verified one')
      await storage.updateUser(id, { email: null })
      equal(await list(next), [], 'none')
      await storage.updateUser(id, { email: next })
      await storage.deleteUser(id)
      equal(await list(next), [], 'a deleted user')
    },
  ),
  contract(
    'joinUser verifies the email address, and keeps the given accounts',
    ['unverifiedUsers', 'accountLists', 'sessions'],
    async (storage) => {
      const { user, account: kept } = newUnverified()
      const [session, theirs] = [newSession(), newSession()]
      await createUser(storage, user, kept, session)
      const ended = newPerson().account
      await storage.linkAccount(user.id, ended)
      const other = newPerson()
      await createUser(storage, other.user, other.account, theirs)
      equal(
        await join(storage, user, [kept, other.account]),
        { ...user, emailVerified: true },
        'the user',
      )
      equal(
        await storage.getUserByEmail(user.email ?? ''),
        { ...user, emailVerified: true },
        'stored',
      )
      equal(toSubjects(await storage.listAccounts(user.id)), [kept.providerAccountId], 'accounts')
      const found = await storage.getUserByAccount(ended.provider, ended.providerAccountId)
      equal(found, undefined, 'the account that ended')
      equal(await storage.getSessionAndUser(session.id, now()), undefined, 'the session')
      equal(
        (await storage.getSessionAndUser(theirs.id, now()))?.user.id,
        other.user.id,
        'of another user',
      )
      equal(toSubjects(await storage.listAccounts(other.user.id)).length, 1, 'of another user')
    },
  ),
  contract(
    'joinUser without accounts to keep ends all, and factors',
    ['unverifiedUsers', 'accountLists', 'factors'],
    async (storage) => {
      const { user, account } = newUnverified()
      const [one, two] = [newFactor(), newFactor()]
      await createUser(storage, user, account, undefined, undefined, one)
      const factors = requireFactors(storage)
      await factors.createFactor(user.id, two)
      equal((await join(storage, user))?.id, user.id, 'joinUser')
      equal(await storage.listAccounts(user.id), [], 'accounts')
      equal(await factors.listFactors(user.id), [], 'factors')
      equal(await factors.createFactor(user.id, one), true, 'the id of the factor is free')
      equal(await storage.linkAccount(user.id, account), true, 'the account is free')
    },
  ),
  ...refusals(),
  contract(
    `of ${CONCURRENCY} concurrent joinUser one succeeds`,
    ['unverifiedUsers', 'accountLists'],
    async (storage) => {
      const { user, account } = newUnverified()
      await createUser(storage, user, account)
      const results = await runConcurrently(() => join(storage, user, [account]))
      equal(results.filter(Boolean).length, 1, 'winners')
      equal(
        toSubjects(await storage.listAccounts(user.id)),
        [account.providerAccountId],
        'accounts',
      )
    },
  ),
  contract(
    'of joinUser and another user who proves the email address, one succeeds',
    ['unverifiedUsers', 'accountLists'],
    async (storage) => {
      const people = Array.from({ length: 20 }, () => newUnverified())
      for (const { user, account } of people) await createUser(storage, user, account)
      const owners = await Promise.all(
        people.map(async ({ user }) => {
          const owner = newPerson({ email: user.email })
          const both = [join(storage, user), storage.createUser(owner.user, owner.account)]
          return (await Promise.all(both)).filter(Boolean).length
        }),
      )
      equal(
        owners,
        people.map(() => 1),
        'owners',
      )
      for (const { user } of people) {
        const { emailVerified = false } = { ...(await storage.getUser(user.id)) }
        const { length } = await storage.listAccounts(user.id)
        equal(length, emailVerified ? 0 : 1, 'all or nothing')
      }
    },
  ),
]

/** A case of joinUser that changes nothing. */
function refuse(
  name: string,
  prepare: (storage: Storage, user: StoredUser) => Promise<unknown>,
  toAsked: (user: StoredUser) => StoredUser = (user) => user,
): StorageCase {
  return contract(
    `joinUser changes nothing of ${name}`,
    ['unverifiedUsers', 'accountLists', 'sessions'],
    async (storage) => {
      const { user, account } = newUnverified()
      const session = newSession()
      await createUser(storage, user, account, session)
      await prepare(storage, user)
      const before = await storage.getUser(user.id)
      equal(await join(storage, toAsked(user)), undefined, 'joinUser')
      equal(await storage.getUser(user.id), before, 'the user')
      equal((await storage.listAccounts(user.id)).length, 1, 'the accounts')
      equal(
        (await storage.getSessionAndUser(session.id, now()))?.session.id,
        session.id,
        'the session',
      )
    },
  )
}

/** What joinUser refuses. */
function refusals(): readonly StorageCase[] {
  return [
    refuse('one of two users with the email address', (storage, { email }) =>
      create(storage, { email }),
    ),
    refuse('a user whose email address another one has verified', (storage, { email }) =>
      create(storage, { email, emailVerified: true }),
    ),
    refuse('a user who has verified it', (storage, { id, email }) =>
      storage.updateUser(id, { email, emailVerified: true }),
    ),
    refuse('a user with another email address', (storage, { id }) =>
      storage.updateUser(id, { email: newPerson().user.email }),
    ),
    refuse(
      'an email address in another case',
      async () => undefined,
      (user) => ({ ...user, email: user.email?.toUpperCase() ?? null }),
    ),
    contract(
      'joinUser changes nothing of an unknown user',
      ['unverifiedUsers'],
      async (storage) => {
        const { id, email } = await create(storage)
        const { id: unknown } = newPerson().user
        equal(await join(storage, { id: unknown, email }), undefined, 'joinUser')
        equal((await storage.getUser(id))?.emailVerified, false, 'the other user')
      },
    ),
  ]
}

function newUnverified(over: Partial<StoredUser> = {}): NewPerson {
  return newPerson({ emailVerified: false, ...over })
}

function create(storage: Storage, over: Partial<StoredUser> = {}): Promise<StoredUser> {
  const { user, account } = newUnverified(over)
  return createUser(storage, user, account)
}

function join(
  storage: Storage,
  { id, email }: Pick<StoredUser, 'id' | 'email'>,
  kept: Parameters<UnverifiedUsers['joinUser']>[2] = [],
): Promise<StoredUser | undefined> {
  return requireUsers(storage).joinUser(id, email ?? '', kept)
}

function requireUsers({ listUsersByEmail, joinUser }: Storage): UnverifiedUsers {
  if (listUsersByEmail && joinUser) return { listUsersByEmail, joinUser }
  throw new Error('expected the methods of the capability unverifiedUsers, found none')
}

function sort(users: readonly StoredUser[]): readonly StoredUser[] {
  return users.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

function toSubjects(
  accounts: readonly { readonly providerAccountId: string }[],
): readonly string[] {
  return accounts.map(({ providerAccountId }) => providerAccountId)
}
