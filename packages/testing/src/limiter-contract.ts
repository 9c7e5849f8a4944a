import type { Limit, Limiter } from '@latchkey/core'
import { equal } from './equal.ts'

/** One requirement of a limiter. */
export interface LimiterCase {
  /** The title of the case. */
  readonly name: string
  /**
   * Runs the case. The limiter may hold counts of other cases: every key is new.
   *
   * @throws Error with the expected and the actual value
   */
  readonly run: (limiter: Limiter) => Promise<void>
}

/** Concurrent calls in the case about races. */
const CONCURRENCY = 200
const limit: Limit = { times: 3, window: 600 }

/**
 * The contract of {@link Limiter} as plain data, for any test framework. A limiter that counts for all
 * processes together must fulfil it also if every call goes through another process.
 *
 * @example
 *   import { memoryLimiter } from '@latchkey/core/limiters'
 *   import { limiterContract } from '@latchkey/testing/limiter-contract'
 *
 *   const limiter = memoryLimiter()
 *   for (const { name, run } of limiterContract) {
 *     await run(limiter)
 *     console.log(`ok: ${name}`)
 *   }
 */
export const limiterContract: readonly LimiterCase[] = [
  contract('take returns 0 as often as the limit says, then the seconds left', async (limiter) => {
    const [key, at] = [newKey(), now()]
    equal(await takeTimes(limiter, key, at, 4), [0, 0, 0, 600], 'immediately')
    equal(await limiter.take(key, limit, at + 599), 1, 'in its last second')
  }),
  contract('each key is counted separately', async (limiter) => {
    const [key, at] = [newKey(), now()]
    await takeTimes(limiter, key, at, 4)
    for (const other of [newKey(), key.toLowerCase(), `${key} `, ` ${key}`]) {
      equal(await limiter.take(other, limit, at), 0, JSON.stringify(other))
    }
  }),
  contract('the count starts again after the window', async (limiter) => {
    const [key, at] = [newKey(), now()]
    await takeTimes(limiter, key, at, 4)
    equal(await takeTimes(limiter, key, at + 600, 4), [0, 0, 0, 600], 'in the next window')
  }),
  contract('refund, if there is one, takes one count back', async (limiter) => {
    if (!limiter.refund) return
    const [key, at] = [newKey(), now()]
    await takeTimes(limiter, key, at, 3)
    await limiter.refund(key, limit, at)
    equal(await takeTimes(limiter, key, at + 9, 2), [0, 591], 'after it')
  }),
  contract('refund takes back nothing of a later window', async (limiter) => {
    if (!limiter.refund) return
    const [key, at] = [newKey(), now()]
    await limiter.take(key, limit, at)
    await takeTimes(limiter, key, at + 600, 3)
    await limiter.refund(key, limit, at)
    equal(await limiter.take(key, limit, at + 600), 600, 'after it')
  }),
  contract(`of ${CONCURRENCY} concurrent calls as many pass as the limit says`, async (limiter) => {
    const [key, at] = [newKey(), now()]
    const waits = await Promise.all(
      Array.from({ length: CONCURRENCY }, () => limiter.take(key, limit, at)),
    )
    equal(waits.filter((seconds) => seconds === 0).length, limit.times, 'calls that passed')
  }),
]

function contract(name: string, run: LimiterCase['run']): LimiterCase {
  return { name, run }
}

async function takeTimes(
  limiter: Limiter,
  key: string,
  at: number,
  times: number,
): Promise<readonly number[]> {
  const waits: number[] = []
  for (let i = 0; i < times; i++) waits.push(await limiter.take(key, limit, at))
  return waits
}

/** Returns seconds since 1970 by the real clock: some servers expire counts by theirs. */
function now(): number {
  return Math.floor(Date.now() / 1000)
}

/** Returns a key of 43 characters, as the service uses them, with letters of both cases. */
function newKey(): string {
  return `Ab${crypto.randomUUID()}${crypto.randomUUID()}`.replaceAll('-', '').slice(0, 43)
}
