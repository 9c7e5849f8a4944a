import type { SqlStorage } from '@latchkey/storage-sql'
import { newFactor } from '@latchkey/testing/factors-contract'
import { newClient, newGrant } from '@latchkey/testing/grants-contract'
import { buildAccount, buildSession, buildUser, NOW } from '@latchkey/test-support/records'

type Name = Exclude<
  keyof SqlStorage,
  'storedUsers' | 'capabilities' | 'fields' | 'maxLag' | keyof Maintenance | 'close'
>
type Maintenance = Pick<
  SqlStorage,
  'migrate' | 'listPendingMigrations' | 'getServerWarnings' | 'sweep'
>
type Calls = readonly (() => Promise<unknown>)[]

/** Returns calls of every method of a storage. */
export function createCalls(storage: SqlStorage): readonly (readonly [Name, () => unknown])[] {
  const user = buildUser()
  const factor = newFactor()
  const { type, id } = factor
  const account = { provider: 'passport', providerAccountId: 'id' }
  const session = buildSession({ replaces: 'other', account })
  const calls: Readonly<Record<Name, Calls>> = {
    createUser: [() => storage.createUser(user, buildAccount(), session)],
    getUser: [() => storage.getUser(user.id)],
    getUserByEmail: [() => storage.getUserByEmail('a@mail.example')],
    listUsersByEmail: [async () => storage.listUsersByEmail?.('a@mail.example', 2)],
    joinUser: [async () => storage.joinUser?.(user.id, 'a@mail.example', [])],
    getUserByAccount: [() => storage.getUserByAccount('passport', 'id')],
    updateUser: [() => storage.updateUser(user.id, { ...user, name: 'Bob' })],
    deleteUser: [() => storage.deleteUser(user.id)],
    listUsers: [async () => storage.listUsers?.(5, 'id')],
    linkAccount: [
      () => storage.linkAccount(user.id, buildAccount(), user.email),
      () => storage.linkAccount(user.id, buildAccount(), null),
    ],
    unlinkAccount: [() => storage.unlinkAccount(user.id, 'passport', 'id')],
    listAccounts: [() => storage.listAccounts(user.id)],
    updateAccount: [() => storage.updateAccount('passport', 'id', { access_token: 'token' })],
    createSession: [() => storage.createSession(user.id, session)],
    getSessionAndUser: [() => storage.getSessionAndUser('id', NOW)],
    updateSession: [() => storage.updateSession('id', session)],
    listSessions: [() => storage.listSessions(user.id, NOW)],
    deleteSession: [() => storage.deleteSession('id')],
    deleteSessions: [() => storage.deleteSessions(user.id, 'other')],
    deleteAccountSessions: [
      () => storage.deleteAccountSessions({ provider: 'passport', sid: 'sid' }),
      () => storage.deleteAccountSessions({ provider: 'passport', providerAccountId: 'id' }),
    ],
    createVerificationToken: [
      () => storage.createVerificationToken({ identifier: 'a', token: 'b', expires: NOW }),
    ],
    useVerificationToken: [() => storage.useVerificationToken('a', 'b', NOW)],
    increment: [() => storage.increment('key', 60, NOW)],
    createRevocation: [
      () => storage.createRevocation({ key: 'key', revokedAt: NOW, expires: NOW + 60 }),
    ],
    getRevocation: [() => storage.getRevocation('key', NOW)],
    takeEvents: [() => storage.takeEvents(5, 60, NOW)],
    postponeEvent: [() => storage.postponeEvent('id', 1, NOW)],
    deleteEvents: [() => storage.deleteEvents(['id', 'other'])],
    purgeEvents: [() => storage.purgeEvents(5, NOW)],
    createFactor: [async () => storage.createFactor?.(user.id, factor)],
    getFactorAndUser: [async () => storage.getFactorAndUser?.(type, id)],
    listFactors: [async () => storage.listFactors?.(user.id)],
    updateFactor: [async () => storage.updateFactor?.(type, id, 'version', { name: null })],
    deleteFactor: [async () => storage.deleteFactor?.(user.id, type, id)],
    createStep: [async () => storage.createStep?.({ id: 'id', data: 'sealed', expires: NOW }, NOW)],
    takeStep: [async () => storage.takeStep?.('id', NOW)],
    createGrant: [
      async () => storage.createGrant?.(newGrant({ userId: user.id })),
      async () => storage.createGrant?.(newGrant()),
    ],
    getGrantAndUser: [async () => storage.getGrantAndUser?.('id', NOW)],
    getGrantByKey: [async () => storage.getGrantByKey?.('key', NOW)],
    updateGrant: [
      async () => storage.updateGrant?.('id', 'version', { counter: 1 }),
      async () => storage.updateGrant?.('id', 'version', { userId: user.id, key: null }),
    ],
    deleteGrant: [async () => storage.deleteGrant?.('id')],
    listGrants: [async () => storage.listGrants?.(user.id, NOW)],
    deleteGrants: [
      async () => storage.deleteGrants?.({ userId: user.id }),
      async () => storage.deleteGrants?.({ clientId: 'client' }),
      async () => storage.deleteGrants?.({ userId: user.id, clientId: 'client' }),
    ],
    createClient: [async () => storage.createClient?.(newClient())],
    getClient: [async () => storage.getClient?.('id', NOW)],
    updateClient: [async () => storage.updateClient?.('id', 'version', { data: '{}' })],
    deleteClient: [async () => storage.deleteClient?.('id')],
    listClients: [async () => storage.listClients?.(5, NOW, 'id')],
  }
  return Object.entries(calls).flatMap(([name, all]) =>
    all.map((call) => [name as Name, call] as const),
  )
}
