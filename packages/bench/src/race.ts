import { checkOnce, works } from './work.ts'
import type { Work } from './work.ts'
import type { Contender } from './contenders/contender.ts'

/** Who runs, in the order of the table. */
export interface Contenders {
  readonly latchkey: Contender
  readonly authCore: Contender
  readonly floor: Contender
}

export interface RaceOptions {
  readonly rounds: number
  /** How long a contender works before it is the next one's turn. */
  readonly sliceMs: number
  /** How many requests are under way at once, as on a server. */
  readonly together: number
}

/** The answers per second of one piece of work, one figure for each round. */
export interface Lane {
  readonly work: Work
  readonly rates: Readonly<Record<keyof Contenders, readonly number[]>>
}

/**
 * Lets all contenders do all work, a slice at a time in turn, so that whatever disturbs the machine
 * disturbs them alike. Each round begins with another contender.
 *
 * @throws AssertionError where one of them answers wrongly: then there is nothing to compare
 */
export async function race(contenders: Contenders, options: RaceOptions): Promise<Lane[]> {
  const lanes = works.map((work) => ({ work, rates: { latchkey: [], authCore: [], floor: [] } }))
  for (const { work } of lanes) await checkAll(work, contenders)
  for (const lane of lanes) await runRound(lane, contenders, options, 0) // to warm up
  for (const lane of lanes) for (const rates of Object.values(lane.rates)) rates.length = 0
  for (let round = 0; round < options.rounds; round++) {
    for (const lane of lanes) await runRound(lane, contenders, options, round)
  }
  return lanes
}

async function checkAll(work: Work, contenders: Contenders): Promise<void> {
  for (const key of runnersOf(work)) await checkOnce(work, contenders[key])
}

async function runRound(
  { work, rates }: { work: Work; rates: Record<keyof Contenders, number[]> },
  contenders: Contenders,
  options: RaceOptions,
  round: number,
): Promise<void> {
  const runners = runnersOf(work)
  for (let i = 0; i < runners.length; i++) {
    const key = runners[(round + i) % runners.length] as keyof Contenders
    rates[key].push(await rateOf(work, contenders[key], options))
  }
}

function runnersOf({ floor }: Work): (keyof Contenders)[] {
  return floor ? ['latchkey', 'authCore', 'floor'] : ['latchkey', 'authCore']
}

/** Answers per second. */
async function rateOf(
  work: Work,
  contender: Contender,
  { sliceMs, together }: RaceOptions,
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
