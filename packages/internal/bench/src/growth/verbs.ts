import type { Account, NewFactor, NewSession, Storage, StoredUser } from '@latchkey/core'
import {
  PROVIDER,
  toAccountId,
  toCounter,
  toEmail,
  toEvent,
  toFactorId,
  toRevocation,
  toSessionId,
  toSid,
  toUserId,
} from './rows.ts'

/** The records of one run through the verbs. */
export interface Sample {
  /** The number of a row that exists in every table. */
  readonly row: number
  /** A text that no record has, for those that the run creates and deletes. */
  readonly fresh: string
  /** Seconds since 1970. */
  readonly now: number
}

/** Calls one method of a storage, and returns whether its result is right. */
export type Verb = (storage: Storage, sample: Sample) => Promise<boolean>

/** Every method of a storage. */
type VerbName =
  | Exclude<keyof Storage, 'capabilities' | 'fields' | 'maxLag'>
  | 'deleteAccountSessions by sid'
  | 'createSession with an event'

/**
 * Every method of a storage, in an order in which a run leaves the sizes of the tables as they were:
 * it deletes what it creates.
 */
export const verbs: Readonly<Record<VerbName, Verb>> = {
  getUser: async (storage, { row }) => isFound(await storage.getUser(toUserId(row))),
  getUserByEmail: async (storage, { row }) => isFound(await storage.getUserByEmail(toEmail(row))),
  listUsersByEmail: async (storage, { row }) =>
    (await storage.listUsersByEmail?.(toEmail(row), 2))?.length === 1,
  // The email address of the row is verified already.
  joinUser: async (storage, { row }) =>
    !isFound(await storage.joinUser?.(toUserId(row), toEmail(row), [])),
  getUserByAccount: async (storage, { row }) =>
    isFound(await storage.getUserByAccount(PROVIDER, toAccountId(row))),
  updateUser: async (storage, { row }) =>
    isFound(await storage.updateUser(toUserId(row), { name: 'Ada' })),
  listUsers: async (storage) => (await storage.listUsers?.(5, 'u'))?.length === 5,
  listAccounts: async (storage, { row }) =>
    (await storage.listAccounts(toUserId(row))).length === 1,
  updateAccount: (storage, { row, fresh }) =>
    storage.updateAccount(PROVIDER, toAccountId(row), { access_token: fresh }),
  getSessionAndUser: async (storage, { row, now }) =>
    isFound(await storage.getSessionAndUser(toSessionId(row), now)),
  updateSession: (storage, { row, now }) =>
    storage.updateSession(toSessionId(row), createTimes(now)),
  listSessions: async (storage, { row, now }) =>
    (await storage.listSessions(toUserId(row), now)).length === 1,
  createUser: async (storage, sample) =>
    isFound(
      await storage.createUser(
        createUser(sample),
        createAccount(sample, 'a'),
        createSession(sample, 'a'),
      ),
    ),
  linkAccount: (storage, sample) =>
    storage.linkAccount(sample.fresh, createAccount(sample, 'b'), createUser(sample).email ?? ''),
  unlinkAccount: (storage, { fresh }) => storage.unlinkAccount(fresh, PROVIDER, `${fresh}b`),
  getFactorAndUser: async (storage, { row }) =>
    isFound(await storage.getFactorAndUser?.('passkey', toFactorId(row))),
  listFactors: async (storage, { row }) =>
    (await storage.listFactors?.(toUserId(row)))?.length === 1,
  // The version of the row stays as it is.
  updateFactor: async (storage, { row, fresh }) =>
    (await storage.updateFactor?.('passkey', toFactorId(row), fresh, { name: 'Ada' })) === false,
  createFactor: async (storage, sample) =>
    (await storage.createFactor?.(sample.fresh, createFactor(sample))) === true,
  deleteFactor: async (storage, { fresh }) =>
    (await storage.deleteFactor?.(fresh, 'passkey', fresh)) === 'deleted',
  'createSession with an event': (storage, sample) => {
    const { fresh, now } = sample
    const event = { id: fresh, createdAt: now + HOUR, expires: now + 2 * HOUR, data: '{}' }
    return storage.createSession(fresh, createSession(sample, 'c'), [event])
  },
  createSession: (storage, sample) =>
    storage.createSession(sample.fresh, {
      ...createSession(sample, 'b'),
      replaces: `${sample.fresh}a`,
    }),
  deleteSession: (storage, { fresh }) => storage.deleteSession(`${fresh}b`).then(isDone),
  deleteAccountSessions: async (storage, { fresh }) => {
    const ids = await storage.deleteAccountSessions({
      provider: PROVIDER,
      providerAccountId: fresh,
    })
    return ids.length === 0
  },
  'deleteAccountSessions by sid': async (storage, { fresh }) =>
    (await storage.deleteAccountSessions({ provider: PROVIDER, sid: fresh })).length === 0,
  deleteSessions: (storage, { fresh }) => storage.deleteSessions(fresh).then(isDone),
  deleteUser: (storage, { fresh }) => storage.deleteUser(fresh).then(isDone),
  createVerificationToken: (storage, { fresh, now }) =>
    storage
      .createVerificationToken({ identifier: fresh, token: fresh, expires: now + HOUR })
      .then(isDone),
  useVerificationToken: async (storage, { fresh, now }) =>
    isFound(await storage.useVerificationToken(fresh, fresh, now)),
  increment: async (storage, { row, now }) =>
    (await storage.increment(toCounter(row), HOUR, now)).count > 0,
  createRevocation: (storage, { row, now }) =>
    storage
      .createRevocation({ key: toRevocation(row), revokedAt: now, expires: now + HOUR })
      .then(isDone),
  getRevocation: async (storage, { row, now }) =>
    isFound(await storage.getRevocation(toRevocation(row), now)),
  createStep: async (storage, { fresh, now }) =>
    storage.createStep?.({ id: fresh, data: 'sealed', expires: now + HOUR }, now).then(isDone) ??
    false,
  takeStep: async (storage, { fresh, now }) => isFound(await storage.takeStep?.(fresh, now)),
  // They stay the first that are due.
  takeEvents: async (storage, { now }) =>
    (await storage.takeEvents(5, -100 * HOUR, now)).length === 5,
  postponeEvent: (storage, { row, now }) =>
    storage.postponeEvent(toEvent(row), 0, now).then(isDone),
  deleteEvents: (storage, { fresh }) => storage.deleteEvents([fresh]).then(isDone),
  purgeEvents: async (storage, { now }) => (await storage.purgeEvents(5, now)).length === 0,
}

const HOUR = 3600

function isFound(value: unknown): boolean {
  return value !== undefined
}

function isDone(): boolean {
  return true
}

function createUser({ fresh }: Sample): StoredUser {
  return { id: fresh, name: 'Ada', email: `${fresh}@example.com`, emailVerified: true, image: null }
}

function createAccount({ fresh }: Sample, suffix: string): Account {
  return { provider: PROVIDER, type: 'oauth', providerAccountId: fresh + suffix }
}

function createFactor({ fresh, now }: Sample): NewFactor {
  const times = { changedAt: now, createdAt: now, lastUsedAt: now }
  return { type: 'passkey', id: fresh, name: 'Phone', data: '{}', ...times }
}

function createSession({ fresh, row, now }: Sample, suffix: string): NewSession {
  const account = { provider: PROVIDER, providerAccountId: fresh + suffix, sid: toSid(row) }
  return { id: fresh + suffix, createdAt: now, ...createTimes(now), account }
}

function createTimes(now: number): Pick<NewSession, 'renewedAt' | 'expires' | 'data'> {
  return { renewedAt: now, expires: now + HOUR, data: '{}' }
}
