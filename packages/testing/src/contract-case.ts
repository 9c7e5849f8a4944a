import type {
  Account,
  NewSession,
  SessionAccount,
  StoredUser,
  StorageGroup,
  Storage,
} from '@latchkey/core'

/** One requirement of a storage. */
export interface StorageCase {
  /** The title of the case. */
  readonly name: string
  /** The capabilities without which the case does not apply. */
  readonly needs: readonly StorageGroup[]
  /**
   * Runs the case. The storage may hold records of other cases: every key is new.
   *
   * @throws Error with the expected and the actual value
   */
  readonly run: (storage: Storage) => Promise<void>
}

/** Creates a case. */
export function contract(
  name: string,
  needs: readonly StorageGroup[],
  run: StorageCase['run'],
): StorageCase {
  return { name, needs, run }
}

/** Concurrent calls in the cases about races. */
export const CONCURRENCY = 64
/** Seconds. Long enough that no server expires a record by its own clock during a case. */
export const HOUR = 3600

/** A user who is not stored, with an account. */
export interface NewPerson {
  readonly user: StoredUser
  readonly account: Account
}

/** Returns a new user with an account, both with unused keys. */
export function newPerson(over: Partial<StoredUser> = {}): NewPerson {
  const subject = newKey()
  return {
    user: {
      id: newUuid(),
      name: 'Alice Example',
      email: `${subject.toLowerCase()}@example.com`,
      emailVerified: true,
      image: 'https://example.com/alice.png',
      ...over,
    },
    account: {
      provider: 'passport',
      type: 'oauth',
      providerAccountId: subject,
      access_token: 'access',
      refresh_token: `refresh ${subject}`,
      id_token: 'eyJ.x.y',
      token_type: 'bearer',
      scope: 'openid email',
      expires_at: 1_900_000_000,
    },
  }
}

/** Returns a new session of an hour, with an unused id. */
export function newSession(over: Partial<NewSession> = {}): NewSession {
  const at = now()
  return { id: newKey(), createdAt: at, renewedAt: at, expires: at + HOUR, data: '{}', ...over }
}

/** Returns an unused account that a session began through. */
export function newSessionAccount(over: Partial<SessionAccount> = {}): SessionAccount {
  return { provider: newKey(), providerAccountId: newKey(), sid: newKey(), ...over }
}

/** Returns an email address that no user has. */
export function newEmail(): string {
  return `${newKey().toLowerCase()}@example.com`
}

/** Creates a user whose keys are unused. */
export async function createUser(
  storage: Storage,
  ...args: Parameters<Storage['createUser']>
): Promise<StoredUser> {
  const user = await storage.createUser(...args)
  if (!user) throw new Error('createUser returned undefined for a new email address and account')
  return user
}

/** Returns the user to whom an account is linked. */
export function getByAccount(
  storage: Storage,
  { provider, providerAccountId }: Account,
): Promise<StoredUser | undefined> {
  return storage.getUserByAccount(provider, providerAccountId)
}

/** Unlinks an account. */
export function unlink(
  storage: Storage,
  userId: string,
  { provider, providerAccountId }: Account,
  signsInBy?: readonly string[],
): Promise<boolean> {
  return storage.unlinkAccount(userId, provider, providerAccountId, undefined, signsInBy)
}

/** Begins a call for each number, and waits for all. */
export function runConcurrently<T>(work: (i: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: CONCURRENCY }, (_, i) => work(i)))
}

/** Runs the work for each item simultaneously. */
export function runConcurrentlyOn<Item, T>(
  items: readonly Item[],
  work: (item: Item) => Promise<T>,
): Promise<T[]> {
  return Promise.all(items.map(work))
}

/** Returns seconds since 1970 by the real clock: some servers expire records by theirs. */
export function now(): number {
  return Math.floor(Date.now() / 1000)
}

/** Returns an unused UUID. */
export function newUuid(): string {
  return crypto.randomUUID()
}

/** Returns a key of 43 characters, as long as a SHA-256 in base64url, with letters of both cases. */
export function newKey(): string {
  return `Ab${newUuid()}${newUuid()}`.replaceAll('-', '').slice(0, 43)
}
