import { createHash } from 'node:crypto'
import type { Factor } from '@latchkey/core'
import type { FactorSealer, SecondFactorInput, AskedMethod } from '@latchkey/second-factor'
import { memoryStorage } from '@latchkey/core/memory'
import { buildUser } from '@latchkey/test-support/records'
import { createSealer } from './sealer.ts'

/** The user of {@link buildFactor}. */
const USER = 'a-user'

/** The sealer of {@link buildInput}. */
export const sealer: FactorSealer = createSealer(['the first secret'], USER)

let calls = 0

/**
 * Returns bytes that no other call returns. They are the same in each run, so that no two keys have a code in common by
 * chance.
 *
 * @param length At most 32
 */
export function random(length: number): Uint8Array<ArrayBuffer> {
  const digest = createHash('sha256').update(String(calls++)).digest()
  return Uint8Array.from(digest.subarray(0, length))
}

/** Builds what a method works with, for a typed code. */
export function buildInput(
  code: string,
  now: number,
  over: Partial<SecondFactorInput> = {},
): SecondFactorInput {
  return { fields: new Map([['code', code]]), now, random, sealer, ...over }
}

/** Builds a factor that was never used. */
export function buildFactor(type: string, data: string): Factor {
  const id = type === 'recovery' ? USER : 'a-factor'
  const times = { changedAt: 0, createdAt: 0, lastUsedAt: null }
  return { type, id, userId: USER, name: null, data, version: '1', ...times }
}

/**
 * Stores a factor, and returns a function that uses it as the core does: what a method returns is stored only if
 * nothing else has changed the factor meanwhile.
 */
export async function storeFactor(
  { type, id, ...factor }: Factor,
  method: AskedMethod,
): Promise<(input: SecondFactorInput) => Promise<boolean>> {
  const storage = memoryStorage()
  const { createFactor, getFactorAndUser, updateFactor } = storage
  if (!createFactor || !getFactorAndUser || !updateFactor) throw new Error('expected factors')
  const user = buildUser()
  await storage.createUser(user, undefined)
  await createFactor(user.id, { type, id, ...factor })
  return async (input) => {
    const found = await getFactorAndUser(type, id)
    if (!found) throw new Error('expected the factor')
    const data = await method.verify(found.factor, input)
    if (data === undefined) return false
    return updateFactor(type, id, found.factor.version, { data, lastUsedAt: input.now })
  }
}
