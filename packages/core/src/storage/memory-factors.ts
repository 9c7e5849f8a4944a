import type { Factor, NewFactor, StoredUser } from '../ports/records.ts'
import type { Factors } from '../ports/storage.ts'
import type { StoreEvents } from './memory-outbox.ts'
import { includesType, toWays } from './ways.ts'
import type { FactorTypes } from './ways.ts'

/** Factors by their type and id. */
export type FactorTable = Map<string, Factor>

interface Tables {
  readonly users: ReadonlyMap<string, StoredUser>
  readonly factors: FactorTable
  readonly storeEvents: StoreEvents
}

/**
 * Keeps factors in this process.
 *
 * @param countWays Returns the number of a user's ways to sign in
 */
export function createMemoryFactors(
  { users, factors, storeEvents }: Tables,
  countWays: (userId: string, types: FactorTypes) => number,
): Factors {
  return {
    async createFactor(userId, factor, events) {
      if (!users.has(userId) || hasFactor(factors, factor)) return false
      insertFactor(factors, userId, factor)
      storeEvents(events)
      return true
    },
    async getFactorAndUser(type, id) {
      const factor = factors.get(toKey(type, id))
      const user = factor && users.get(factor.userId)
      return user && { factor, user }
    },
    async listFactors(userId) {
      const found = [...factors.values()].filter((factor) => factor.userId === userId)
      return found.toSorted((a, b) => a.createdAt - b.createdAt)
    },
    async updateFactor(type, id, expectedVersion, changes, events) {
      const key = toKey(type, id)
      const factor = factors.get(key)
      if (factor?.version !== expectedVersion) return false
      const { name, data, changedAt, lastUsedAt } = { ...factor, ...changes }
      const version = createVersion()
      factors.set(key, { ...factor, name, data, changedAt, lastUsedAt, version })
      storeEvents(events)
      return true
    },
    async deleteFactor(userId, type, id, events, signsInBy) {
      const key = toKey(type, id)
      if (factors.get(key)?.userId !== userId) return 'absent'
      const ways = toWays(signsInBy)
      if (includesType(ways, type) && countWays(userId, ways) < 2) return 'last'
      factors.delete(key)
      storeEvents(events)
      return 'deleted'
    },
  }
}

/** Returns the number of a user's factors of some types. */
export function countFactors(factors: FactorTable, userId: string, types: FactorTypes): number {
  const own = [...factors.values()].filter((factor) => factor.userId === userId)
  return own.filter(({ type }) => includesType(types, type)).length
}

/** Returns whether a factor has this type and id. */
export function hasFactor(factors: FactorTable, { type, id }: NewFactor): boolean {
  return factors.has(toKey(type, id))
}

/** Stores a new factor. */
export function insertFactor(factors: FactorTable, userId: string, factor: NewFactor): void {
  const { type, id, name, data, changedAt, createdAt, lastUsedAt } = factor
  const stored = { type, id, userId, name, data, changedAt, createdAt, lastUsedAt }
  factors.set(toKey(type, id), { ...stored, version: createVersion() })
}

function createVersion(): string {
  return crypto.randomUUID()
}

function toKey(type: string, id: string): string {
  return JSON.stringify([type, id])
}
