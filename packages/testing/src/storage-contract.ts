import type { SessionAccount, Storage } from '@latchkey/core'
import {
  CONCURRENCY,
  contract,
  createUser,
  getByAccount,
  HOUR,
  newEmail,
  newKey,
  newPerson,
  newSession,
  newSessionAccount,
  newUuid,
  now,
  runConcurrently,
  runConcurrentlyOn,
  unlink,
} from './contract-case.ts'
import type { StorageCase } from './contract-case.ts'
import { getCapabilities } from '@latchkey/core/unstable'
import { factorCases } from './factors-contract.ts'
import { accountTimeCases } from './account-times-contract.ts'
import { clientCases, grantCases } from './grants-contract.ts'
import { unverifiedUserCases } from './unverified-users-contract.ts'
import { userListCases } from './user-list-contract.ts'
import { equal } from './equal.ts'
import { outboxCases } from './outbox-contract.ts'
import { stepCases } from './steps-contract.ts'

const withoutEmail = { email: null, emailVerified: false }

/**
 * The contract of {@link Storage} as plain data, for any test framework. {@link getStorageCases} returns the cases
 * of what a storage can do.
 *
 * @example
 *   import { memoryStorage } from '@latchkey/core/memory'
 *   import { getStorageCases } from '@latchkey/testing/storage-contract'
 *
 *   const storage = memoryStorage()
 *   for (const { name, run } of getStorageCases(storage)) {
 *     await run(storage)
 *     console.log(`ok: ${name}`)
 *   }
 */
