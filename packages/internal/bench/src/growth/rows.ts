/** The rows that fill the tables: the n-th of each belongs to the n-th user. */

export const PROVIDER = 'github'

/** Odd, so that n -> n * SCRAMBLE modulo MODULUS is a permutation: neighbours get distant keys, as with random ids. */
const SCRAMBLE = 2_654_435_761
const MODULUS = 2 ** 32

export const toUserId = (row: number): string => `u${scramble(row)}`
export const toEmail = (row: number): string => `${toUserId(row)}@example.com`
export const toAccountId = (row: number): string => `a${scramble(row)}`
export const toSessionId = (row: number): string => `s${scramble(row)}`
export const toSid = (row: number): string => `i${scramble(row)}`
export const toCounter = (row: number): string => `c${scramble(row)}`
export const toRevocation = (row: number): string => `r${scramble(row)}`
export const toFactorId = (row: number): string => `f${scramble(row)}`
export const toEvent = (row: number): string => `v${scramble(row)}`

/** @param row At most 3,000,000, so that the product is exact */
function scramble(row: number): number {
  return (row * SCRAMBLE) % MODULUS
}

/** As long as the JSON of an event. */
const EVENT = 'x'.repeat(300)

const key = `(n * ${SCRAMBLE}) % ${MODULUS}`

/** All tables that grow. */
export const tables: readonly string[] = [
  'users',
  'accounts',
  'sessions',
  'factors',
  'verification_tokens',
  'counters',
  'revocations',
  'events',
]

/**
 * Returns the statements that fill the tables, in SQL that every database understands.
 *
 * @param numbers What follows FROM: rows with a column `n` that counts from 1
 * @param now Seconds since 1970; no row has expired
 */
export function createFillStatements(prefix: string, numbers: string, now: number): string[] {
  const expires = `${now} + 86400 + n % 86400`
  const inserts = [
    `users (id, name, email, email_verified)
    SELECT CONCAT('u', ${key}), 'Ada', CONCAT('u', ${key}, '@example.com'), 1`,
    `accounts (user_id, provider, provider_account_id, type)
    SELECT CONCAT('u', ${key}), '${PROVIDER}', CONCAT('a', ${key}), 'oauth'`,
    `sessions (
      id, user_id, created_at, renewed_at, expires, data, provider, provider_account_id, sid)
    SELECT CONCAT('s', ${key}), CONCAT('u', ${key}), ${now}, ${now}, ${expires}, '{}',
      '${PROVIDER}', CONCAT('a', ${key}), CONCAT('i', ${key})`,
    `factors (type, id, user_id, data, version, changed_at, created_at)
    SELECT 'passkey', CONCAT('f', ${key}), CONCAT('u', ${key}), '{}', 'v', ${now}, ${now}`,
    `verification_tokens (identifier, token, expires)
    SELECT CONCAT('e', ${key}), 't', ${expires}`,
    `counters (id, hits, expires)
    SELECT CONCAT('c', ${key}), 1, ${expires}`,
    `revocations (id, revoked_at, expires)
    SELECT CONCAT('r', ${key}), ${now}, ${expires}`,
    // A receiver is down: few of the events are due.
    `events (id, created_at, due, expires, attempts, data)
    SELECT CONCAT('v', ${key}), ${now},
      CASE WHEN n <= 5 THEN ${now} - n ELSE ${now} + n % 21600 END, ${expires}, 0, '${EVENT}'`,
  ]
  return inserts.map((insert) => `INSERT INTO ${prefix}${insert} FROM ${numbers}`)
}
