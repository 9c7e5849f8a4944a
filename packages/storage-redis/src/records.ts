import type { Account, StoredSession, StoredUser } from '@latchkey/core'

/** How records stand in Redis: hashes whose values, like the parts of all keys, are JSON texts. */

/**
 * A value as it stands in keys and hashes. JSON tells every two texts apart, even where UTF-8 does
 * not: a half of a surrogate pair is written as its number.
 */
export function ref(value: unknown): string {
  return JSON.stringify(value)
}

/** A record as the scripts take it: names and values in turn. What is undefined is left out. */
export function fieldsOf(record: object): string {
  const given = Object.entries(record).filter(([, value]) => value !== undefined)
  return JSON.stringify(given.flatMap(([name, value]) => [name, ref(value)]))
}

/** The user of a hash as HGETALL gives it; undefined where there is none. */
export function userOf(reply: unknown): StoredUser | undefined {
  return recordOf(reply) as StoredUser | undefined
}

export function sessionOf(reply: unknown): StoredSession | undefined {
  return recordOf(reply) as StoredSession | undefined
}

/** The sessions of several hashes, without those that the server has forgotten. */
export function sessionsOf(replies: unknown): StoredSession[] {
  return listOf(replies)
    .map(sessionOf)
    .filter((session) => session !== undefined)
}

/** The accounts of several hashes, without whose they are. */
export function accountsOf(replies: unknown): Account[] {
  return listOf(replies).map((reply) => recordOf(reply, 'userId') as unknown as Account)
}

function recordOf(reply: unknown, except?: string): Record<string, unknown> | undefined {
  const texts = listOf(reply).map(String)
  if (texts.length === 0) return undefined
  const entries = texts.flatMap((name, i) =>
    i % 2 === 0 && name !== except ? [[name, JSON.parse(texts[i + 1] ?? 'null')] as const] : [],
  )
  return Object.fromEntries<unknown>(entries)
}

/** What is no list is the nothing of Redis. */
export function listOf(reply: unknown): readonly unknown[] {
  return Array.isArray(reply) ? reply : []
}
