import type { Account, Storage } from '@latchkey/core'
import { contract, createUser, newPerson, newSession, now } from './contract-case.ts'
import type { StorageCase } from './contract-case.ts'
import { equal } from './equal.ts'

/** The cases of the capability `accountTimes`. */
export const accountTimeCases: readonly StorageCase[] = [
  timesCase('createUser and linkAccount keep the times of an account', async (storage) => {
    const [{ user, account }, at] = [newPerson(), now()]
    const first = { ...account, createdAt: at - 50, lastUsedAt: at - 40 }
    await createUser(storage, user, first, newSession())
    const linked = { ...newPerson().account, createdAt: at - 20 }
    const without = newPerson().account
    for (const each of [linked, without]) await storage.linkAccount(user.id, each)
    equal(await storage.listAccounts(user.id), [first, linked, without], 'listAccounts')
  }),
  timesCase('createSession sets when its account was last used', async (storage) => {
    const [{ user, account }, at] = [newPerson(), now()]
    const given = { ...account, createdAt: at - 50, lastUsedAt: at - 40 }
    const other = { ...newPerson().account, createdAt: at - 45 }
    await createUser(storage, user, given)
    await storage.linkAccount(user.id, other)
    const begin = async (over: Account | undefined, createdAt: number): Promise<unknown> =>
      storage.createSession(user.id, newSession({ createdAt, account: over }))
    await begin(undefined, at)
    equal(await storage.listAccounts(user.id), [given, other], 'a session without an account')
    await begin({ ...given, provider: `x${given.provider}` }, at)
    equal(await storage.listAccounts(user.id), [given, other], 'of another provider')
    await begin(given, at - 30)
    const used = { ...given, lastUsedAt: at - 30 }
    equal(await storage.listAccounts(user.id), [used, other], 'a session')
    await begin(given, at - 35)
    equal(await storage.listAccounts(user.id), [used, other], 'a session that began earlier')
    await begin(other, at)
    equal(await storage.listAccounts(user.id), [used, { ...other, lastUsedAt: at }], 'the other')
  }),
  timesCase('a session uses no account of another user', async (storage) => {
    const [owner, other, at] = [newPerson(), newPerson(), now()]
    const account = { ...owner.account, createdAt: at - 50 }
    await createUser(storage, owner.user, account)
    await createUser(storage, other.user, other.account)
    await storage.createSession(other.user.id, newSession({ account }))
    equal(await storage.listAccounts(owner.user.id), [account], 'the account')
    await storage.deleteUser(other.user.id)
    await storage.createSession(other.user.id, newSession({ account: other.account }))
    equal(await storage.listAccounts(other.user.id), [], 'an unknown user')
  }),
  timesCase('updateAccount sets the time beside the tokens, or keeps it', async (storage) => {
    const [{ user, account }, at] = [newPerson(), now()]
    const given = { ...account, createdAt: at - 50, lastUsedAt: at - 40 }
    const { provider, providerAccountId } = given
    await createUser(storage, user, given)
    const update = async (...args: [Parameters<Storage['updateAccount']>[2], string?]) =>
      storage.updateAccount(provider, providerAccountId, ...args)
    equal(await update({ id_token: 'next' }), true, 'without a time')
    const next = { ...given, id_token: 'next' }
    equal(await storage.listAccounts(user.id), [next], 'listAccounts')
    equal(await update({ id_token: 'last', lastUsedAt: at }), true, 'with a time')
    const last = { ...given, id_token: 'last', lastUsedAt: at }
    equal(await storage.listAccounts(user.id), [last], 'listAccounts')
    equal(await update({ lastUsedAt: at + 5 }), true, 'only the time')
    equal(await storage.listAccounts(user.id), [{ ...last, lastUsedAt: at + 5 }], 'listAccounts')
    equal(await update({ lastUsedAt: at + 9 }, 'another'), false, 'with another refresh token')
    equal(await storage.listAccounts(user.id), [{ ...last, lastUsedAt: at + 5 }], 'listAccounts')
  }),
]

function timesCase(name: string, run: (storage: Storage) => Promise<void>): StorageCase {
  return contract(name, ['accountTimes', 'accountLists', 'accountUpdates', 'sessions'], run)
}