export const storageContract: readonly StorageCase[] = [
  contract('createUser stores a user, and every getter returns it', [], async (storage) => {
    const { user, account } = newPerson()
    const stored = await createUser(storage, user, account)
    equal(stored, { ...user, id: stored.id }, 'createUser')
    equal(await storage.getUser(stored.id), stored, 'getUser')
    equal(await storage.getUserByEmail(user.email ?? ''), stored, 'getUserByEmail')
    equal(await getByAccount(storage, account), stored, 'getUserByAccount')
  }),
  contract('getters return undefined for unknown keys', [], async (storage) => {
    const { account } = newPerson()
    equal(await storage.getUser(newUuid()), undefined, 'getUser')
    equal(await storage.getUserByEmail(`${newKey()}@example.com`), undefined, 'getUserByEmail')
    equal(await getByAccount(storage, account), undefined, 'getUserByAccount')
    equal(await storage.updateUser(newUuid(), { name: 'Unknown' }), undefined, 'updateUser')
  }),
  contract('fields may be null, and texts of any script survive', [], async (storage) => {
    const { user } = newPerson({ name: null, email: null, image: null, emailVerified: false })
    const stored = await createUser(storage, user)
    equal(await storage.getUser(stored.id), { ...user, id: stored.id }, 'getUser')
    const other = await createUser(
      storage,
      newPerson({ email: null, name: `Zoë ‏שרה 😀 '";--` }).user,
    )
    equal((await storage.getUser(other.id))?.name, `Zoë ‏שרה 😀 '";--`, 'name')
  }),
  contract(
    'createUser with the verified email address of another user stores nothing',
    [],
    async (storage) => {
      const first = newPerson()
      const stored = await createUser(storage, first.user, first.account)
      const second = newPerson({ email: first.user.email })
      equal(await storage.createUser(second.user, second.account), undefined, 'createUser')
      equal(await getByAccount(storage, second.account), undefined, 'the second account')
      equal(
        await storage.getUserByEmail(first.user.email ?? ''),
        stored,
        'the owner of the email address',
      )
    },
  ),
  contract('createUser with the account of another user stores nothing', [], async (storage) => {
    const first = newPerson()
    const stored = await createUser(storage, first.user, first.account)
    const second = newPerson()
    equal(await storage.createUser(second.user, first.account), undefined, 'createUser')
    equal(await storage.getUserByEmail(second.user.email ?? ''), undefined, 'the second user')
    equal(await getByAccount(storage, first.account), stored, 'the owner of the account')
  }),
  contract(
    'createUser with the id of another user does not change that user',
    [],
    async (storage) => {
      const stored = await createUser(storage, newPerson().user)
      const { user, account } = newPerson()
      // Some storages choose the ids of users, others may reject.
      const created = await storage
        .createUser({ ...user, id: stored.id }, account)
        .catch(() => undefined)
      equal(created?.id === stored.id, false, 'createUser')
      equal(await storage.getUser(stored.id), stored, 'getUser')
    },
  ),
  contract('accounts are told apart by provider and subject, exactly', [], async (storage) => {
    const { user, account } = newPerson()
    const subject = `${account.providerAccountId} Ä`
    await createUser(storage, user, { ...account, providerAccountId: subject })
    const near = [
      subject.toLowerCase(),
      subject.toUpperCase(),
      subject.replace('Ä', 'A'),
      `${subject} `,
      ` ${subject}`,
    ]
    for (const providerAccountId of near) {
      const found = await getByAccount(storage, { ...account, providerAccountId })
      equal(found, undefined, providerAccountId)
    }
    const other = { ...account, providerAccountId: subject, provider: `x${account.provider}` }
    equal(await getByAccount(storage, other), undefined, 'another provider')
  }),
  contract('updateUser changes the given members and no others', [], async (storage) => {
    const stored = await createUser(storage, newPerson({ emailVerified: false }).user)
    const changed = await storage.updateUser(stored.id, { emailVerified: true, name: 'Renamed' })
    equal(changed, { ...stored, emailVerified: true, name: 'Renamed' }, 'updateUser')
    equal(await storage.getUser(stored.id), changed, 'getUser')
    equal(await storage.updateUser(stored.id, {}), changed, 'without changes')
    const withId = { id: newUuid(), name: 'Renamed' }
    equal(await storage.updateUser(stored.id, withId), changed, 'with another id')
    equal(await storage.getUser(stored.id), changed, 'getUser after another id')
  }),
  contract('updateUser refuses the verified email address of another user', [], async (storage) => {
    const [one, two] = [
      await createUser(storage, newPerson().user),
      await createUser(storage, newPerson().user),
    ]
    const { email } = one
    const changes = { email, emailVerified: true, name: 'Renamed' }
    equal(await storage.updateUser(two.id, changes), undefined, 'updateUser')
    equal(await storage.getUser(two.id), two, 'the other user')
    equal(await storage.getUserByEmail(email ?? ''), one, 'the owner of the email address')
    const own = { email: two.email, emailVerified: true }
    equal(await storage.updateUser(two.id, own), two, 'its own email address')
    equal(await storage.getUserByEmail(two.email ?? ''), two, 'the owner of the other one')
  }),
  contract(
    'updateUser with an email address makes it unverified unless it says otherwise',
    [],
    async (storage) => {
      const stored = await createUser(storage, newPerson().user)
      const email = newEmail()
      const changed = { ...stored, email, emailVerified: false }
      equal(await storage.updateUser(stored.id, { email }), changed, 'another email address')
      equal(await storage.getUser(stored.id), changed, 'getUser')
      const verified = { ...changed, email: newEmail(), emailVerified: true }
      const { email: next, emailVerified } = verified
      equal(
        await storage.updateUser(stored.id, { email: next, emailVerified }),
        verified,
        'verified',
      )
      equal(await storage.getUser(stored.id), verified, 'getUser')
      const renamed = { ...verified, name: 'Renamed' }
      equal(await storage.updateUser(stored.id, { name: 'Renamed' }), renamed, 'another field')
      const same = { ...renamed, emailVerified: false }
      equal(await storage.updateUser(stored.id, { email: next }), same, 'the same email address')
    },
  ),
  contract('updateUser frees the previous email address', [], async (storage) => {
    const [one, two] = [
      await createUser(storage, newPerson().user),
      await createUser(storage, newPerson().user),
    ]
    const { email } = one
    await storage.updateUser(one.id, { email: newEmail() })
    equal(await storage.getUserByEmail(email ?? ''), undefined, 'the previous email address')
    const owner = { ...two, email }
    equal(await storage.updateUser(two.id, { email, emailVerified: true }), owner, 'another user')
    equal(await storage.getUserByEmail(email ?? ''), owner, 'the owner')
  }),
  contract('updateUser removes an email address', [], async (storage) => {
    const stored = await createUser(storage, newPerson().user)
    const removed = { ...stored, email: null, emailVerified: false }
    equal(await storage.updateUser(stored.id, { email: null }), removed, 'updateUser')
    equal(await storage.getUser(stored.id), removed, 'getUser')
    equal(await storage.getUserByEmail(stored.email ?? ''), undefined, 'getUserByEmail')
    const { user } = newPerson({ email: stored.email })
    equal((await createUser(storage, user)).email, stored.email, 'another user')
  }),
  contract(
    'several users have the same unverified email address, and none of them owns it',
    ['unverifiedEmails'],
    async (storage) => {
      const email = newEmail()
      const people = [1, 2].map(() => newPerson({ email, emailVerified: false }))
      for (const { user, account } of people) {
        equal(await createUser(storage, user, account), user, 'createUser')
      }
      for (const { user, account } of people) {
        equal(await storage.getUser(user.id), user, 'getUser')
        equal(await getByAccount(storage, account), user, 'getUserByAccount')
      }
      equal(await storage.getUserByEmail(email), undefined, 'getUserByEmail')
      const { id } = await createUser(storage, newPerson().user)
      equal((await storage.updateUser(id, { email }))?.email, email, 'updateUser')
      equal(await storage.getUserByEmail(email), undefined, 'getUserByEmail')
    },
  ),
  contract(
    'a verified email address may be the unverified one of other users',
    ['unverifiedEmails'],
    async (storage) => {
      const email = newEmail()
      const [before, owner, after] = [
        newPerson({ email, emailVerified: false }).user,
        newPerson({ email }).user,
        newPerson({ email, emailVerified: false }).user,
      ]
      for (const user of [before, owner, after])
        equal(await createUser(storage, user), user, 'user')
      const expectOwner = async (what: string): Promise<void> =>
        equal(await storage.getUserByEmail(email), owner, what)
      await expectOwner('the owner')
      await storage.updateUser(after.id, { email: newEmail() })
      await expectOwner('after another user has changed the email address')
      await storage.updateUser(after.id, { email })
      await storage.deleteUser(before.id)
      await expectOwner('after another user was deleted')
      await storage.deleteUser(owner.id)
      equal(await storage.getUserByEmail(email), undefined, 'after the owner was deleted')
      equal((await storage.getUser(after.id))?.email, email, 'the other user')
    },
  ),
  contract(
    'updateUser verifies an email address that no other user has verified',
    ['unverifiedEmails'],
    async (storage) => {
      const email = newEmail()
      const unverified = { email, emailVerified: false }
      const [{ user: one }, { user: two }] = [newPerson(unverified), newPerson(unverified)]
      for (const user of [one, two]) await createUser(storage, user)
      const owner = { ...one, emailVerified: true }
      equal(await storage.updateUser(one.id, { emailVerified: true }), owner, 'the first')
      equal(await storage.getUserByEmail(email), owner, 'the owner')
      const renamed = { emailVerified: true, name: 'Renamed' }
      equal(await storage.updateUser(two.id, renamed), undefined, 'the second')
      equal(await storage.getUser(two.id), two, 'the second user')
      const third = newPerson({ email })
      equal(await storage.createUser(third.user, third.account), undefined, 'createUser')
      equal(await getByAccount(storage, third.account), undefined, 'its account')
      equal(await storage.updateUser(one.id, { emailVerified: false }), one, 'unverified again')
      equal(await storage.getUserByEmail(email), undefined, 'the owner then')
      const next = { ...two, emailVerified: true }
      equal(await storage.updateUser(two.id, { email, emailVerified: true }), next, 'the second')
      equal(await storage.getUserByEmail(email), next, 'the owner at last')
    },
  ),
  contract(
    `one of ${CONCURRENCY} concurrent users verifies the email address`,
    ['unverifiedEmails'],
    async (storage) => {
      const email = newEmail()
      const users = Array.from({ length: CONCURRENCY }, (_, i) => {
        const isStored = i % 2 === 0
        return newPerson({ email, emailVerified: !isStored }).user
      })
      for (const user of users) if (!user.emailVerified) await createUser(storage, user)
      const results = await runConcurrentlyOn(users, (user) =>
        user.emailVerified
          ? storage.createUser(user)
          : storage.updateUser(user.id, { emailVerified: true }),
      )
      const winners = results.filter((user) => user !== undefined)
      equal(winners.length, 1, 'winners')
      equal(await storage.getUserByEmail(email), winners[0], 'the owner of the email address')
      const stored = await Promise.all(users.map(({ id }) => storage.getUser(id)))
      equal(stored.filter((user) => user?.emailVerified).length, 1, 'users who have verified it')
    },
  ),
  contract('linkAccount adds an account once', [], async (storage) => {
    const { user, account } = newPerson()
    const stored = await createUser(storage, user, account)
    const further = newPerson().account
    equal(await storage.linkAccount(stored.id, further), true, 'linkAccount')
    equal(await getByAccount(storage, further), stored, 'getUserByAccount')
    equal(await storage.linkAccount(stored.id, further), false, 'a second time')
    const other = await createUser(storage, newPerson().user)
    equal(await storage.linkAccount(other.id, further), false, 'to another user')
    equal(await getByAccount(storage, further), stored, 'the owner')
  }),
  contract(
    'linkAccount compares the user’s verified email address with the expected one',
    [],
    async (storage) => {
      const { user, account } = newPerson()
      const { id } = await createUser(storage, user, account)
      const email = user.email ?? ''
      const { account: further } = newPerson()
      const link = (expected: string): Promise<boolean> =>
        storage.linkAccount(id, further, expected)
      equal(await link(newEmail()), false, 'another email address')
      equal(await link(email.toUpperCase()), false, 'in upper case')
      await storage.updateUser(id, { emailVerified: false })
      equal(await link(email), false, 'unverified')
      await storage.updateUser(id, { email: newEmail(), emailVerified: true })
      equal(await link(email), false, 'a previous email address')
      equal(await getByAccount(storage, further), undefined, 'the account')
      await storage.updateUser(id, { email, emailVerified: true })
      equal(await link(email), true, 'the email address')
      equal((await getByAccount(storage, further))?.id, id, 'the owner of the account')
    },
  ),
  contract(
    'linkAccount with null requires a user without an account and a verified email address',
    ['accountLists'],
    async (storage) => {
      const { user, account } = newPerson()
      const { id } = await createUser(storage, user)
      equal(await storage.linkAccount(id, account, null), false, 'a verified email address')
      equal(await getByAccount(storage, account), undefined, 'the account')
      await storage.updateUser(id, { emailVerified: false })
      equal(await storage.linkAccount(id, account, null), true, 'neither')
      equal((await getByAccount(storage, account))?.id, id, 'the owner of the account')
      const { account: further } = newPerson()
      equal(await storage.linkAccount(id, further, null), false, 'an account')
      equal(await storage.linkAccount(id, further), true, 'an account, without null')
      const other = await createUser(storage, newPerson(withoutEmail).user)
      equal(await storage.linkAccount(other.id, account, null), false, 'an account of another user')
      equal(
        await storage.linkAccount(other.id, newPerson().account, null),
        true,
        'no email address',
      )
      equal(
        await storage.linkAccount(newUuid(), newPerson().account, null),
        false,
        'an unknown user',
      )
    },
  ),
  contract(
    `of ${CONCURRENCY} concurrent linkAccount with null one succeeds`,
    ['accountLists'],
    async (storage) => {
      const { id } = await createUser(storage, newPerson(withoutEmail).user)
      const accounts = Array.from({ length: CONCURRENCY }, () => newPerson().account)
      const linked = await runConcurrentlyOn(accounts, (one) => storage.linkAccount(id, one, null))
      equal(linked.filter(Boolean).length, 1, 'successes')
      equal(await storage.listAccounts(id), [accounts[linked.indexOf(true)]], 'listAccounts')
    },
  ),
  contract('linkAccount to an unknown user stores nothing', [], async (storage) => {
    const { account } = newPerson()
    equal(await storage.linkAccount(newUuid(), account), false, 'linkAccount')
    equal(await getByAccount(storage, account), undefined, 'getUserByAccount')
  }),
  contract(
    'listAccounts returns the accounts with their tokens',
    ['accountLists'],
    async (storage) => {
      const { user, account } = newPerson()
      const stored = await createUser(storage, user, account)
      equal(await storage.listAccounts(stored.id), [account], 'one')
      const { account: bare } = newPerson()
      const { provider, type, providerAccountId } = bare
      await storage.linkAccount(stored.id, { provider, type, providerAccountId })
      equal(
        await storage.listAccounts(stored.id),
        [account, { provider, type, providerAccountId }],
        'two, the second without tokens',
      )
      equal(await storage.listAccounts(newUuid()), [], 'of an unknown user')
    },
  ),
  contract(
    'unlinkAccount removes an account, but never the last one',
    ['accountLists'],
    async (storage) => {
      const { user, account } = newPerson()
      const { id } = await createUser(storage, user, account)
      equal(await unlink(storage, id, account), false, 'the only one')
      const { account: further } = newPerson()
      await storage.linkAccount(id, further)
      // The other user has two accounts as well: otherwise the rule about the last one hides the owner’s.
      const other = await createUser(storage, newPerson().user, newPerson().account)
      await storage.linkAccount(other.id, newPerson().account)
      equal(await unlink(storage, other.id, account), false, 'of another user')
      equal((await getByAccount(storage, account))?.id, id, 'the owner of the account')
      equal((await storage.listAccounts(other.id)).length, 2, 'the other user’s accounts')
      equal(await unlink(storage, id, account), true, 'one of two')
      equal(await getByAccount(storage, account), undefined, 'the removed one')
      equal(await unlink(storage, id, account), false, 'a second time')
      equal(await unlink(storage, id, further), false, 'the remaining account')
      equal((await getByAccount(storage, further))?.id, id, 'the remaining account')
    },
  ),
  contract(
    `after ${CONCURRENCY} concurrent unlinkAccount one account remains`,
    ['accountLists'],
    async (storage) => {
      const { user, account } = newPerson()
      const { id } = await createUser(storage, user, account)
      const accounts = [account, newPerson().account, newPerson().account]
      for (const further of accounts.slice(1)) await storage.linkAccount(id, further)
      const attempts = Array.from({ length: CONCURRENCY }, () => accounts)
        .flat()
        .slice(0, CONCURRENCY)
      await runConcurrentlyOn(attempts, (one) => unlink(storage, id, one))
      equal((await storage.listAccounts(id)).length, 1, 'remaining accounts')
    },
  ),
  contract(
    'updateAccount replaces the tokens that are given',
    ['accountUpdates', 'accountLists'],
    async (storage) => {
      const { user, account } = newPerson()
      const { id } = await createUser(storage, user, account)
      const tokens = { access_token: 'second access', expires_at: 2_000_000_000 }
      const { provider, providerAccountId } = account
      equal(await storage.updateAccount(provider, providerAccountId, tokens), true, 'updateAccount')
      equal(await storage.listAccounts(id), [{ ...account, ...tokens }], 'listAccounts')
      equal(await storage.updateAccount(provider, newKey(), tokens), false, 'an unknown account')
      equal(await storage.updateAccount(provider, providerAccountId, {}), true, 'without tokens')
      equal(await storage.listAccounts(id), [{ ...account, ...tokens }], 'unchanged')
      const endless = { access_token: 'third access' }
      await storage.updateAccount(provider, providerAccountId, endless)
      const { expires_at: _, ...rest } = account
      equal(await storage.listAccounts(id), [{ ...rest, ...endless }], 'without expires_at')
    },
  ),
  contract(
    'updateAccount compares the refresh token with the expected one',
    ['accountUpdates', 'accountLists'],
    async (storage) => {
      const { user, account } = newPerson()
      const { id } = await createUser(storage, user, account)
      const { provider, providerAccountId, refresh_token = '' } = account
      const next = { refresh_token: 'second refresh' }
      const update = (expected: string): Promise<boolean> =>
        storage.updateAccount(provider, providerAccountId, next, expected)
      equal(await update('another'), false, 'another refresh token')
      equal(await storage.listAccounts(id), [account], 'unchanged')
      equal(await update(refresh_token), true, 'the current refresh token')
      equal(await update(refresh_token), false, 'the previous refresh token')
      equal(await storage.listAccounts(id), [{ ...account, ...next }], 'changed')
    },
  ),
  contract(
    `one of ${CONCURRENCY} concurrent updateAccount replaces the refresh token`,
    ['accountUpdates', 'accountLists'],
    async (storage) => {
      const { user, account } = newPerson()
      const { id } = await createUser(storage, user, account)
      const { provider, providerAccountId, refresh_token } = account
      const results = await runConcurrently((i) =>
        storage.updateAccount(
          provider,
          providerAccountId,
          { refresh_token: `refresh ${i}` },
          refresh_token,
        ),
      )
      equal(results.filter(Boolean).length, 1, 'winners')
      const [stored] = await storage.listAccounts(id)
      equal(stored?.refresh_token, `refresh ${results.indexOf(true)}`, 'the stored refresh token')
    },
  ),
  contract(
    'deleteUser deletes the user’s accounts and sessions too',
    ['sessions'],
    async (storage) => {
      const { user, account } = newPerson()
      const session = newSession()
      const { id } = await createUser(storage, user, account, session)
      await storage.deleteUser(id)
      equal(await storage.getUser(id), undefined, 'getUser')
      equal(await storage.getUserByEmail(user.email ?? ''), undefined, 'getUserByEmail')
      equal(await getByAccount(storage, account), undefined, 'getUserByAccount')
      equal(await storage.getSessionAndUser(session.id, now()), undefined, 'the session')
      await storage.deleteUser(id)
      equal(
        (await storage.createUser(user, account)) !== undefined,
        true,
        'createUser with the same email address and account',
      )
    },
  ),
  contract(
    `one of ${CONCURRENCY} concurrent createUser gets the email address`,
    [],
    async (storage) => {
      const { email } = newPerson().user
      const people = Array.from({ length: CONCURRENCY }, () => newPerson({ email }))
      const results = await runConcurrentlyOn(people, ({ user, account }) =>
        storage.createUser(user, account),
      )
      const winners = results.filter((user) => user !== undefined)
      equal(winners.length, 1, 'winners')
      equal(await storage.getUserByEmail(email ?? ''), winners[0], 'the owner of the email address')
      const owners = await Promise.all(people.map(({ account }) => getByAccount(storage, account)))
      equal(owners.filter((owner) => owner !== undefined).length, 1, 'stored accounts')
    },
  ),
  contract(`one of ${CONCURRENCY} concurrent createUser gets the account`, [], async (storage) => {
    const { account } = newPerson()
    const people = Array.from({ length: CONCURRENCY }, () => newPerson())
    const results = await runConcurrentlyOn(people, ({ user }) => storage.createUser(user, account))
    equal(results.filter((user) => user !== undefined).length, 1, 'winners')
    const users = await Promise.all(
      people.map(({ user }) => storage.getUserByEmail(user.email ?? '')),
    )
    equal(users.filter((user) => user !== undefined).length, 1, 'stored users')
  }),

  contract('createUser creates a session in the same step', ['sessions'], async (storage) => {
    const { user, account } = newPerson()
    const session = newSession()
    const stored = await createUser(storage, user, account, session)
    const found = await storage.getSessionAndUser(session.id, now())
    equal(found?.user, stored, 'the user')
    equal(found?.session.userId, stored.id, 'the owner')
    const taken = newSession()
    equal(
      await storage.createUser(newPerson({ email: user.email }).user, undefined, taken),
      undefined,
      'a taken email address',
    )
    equal(await storage.getSessionAndUser(taken.id, now()), undefined, 'its session')
  }),
  contract('a session is found until it expires', ['sessions'], async (storage) => {
    const stored = await createUser(storage, newPerson().user)
    const session = newSession()
    equal(await storage.createSession(stored.id, session), true, 'createSession')
    const found = await storage.getSessionAndUser(session.id, now())
    equal(found?.user, stored, 'the user')
    equal(found?.session.expires, session.expires, 'expires')
    equal(
      (await storage.getSessionAndUser(session.id, session.expires - 1))?.user,
      stored,
      'its last second',
    )
    equal(await storage.getSessionAndUser(session.id, session.expires), undefined, 'after it')
    equal(await storage.getSessionAndUser(newKey(), now()), undefined, 'another id')
  }),
  contract('a session has its data', ['sessions', 'sessionData'], async (storage) => {
    const { id } = await createUser(storage, newPerson().user)
    const session = newSession({ data: JSON.stringify({ text: `ä😀'"\\ ${'x'.repeat(5000)}` }) })
    await storage.createSession(id, session)
    const found = await storage.getSessionAndUser(session.id, now())
    equal(found?.session, { ...session, userId: id }, 'the session')
  }),
  contract('createSession for an unknown user stores nothing', ['sessions'], async (storage) => {
    const session = newSession()
    equal(await storage.createSession(newUuid(), session), false, 'createSession')
    equal(await storage.getSessionAndUser(session.id, now()), undefined, 'getSessionAndUser')
  }),
  contract('a new session deletes the session that it replaces', ['sessions'], async (storage) => {
    const { id } = await createUser(storage, newPerson().user)
    const [first, second, third] = [newSession(), newSession(), newSession()]
    await storage.createSession(id, first)
    await storage.createSession(id, { ...second, replaces: first.id })
    equal(await storage.getSessionAndUser(first.id, now()), undefined, 'the first')
    equal((await storage.getSessionAndUser(second.id, now()))?.user.id, id, 'the second')
    const other = newPerson()
    await createUser(storage, other.user, other.account, { ...third, replaces: second.id })
    equal(await storage.getSessionAndUser(second.id, now()), undefined, 'the second, by createUser')
  }),
  contract(
    'updateSession changes an existing session',
    ['sessions', 'sessionData'],
    async (storage) => {
      const { id } = await createUser(storage, newPerson().user)
      const session = newSession()
      await storage.createSession(id, session)
      const changes = { renewedAt: now() + 60, expires: now() + 2 * HOUR, data: '{"renewed":true}' }
      equal(await storage.updateSession(session.id, changes), true, 'updateSession')
      const found = await storage.getSessionAndUser(session.id, now() + HOUR + 60)
      equal(found?.session, { ...session, ...changes, userId: id }, 'the session')
      equal(await storage.updateSession(session.id, changes), true, 'with the same values')
    },
  ),
  contract('a deleted session stays deleted', ['sessions'], async (storage) => {
    const { id } = await createUser(storage, newPerson().user)
    const session = newSession()
    await storage.createSession(id, session)
    await storage.deleteSession(session.id)
    await storage.deleteSession(session.id)
    const changes = { renewedAt: now(), expires: now() + HOUR, data: '{}' }
    equal(await storage.updateSession(session.id, changes), false, 'updateSession')
    equal(await storage.getSessionAndUser(session.id, now()), undefined, 'getSessionAndUser')
  }),
  contract(
    'listSessions returns the sessions that have not expired, newest first',
    ['sessions', 'sessionLists', 'sessionData'],
    async (storage) => {
      const { id } = await createUser(storage, newPerson().user)
      const at = now()
      const old = newSession({ createdAt: at - 2 * HOUR, expires: at + HOUR })
      const young = newSession({ createdAt: at - HOUR, expires: at + 2 * HOUR })
      for (const session of [old, young]) await storage.createSession(id, session)
      const listed = async (when: number): Promise<readonly string[]> =>
        (await storage.listSessions(id, when)).map((session) => session.id)
      equal(await listed(at), [young.id, old.id], 'both')
      equal(await listed(at + HOUR), [young.id], 'after the older one has expired')
      equal((await storage.listSessions(id, at))[0], { ...young, userId: id }, 'a whole record')
      equal(await storage.listSessions(newUuid(), at), [], 'of an unknown user')
    },
  ),
  contract(
    'deleteSessions deletes a user’s sessions, with one exception',
    ['sessions', 'sessionLists'],
    async (storage) => {
      const { id } = await createUser(storage, newPerson().user)
      const otherUser = await createUser(storage, newPerson().user)
      const [one, two, three, other] = [newSession(), newSession(), newSession(), newSession()]
      for (const session of [one, two, three]) await storage.createSession(id, session)
      await storage.createSession(otherUser.id, other)
      await storage.deleteSessions(id, two.id)
      equal(
        (await storage.listSessions(id, now())).map((session) => session.id),
        [two.id],
        'all but one',
      )
      await storage.deleteSessions(id)
      equal(await storage.listSessions(id, now()), [], 'all')
      equal(
        (await storage.getSessionAndUser(other.id, now()))?.user.id,
        otherUser.id,
        'of another user',
      )
    },
  ),

  contract(
    'a session has the account that it began through',
    ['sessions', 'sessionData', 'sessionAccounts'],
    async (storage) => {
      const { user } = newPerson()
      const sessions = [
        newSession({ account: newSessionAccount() }),
        newSession({ account: newSessionAccount({ sid: undefined }) }),
        newSession(),
      ]
      const [first, ...others] = sessions
      await createUser(storage, user, undefined, first)
      for (const session of others) await storage.createSession(user.id, session)
      const { renewedAt, expires, data } = newSession({ data: '{"renewed":true}' })
      for (const session of sessions) {
        const found = await storage.getSessionAndUser(session.id, now())
        equal(found?.session, { ...session, userId: user.id }, 'the session')
        await storage.updateSession(session.id, { renewedAt, expires, data })
        const renewed = await storage.getSessionAndUser(session.id, now())
        equal(renewed?.session.account, session.account, 'after it was renewed')
      }
    },
  ),
  contract(
    'deleteAccountSessions deletes sessions by account, by the provider’s session, or by both',
    ['sessions', 'sessionAccounts'],
    async (storage) => {
      const { id } = await createUser(storage, newPerson().user)
      const account = newSessionAccount()
      const { provider, providerAccountId, sid = '' } = account
      const create = async (over: Partial<SessionAccount>): Promise<string> => {
        const session = newSession({ account: { ...account, ...over } })
        await storage.createSession(id, session)
        return session.id
      }
      const isAlive = async (session: string): Promise<boolean> =>
        (await storage.getSessionAndUser(session, now())) !== undefined
      const exact = await create({})
      const otherSid = await create({ sid: newKey() })
      const withoutSid = await create({ sid: undefined })
      const otherAccount = await create({ providerAccountId: newKey() })
      const otherProvider = await create({ provider: newKey() })
      const near = await create({ providerAccountId: newKey(), sid: sid.toLowerCase() })
      const remove = async (over: Partial<SessionAccount>): Promise<readonly string[]> =>
        (await storage.deleteAccountSessions({ provider, ...over })).toSorted()

      equal(await remove({}), [], 'without a condition')
      equal(await remove({ sid: newKey() }), [], 'an unknown session of the provider')
      equal(await remove({ sid, providerAccountId: newKey() }), [], 'with an unknown account')
      equal(await remove({ sid, providerAccountId }), [exact], 'by both')
      equal(await isAlive(exact), false, 'the session')
      equal(await remove({ sid }), [otherAccount], 'by the session of the provider')
      equal(await remove({ sid }), [], 'a second time')
      equal(
        await remove({ providerAccountId }),
        [otherSid, withoutSid].toSorted(),
        'by the account',
      )
      equal(await remove({ providerAccountId }), [], 'a second time')
      for (const session of [exact, otherAccount, otherSid, withoutSid]) {
        equal(await isAlive(session), false, 'a deleted session')
      }
      equal(await isAlive(otherProvider), true, 'the session through another provider')
      equal(await isAlive(near), true, 'a similar session of the provider')
    },
  ),
  contract(
    'deleteAccountSessions finds sessions of all users, renewed ones too, and no deleted ones',
    ['sessions', 'sessionLists', 'sessionAccounts'],
    async (storage) => {
      const account = newSessionAccount()
      const { provider, sid } = account
      const users = [newPerson().user, newPerson().user]
      const sessions = users.map(() => newSession({ account }))
      for (const [i, user] of users.entries()) {
        await createUser(storage, user, undefined, sessions[i])
      }
      const renewed = newSession({ account })
      const replaced = newSession({ account })
      const deleted = newSession({ account })
      const [one = '', two = ''] = users.map(({ id }) => id)
      for (const session of [renewed, replaced, deleted]) await storage.createSession(one, session)
      const expires = now() + 2 * HOUR
      const changes = { renewedAt: now(), expires, data: '{}' }
      await storage.updateSession(renewed.id, changes)
      await storage.createSession(two, newSession({ replaces: replaced.id }))
      await storage.deleteSession(deleted.id)
      const found = await storage.deleteAccountSessions({ provider, sid })
      const expected = [...sessions, renewed].map(({ id }) => id).toSorted()
      equal(found.toSorted(), expected, 'the deleted sessions')
      equal(await storage.listSessions(one, now()), [], 'the sessions of the first user')
      equal((await storage.listSessions(two, now())).length, 1, 'of the second user')
    },
  ),

  contract('a verification token is given once', ['verificationTokens'], async (storage) => {
    const token = { identifier: `${newKey()}@example.com`, token: newKey(), expires: now() + HOUR }
    await storage.createVerificationToken(token)
    const use = (identifier: string, hash: string): Promise<unknown> =>
      storage.useVerificationToken(identifier, hash, now())
    equal(await use(`x${token.identifier}`, token.token), undefined, 'another email address')
    equal(await use(token.identifier, token.token.toLowerCase()), undefined, 'another token')
    equal(await use(token.identifier, token.token), token, 'the token')
    equal(await use(token.identifier, token.token), undefined, 'a second time')
  }),
  contract(
    'createVerificationToken rejects a token that is stored, and does not prolong it',
    ['verificationTokens'],
    async (storage) => {
      const identifier = `${newKey()}@example.com`
      const token = { identifier, token: newKey(), expires: now() + HOUR }
      await storage.createVerificationToken(token)
      const later = storage.createVerificationToken({ ...token, expires: now() + 2 * HOUR })
      const outcome = await later.then(
        () => 'stored',
        () => 'rejected',
      )
      equal(outcome, 'rejected', 'the token once more')
      await storage.createVerificationToken({ ...token, token: newKey() })
      equal(await storage.useVerificationToken(identifier, token.token, now()), token, 'the first')
      await storage.createVerificationToken(token)
      equal(await storage.useVerificationToken(identifier, token.token, now()), token, 'again')
    },
  ),
  contract('an expired verification token is unknown', ['verificationTokens'], async (storage) => {
    const token = {
      identifier: `${newKey()}@example.com`,
      token: newKey(),
      expires: now() + HOUR,
    }
    await storage.createVerificationToken(token)
    const { identifier } = token
    equal(
      await storage.useVerificationToken(identifier, token.token, token.expires),
      undefined,
      'late',
    )
    equal(await storage.useVerificationToken(identifier, token.token, now()), undefined, 'again')
  }),
  contract(
    `one of ${CONCURRENCY} concurrent useVerificationToken gets the token`,
    ['verificationTokens'],
    async (storage) => {
      const token = {
        identifier: `${newKey()}@example.com`,
        token: newKey(),
        expires: now() + HOUR,
      }
      await storage.createVerificationToken(token)
      const results = await runConcurrently(() =>
        storage.useVerificationToken(token.identifier, token.token, now()),
      )
      equal(results.filter((result) => result !== undefined).length, 1, 'winners')
    },
  ),

  contract('increment counts a key within its window', ['increment'], async (storage) => {
    const [key, at] = [newKey(), now()]
    equal(await storage.increment(key, HOUR, at), { count: 1, resetsAt: at + HOUR }, 'first')
    equal(await storage.increment(key, HOUR, at + 9), { count: 2, resetsAt: at + HOUR }, 'second')
    equal((await storage.increment(newKey(), HOUR, at)).count, 1, 'another key')
  }),
  contract('increment starts again after the window', ['increment'], async (storage) => {
    const [key, at] = [newKey(), now()]
    for (let i = 0; i < 3; i++) await storage.increment(key, 60, at)
    equal((await storage.increment(key, 60, at + 59)).count, 4, 'its last second')
    equal(await storage.increment(key, 60, at + 60), { count: 1, resetsAt: at + 120 }, 'after it')
  }),
  contract('increment takes one count of a window back', ['increment'], async (storage) => {
    const [key, at] = [newKey(), now()]
    for (let i = 0; i < 3; i++) await storage.increment(key, 60, at)
    equal(await storage.increment(key, 60, at + 9, -1), { count: 2, resetsAt: at + 60 }, 'back')
    equal((await storage.increment(key, 60, at + 9)).count, 3, 'forth')
    const late = await storage.increment(key, 60, at + 60, -1)
    equal(late, { count: 1, resetsAt: at + 120 }, 'after the window')
    const before = await storage.increment(key, 60, at + 59, -1)
    equal(before, { count: 1, resetsAt: at + 120 }, 'what an earlier window had counted')
  }),
  contract(
    `each of ${CONCURRENCY} concurrent increments gets its own number`,
    ['increment'],
    async (storage) => {
      const [key, at] = [newKey(), now()]
      const counts = await runConcurrently(() => storage.increment(key, HOUR, at))
      const sorted = counts.map(({ count }) => count).toSorted((a, b) => a - b)
      equal(
        sorted,
        Array.from({ length: CONCURRENCY }, (_, i) => i + 1),
        'the counts',
      )
    },
  ),

  contract('getRevocation returns when a key was revoked', ['revocations'], async (storage) => {
    const [key, at] = [newKey(), now()]
    equal(await storage.getRevocation(key, at), undefined, 'an unknown key')
    await storage.createRevocation({ key, revokedAt: at - 60, expires: at + HOUR })
    equal(await storage.getRevocation(key, at), at - 60, 'the key')
    equal(await storage.getRevocation(newKey(), at), undefined, 'another key')
  }),
  contract('a revocation expires', ['revocations'], async (storage) => {
    const [key, at] = [newKey(), now()]
    await storage.createRevocation({ key, revokedAt: at, expires: at + HOUR })
    equal(await storage.getRevocation(key, at + HOUR - 1), at, 'in its last second')
    equal(await storage.getRevocation(key, at + HOUR), undefined, 'after its last second')
  }),
  contract(
    'a second revocation of a key keeps the later times',
    ['revocations'],
    async (storage) => {
      const [key, at] = [newKey(), now()]
      await storage.createRevocation({ key, revokedAt: at - 60, expires: at + HOUR })
      await storage.createRevocation({ key, revokedAt: at - 30, expires: at + HOUR })
      equal(await storage.getRevocation(key, at), at - 30, 'a later one')
      await storage.createRevocation({ key, revokedAt: at - 90, expires: at + HOUR })
      equal(await storage.getRevocation(key, at), at - 30, 'an earlier one')
      await storage.createRevocation({ key, revokedAt: at - 20, expires: at + 60 })
      equal(await storage.getRevocation(key, at + HOUR - 1), at - 20, 'one with an earlier expiry')
      await storage.createRevocation({ key, revokedAt: at - 40, expires: at + 2 * HOUR })
      equal(await storage.getRevocation(key, at + HOUR), at - 20, 'one with a later expiry')
      equal(await storage.getRevocation(key, at + 2 * HOUR), undefined, 'after the later expiry')
    },
  ),
  contract('keys of revocations are compared exactly', ['revocations'], async (storage) => {
    const [key, at] = [`user:Zoë ${newKey()}`, now()]
    const others = [
      key.toLowerCase(),
      key.toUpperCase(),
      key.replace('ë', 'e'),
      key.normalize('NFD'),
      `${key} `,
      ` ${key}`,
    ]
    await storage.createRevocation({ key, revokedAt: at, expires: at + HOUR })
    for (const other of others) {
      equal(await storage.getRevocation(other, at), undefined, JSON.stringify(other))
    }
    const longest = `${newKey()}${'😀'.repeat(212)}`
    await storage.createRevocation({ key: longest, revokedAt: at, expires: at + HOUR })
    equal(await storage.getRevocation(longest, at), at, 'a key of 255 characters')
  }),
  contract(
    `after ${CONCURRENCY} concurrent createRevocation the latest times remain`,
    ['revocations'],
    async (storage) => {
      const [key, at] = [newKey(), now()]
      await runConcurrently((i) => {
        const ago = (i * 77 + 100) % CONCURRENCY // Each number once, in another order than the calls.
        return storage.createRevocation({ key, revokedAt: at - ago, expires: at + HOUR + ago })
      })
      equal(await storage.getRevocation(key, at), at, 'revokedAt')
      equal(await storage.getRevocation(key, at + HOUR + CONCURRENCY - 2), at, 'in the last second')
      equal(
        await storage.getRevocation(key, at + HOUR + CONCURRENCY - 1),
        undefined,
        'after its last second',
      )
    },
  ),

  ...accountTimeCases,
  ...userListCases,
  ...unverifiedUserCases,
  ...outboxCases,
  ...factorCases,
  ...stepCases,
  ...grantCases,
  ...clientCases,
]

/** Returns the cases of what a storage can do. */
export function getStorageCases(storage: Storage): readonly StorageCase[] {
  const capabilities = getCapabilities(storage)
  return storageContract.filter(({ needs }) => needs.every((need) => capabilities.includes(need)))
}

export type { StorageCase } from './contract-case.ts'
