import { isInRange } from './phc.ts'
import { isWorkerd } from './runtime.ts'

/** Compares a password with a bcrypt hash: `compare` of @node-rs/bcrypt, bcryptjs or bcrypt. */
export type CompareBcrypt = (password: string, hash: string) => Promise<boolean>

/** A bcrypt hash. */
export interface BcryptHash {
  /** With the version `2b`. */
  readonly hash: string
}

/** Cost 14 takes a second. */
const COSTS = [4, 14] as const

/** Salt and output of no password. */
const ZEROS = '.'.repeat(53)

/** 128 bits of salt and 184 bits of output, whose last characters have unused bits. */
const pattern = /^\$2[aby]\$(\d\d)\$([./A-Za-z\d]{21}[.Oeu][./A-Za-z\d]{30}[.CGKOSWaeimquy26])$/

/**
 * Parses a bcrypt hash; undefined if it is invalid, or costs too much. The versions `2a`, `2b` and `2y` are the same
 * algorithm, and not every library knows all. `2x` is the version of a bug.
 */
export function parseBcrypt(text: string): BcryptHash | undefined {
  const [, cost, rest] = pattern.exec(text) ?? []
  return isInRange(Number(cost), COSTS) ? { hash: `$2b$${cost}$${rest}` } : undefined
}

/** Returns what a hash costs, such as `$2b$10`. */
export function getBcryptCost({ hash }: BcryptHash): string {
  return hash.slice(0, '$2b$10'.length)
}

/** Returns a hash of no password that begins with a cost. */
export function toBcryptDecoy(cost: string): string {
  return `${cost}$${ZEROS}`
}

/** Returns why bcrypt is not offered on this runtime; undefined if it is. */
export function getBcryptProblem(): string | undefined {
  return isWorkerd() ? 'bcrypt takes more CPU time in JavaScript than Workers allow' : undefined
}
