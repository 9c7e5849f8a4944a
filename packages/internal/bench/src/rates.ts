import { contenderNames } from './contenders/contenders.ts'
import type { ContenderName, Contenders } from './contenders/contenders.ts'
import { mapNames } from './output/map-names.ts'
import type { Task } from './contenders/contender.ts'
import { works } from './work.ts'
import type { Work, WorkId } from './work.ts'

export interface RateOptions {
  readonly rounds: number
  /** Milliseconds that a contender works in each round. */
  readonly sliceMs: number
  /** The number of simultaneous requests, as on a server. */
  readonly together: number
}

/** The rates of one piece of work, in runs per second, one for each round; none if a contender cannot do it. */
export interface WorkRates {
  readonly work: Work
  readonly rates: Readonly<Record<ContenderName, readonly number[]>>
}

/** A contender that can do a piece of work. */
type Entry = readonly [name: ContenderName, task: Task]

/**
 * Measures all work that the contenders can do. They take turns of one slice, so that a disturbance of the
 * machine affects all of them, and each round begins with another contender.
 *
 * @throws AssertionError if a contender answers wrongly, because its rate means nothing then
 */
export async function measureRates(
  contenders: Contenders,
  options: RateOptions,
): Promise<WorkRates[]> {
  const all = works
    .map((work) => ({
      work,
      entries: getEntries(contenders, work.id),
      rates: mapNames(contenderNames, (): number[] => []),
    }))
    .filter(({ entries }) => entries.length > 0)
  for (const { entries } of all) await checkAll(entries)
  for (const each of all) await runRound(each, options, 0) // to warm up
  for (const { rates } of all) for (const series of Object.values(rates)) series.length = 0
  for (let round = 0; round < options.rounds; round++) {
    for (const each of all) await runRound(each, options, round)
  }
  // A limit or a full table would have changed the answers in the meantime.
  for (const { entries } of all) await checkAll(entries)
  return all.map(({ work, rates }) => ({ work, rates }))
}

function getEntries(contenders: Contenders, id: WorkId): Entry[] {
  return contenderNames.flatMap((name) => {
    const task = contenders[name]?.tasks[id]
    return task ? [[name, task] as const] : []
  })
}

/**
 * Does a piece of work once and checks the answer.
 *
 * @throws AssertionError if the answer is wrong
 */
export async function checkOnce(task: Task): Promise<void> {
  await task.check(await task.run())
}

async function checkAll(entries: readonly Entry[]): Promise<void> {
  for (const [, task] of entries) await checkOnce(task)
}

async function runRound(
  { entries, rates }: { entries: readonly Entry[]; rates: Record<ContenderName, number[]> },
  options: RateOptions,
  round: number,
): Promise<void> {
  for (let i = 0; i < entries.length; i++) {
    const [name, task] = entries[(round + i) % entries.length] as Entry
    rates[name].push(await measureRate(task, options))
  }
}

/** Returns runs per second. */
async function measureRate(task: Task, { sliceMs, together }: RateOptions): Promise<number> {
  const batch = Array.from({ length: together })
  const start = performance.now()
  let elapsed = 0
  let runs = 0
  do {
    await Promise.all(batch.map(task.run))
    runs += together
    elapsed = performance.now() - start
  } while (elapsed < sliceMs)
  return (runs * 1000) / elapsed
}
