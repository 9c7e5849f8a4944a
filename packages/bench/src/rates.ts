import { checkOnce, works } from './work.ts'
import type { Work } from './work.ts'
import type { Contender } from './contenders/contender.ts'

/** The compared implementations, in the order of the table. */
export interface Contenders {
  readonly latchkey: Contender
  readonly authCore: Contender
  readonly floor: Contender
}

export interface RateOptions {
  readonly rounds: number
  /** Milliseconds that a contender works in each round. */
  readonly sliceMs: number
  /** The number of requests in flight at once, as on a server. */
  readonly together: number
}

/** The rates of one piece of work, in answers per second, one for each round. */
export interface WorkRates {
  readonly work: Work
  readonly rates: Readonly<Record<keyof Contenders, readonly number[]>>
}

/**
 * Measures all work of all contenders. They take turns of one slice, so that a disturbance of the
 * machine affects all of them, and each round begins with another contender.
 *
 * @throws AssertionError if a contender answers wrongly, because its rate means nothing then
 */
export async function measureRates(
  contenders: Contenders,
  options: RateOptions,
): Promise<WorkRates[]> {
  const all = works.map((work) => ({ work, rates: { latchkey: [], authCore: [], floor: [] } }))
  for (const { work } of all) await checkAll(work, contenders)
  for (const each of all) await runRound(each, contenders, options, 0) // to warm up
  for (const { rates } of all) for (const series of Object.values(rates)) series.length = 0
  for (let round = 0; round < options.rounds; round++) {
    for (const each of all) await runRound(each, contenders, options, round)
  }
  return all
}

async function checkAll(work: Work, contenders: Contenders): Promise<void> {
  for (const name of getContenderNames(work)) await checkOnce(work, contenders[name])
}

async function runRound(
  { work, rates }: { work: Work; rates: Record<keyof Contenders, number[]> },
  contenders: Contenders,
  options: RateOptions,
  round: number,
): Promise<void> {
  const names = getContenderNames(work)
  for (let i = 0; i < names.length; i++) {
    const name = names[(round + i) % names.length] as keyof Contenders
    rates[name].push(await measureRate(work, contenders[name], options))
  }
}

function getContenderNames({ floor }: Work): (keyof Contenders)[] {
  return floor ? ['latchkey', 'authCore', 'floor'] : ['latchkey', 'authCore']
}

/** Returns answers per second. */
async function measureRate(
  work: Work,
  contender: Contender,
  { sliceMs, together }: RateOptions,
): Promise<number> {
  const batch = Array.from({ length: together })
  const start = performance.now()
  let elapsed = 0
  let answers = 0
  do {
    await Promise.all(batch.map(() => contender.answer(work.request(contender))))
    answers += together
    elapsed = performance.now() - start
  } while (elapsed < sliceMs)
  return (answers * 1000) / elapsed
}
