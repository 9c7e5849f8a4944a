import type { Factor, Factors, NewFactor } from '@latchkey/core'
import { toWays } from '@latchkey/core/unstable'
import type { FactorTypes } from '@latchkey/core/unstable'
import type { RunScript } from './run-script.ts'
import { runStep } from './outbox.ts'
import { isOne, toArray, toFields, toJson, toRecord, toUser } from './records.ts'
import type { UserMapping } from './records.ts'
import * as scripts from './scripts.ts'

/** Creates the methods for factors. */
export function createFactorMethods(run: RunScript, users: UserMapping): Factors {
  return {
    async createFactor(userId, factor, events) {
      const user = toJson(userId)
      const args = [user, ...toNewFactorArgs(userId, factor)]
      const keys = [`user:${user}`, ...toNewFactorKeys(userId, factor)]
      return isOne(await runStep(run, { script: scripts.createFactor, keys, args }, events))
    },
    async getFactorAndUser(type, id) {
      const key = toFactorKey(type, id)
      const reply = toArray(await run(scripts.getFactorAndUser, [`factor:${key}`], [key]))
      const [factor, user] = [toFactor(reply[0]), toUser(reply[1], users)]
      return factor && user && { factor, user }
    },
    listFactors: (userId) => listFactors(run, userId),
    async updateFactor(type, id, expectedVersion, changes, events) {
      const key = toFactorKey(type, id)
      const { name, data, changedAt, lastUsedAt } = changes
      const fields = { name, data, changedAt, lastUsedAt, version: createVersion() }
      const args = [key, toFields(fields), toJson(expectedVersion)]
      const step = { script: scripts.updateFactor, keys: [`factor:${key}`], args }
      return isOne(await runStep(run, step, events))
    },
    async deleteFactor(userId, type, id, events, signsInBy) {
      const [user, key] = [toJson(userId), toFactorKey(type, id)]
      const keys = [`factor:${key}`, `factors:${user}`, `accounts:${user}`]
      const args = [user, key, ...toTypeArgs(toWays(signsInBy))]
      const step = { script: scripts.deleteFactor, keys, args }
      const reply = await runStep(run, step, events)
      if (isOne(reply)) return 'deleted'
      return String(reply) === '0' ? 'absent' : 'last'
    },
  }
}

async function listFactors(run: RunScript, userId: string): Promise<readonly Factor[]> {
  const user = toJson(userId)
  const replies = toArray(await run(scripts.listFactors, [`factors:${user}`], [user]))
  const factors = replies.map(toFactor).filter((factor) => factor !== undefined)
  return factors.toSorted((a, b) => a.createdAt - b.createdAt)
}

/** Returns the ids of the users who have factors, in any order (SCAN). */
export async function* listFactorUsers(run: RunScript): AsyncGenerator<string> {
  let cursor = '0'
  do {
    const [next, users] = toArray(await run(scripts.scanFactorUsers, [], [cursor]))
    for (const user of toArray(users)) yield String(JSON.parse(String(user)))
    cursor = String(next)
  } while (cursor !== '0')
}

/** Returns the arguments of the Lua function `createFactor` but the user. */
export function toNewFactorArgs(userId: string, factor: NewFactor): string[] {
  const { type, id, name, data, changedAt, createdAt, lastUsedAt } = factor
  const version = createVersion()
  const fields = { type, id, userId, name, data, version, changedAt, createdAt, lastUsedAt }
  return [toFactorKey(type, id), toFields(fields)]
}

/** Returns the keys that a new factor needs. */
export function toNewFactorKeys(userId: string, { type, id }: NewFactor): string[] {
  return [`factor:${toFactorKey(type, id)}`, `factors:${toJson(userId)}`]
}

/** Returns the arguments of the Lua function `isWayToSignIn`. */
export function toTypeArgs({ listed, isOthers }: FactorTypes): readonly string[] {
  return [isOthers ? 'others' : 'listed', ...listed.map(toJson)]
}

/** Returns the part of a key that identifies a factor. */
function toFactorKey(type: string, id: string): string {
  return toJson([type, id])
}

function createVersion(): string {
  return crypto.randomUUID()
}

/** Returns the factor of a reply to HGETALL; undefined if the hash does not exist. */
function toFactor(reply: unknown): Factor | undefined {
  const record = toRecord(reply)
  if (!record) return undefined
  const { type, id, userId, name, data, version, changedAt, createdAt, lastUsedAt } = record
  return {
    type: String(type),
    id: String(id),
    userId: String(userId),
    name: typeof name === 'string' ? name : null,
    data: String(data),
    version: String(version),
    changedAt: Number(changedAt),
    createdAt: Number(createdAt),
    lastUsedAt: typeof lastUsedAt === 'number' ? lastUsedAt : null,
  }
}
