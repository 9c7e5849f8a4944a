/** Maps records to Redis: hashes whose values are JSON texts, as are the parts of all keys. */

import type { Account, StoredSession, StoredUser, UserFields, Tokens } from '@latchkey/core'

/**
 * Encodes a value for keys and hashes. Any two texts differ as JSON, even if they are the same in
 * UTF-8: an unpaired surrogate is escaped.
 */
export function toJson(value: unknown): string {
  return JSON.stringify(value)
}

/** Returns the part of a key that identifies an account. */
export function toAccountKey(provider: string, providerAccountId: string): string {
  return toJson([provider, providerAccountId])
}

/** Returns the fields of a hash as the scripts take them: names and values in turn, without undefined ones. */
export function toFields(record: object): string {
  const entries = Object.entries(record).filter(([, value]) => value !== undefined)
  return toJson(entries.flatMap(([name, value]) => [name, toJson(value)]))
}

/** Maps users to hashes. */
export interface UserMapping {
  /**
   * Returns the fields of a new user's hash.
   *
   * @throws TypeError if the value of a field of the application is of the wrong type
   */
  readonly toHash: (user: StoredUser) => object
  /**
   * Returns the fields of a hash that change.
   *
   * @throws TypeError if the value of a field of the application is of the wrong type
   */
  readonly toChanges: (changes: Partial<StoredUser>) => object
  /** Returns the user of a hash. */
  readonly toUser: (hash: Readonly<Record<string, unknown>>) => StoredUser
}

/** Creates the mapping of users with an application's own fields. */
export function createUserMapping(fields: UserFields | undefined): UserMapping {
  if (!fields) return withoutFields
  return {
    toHash: (user) => ({ ...toOwn(user), ...fields.encodeUser(user) }),
    toChanges: (changes) => ({ ...toOwnChanges(changes), ...fields.encodeChanges(changes) }),
    toUser: (hash) => ({ ...toOwn(hash), ...Object(fields.decode(hash)) }),
  }
}

const withoutFields: UserMapping = {
  toHash: toOwn,
  toChanges: toOwnChanges,
  toUser: (hash) => toOwn(hash) as StoredUser,
}

/** Leaves out undeclared members, and fields that were declared once. */
function toOwn(user: Partial<StoredUser>): Partial<StoredUser> {
  const { id, name, email, emailVerified, image } = user
  return { id, name, email, emailVerified, image } as Partial<StoredUser>
}

/** Leaves out the id, too, which a hash keeps. */
function toOwnChanges(changes: Partial<StoredUser>): Partial<StoredUser> {
  const { id: _, ...own } = toOwn(changes)
  return own
}

/** Returns the user of a reply to HGETALL; undefined if the hash does not exist. */
export function toUser(reply: unknown, users: UserMapping): StoredUser | undefined {
  const hash = toRecord(reply)
  return hash && users.toUser(hash)
}

/** Returns the users of several replies to HGETALL. */
export function toUsers(replies: unknown, users: UserMapping): StoredUser[] {
  return toArray(replies)
    .map((reply) => toUser(reply, users))
    .filter((user) => user !== undefined)
}

/** Returns the session of a reply to HGETALL; undefined if the hash does not exist. */
export function toSession(reply: unknown): StoredSession | undefined {
  const record = toRecord(reply)
  if (!record) return undefined
  const { provider, providerAccountId, sid, ...session } = record
  const account = provider === undefined ? undefined : { provider, providerAccountId, sid }
  return { ...session, ...(account && { account }) } as StoredSession
}

/** Returns the sessions of several replies to HGETALL, without those that do not exist any more. */
export function toSessions(replies: unknown): StoredSession[] {
  return toArray(replies)
    .map(toSession)
    .filter((session) => session !== undefined)
}

/**
 * Returns the accounts of several replies to HGETALL, without the user's id, and without those that do not exist.
 *
 * @throws TypeError if a hash has no text that identifies an account: it was changed by another program
 */
export function toAccounts(replies: unknown): Account[] {
  return toArray(replies).flatMap((reply) => {
    const record = toRecord(reply, 'userId')
    if (!record) return []
    const { provider, type, providerAccountId, ...tokens } = record
    if (isText(provider) && isText(type) && isText(providerAccountId)) {
      return [{ ...(tokens as Tokens), provider, type, providerAccountId }]
    }
    throw new TypeError('expected the provider, the type and the id of an account in its hash')
  })
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/** Returns a reply to HGETALL; undefined if the hash does not exist. */
export function toRecord(reply: unknown, except?: string): Record<string, unknown> | undefined {
  const texts = toArray(reply).map(String)
  if (texts.length === 0) return undefined
  const entries = texts.flatMap((name, i) =>
    i % 2 === 0 && name !== except ? [[name, JSON.parse(texts[i + 1] ?? 'null')] as const] : [],
  )
  return Object.fromEntries<unknown>(entries)
}

/** Returns a reply that is a list; an empty one if the reply is nil. */
export function toArray(reply: unknown): readonly unknown[] {
  return Array.isArray(reply) ? reply : []
}

/** Returns whether a reply is 1: some clients return numbers as texts (`stringNumbers` of ioredis). */
export function isOne(reply: unknown): boolean {
  return Number(reply) === 1
}
