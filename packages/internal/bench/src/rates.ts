import {
  contenderNames,
  cookieContenders,
  createContenders,
  storedContenders,
  titles,
} from './contenders/contenders.ts'
import type { ContenderName } from './contenders/contenders.ts'
import type { Task } from './contenders/contender.ts'
import { installIdentityProvider } from './contenders/identity-provider.ts'
import { describePackage } from './installed.ts'
import type { BenchOptions } from './options.ts'
import { formatCount, formatGoal, formatRatio, formatTable, mapNames } from './output.ts'
import { median, medianRatio, recordResults } from './output.ts'
import { workIds, works } from './work.ts'
import type { WorkId } from './work.ts'

/** Rates in runs per second, one for each round; none if a contender cannot do the work. */
type Rates<Name extends string> = Readonly<Record<Name, number[]>>

/** The rates of all work that the contenders can do. */
type AllRates = ReadonlyMap<WorkId, Rates<ContenderName>>

interface Pace {
  readonly rounds: number
  /** Milliseconds that a contender works in each round. */
  readonly sliceMs: number
}

/** With many requests at a time the waits for the threads of WebCrypto overlap, as on a busy server. */
export const TOGETHER = 16

/** The lowest rates as multiples of the rate of @auth/core, and the longest time of a session as a multiple of the floor's. */
const goals = {
  1: { session: 25, others: 5, floor: 1.3 },
  [TOGETHER]: { session: 20, others: 4, floor: 1.3 },
} as const

export function getPace(quick: boolean): Pace {
  return quick ? { rounds: 1, sliceMs: 5 } : { rounds: 25, sliceMs: 60 }
}

/** Measures and prints how fast each contender does each piece of work, one request and several requests at a time. */
export async function run({ quick, update }: BenchOptions): Promise<string> {
  const pace = getPace(quick)
  installIdentityProvider()
  const alone = new Map<WorkId, Rates<ContenderName>>()
  const together = new Map<WorkId, Rates<ContenderName>>()
  for (const create of [cookieContenders, storedContenders]) {
    const contenders = await createContenders(create)
    const add = async (all: typeof alone, count: number): Promise<void> => {
      const measured = await measureRates(contenders, workIds, pace, count)
      for (const [id, rates] of measured) all.set(id, rates)
    }
    await add(alone, 1)
    await add(together, TOGETHER)
  }
  if (update) record(pace, alone, together)
  return `median of ${pace.rounds} rounds of ${pace.sliceMs} ms each.

${describeRates('one at a time, per second', alone, 1)}

${describeRates(`${TOGETHER} at a time, per second`, together, TOGETHER)}`
}

/**
 * Measures all work that the contenders can do. They take turns of one slice, so that a disturbance of the
 * machine affects all of them, and each round begins with another contender.
 *
 * @throws AssertionError if a contender answers wrongly, because its rate means nothing then
 */
export async function measureRates<Name extends string, Id extends string>(
  contenders: Readonly<Record<Name, Readonly<Partial<Record<Id, Task>>>>>,
  ids: readonly Id[],
  { rounds, sliceMs }: Pace,
  together: number,
): Promise<ReadonlyMap<Id, Rates<Name>>> {
  const names = Object.keys(contenders) as Name[]
  const measured = ids.flatMap((id) => {
    const entries = names.flatMap((name) => {
      const task = contenders[name][id]
      return task ? [{ name, task }] : []
    })
    const rates = mapNames(names, (): number[] => [])
    return entries.length === 0 ? [] : [{ id, entries, rates }]
  })
  const tasks = measured.flatMap(({ entries }) => entries.map(({ task }) => task))
  for (const task of tasks) await task.check(await task.run())
  // The first round warms up.
  for (let round = -1; round < rounds; round++) {
    for (const { entries, rates } of measured) {
      for (let i = 0; i < entries.length; i++) {
        const { name, task } = entries[(round + 1 + i) % entries.length] as (typeof entries)[number]
        const rate = await measureRate(task, sliceMs, together)
        if (round >= 0) rates[name].push(rate)
      }
    }
  }
  // A limit or a full table would have changed the answers in the meantime.
  for (const task of tasks) await task.check(await task.run())
  return new Map(measured.map(({ id, rates }) => [id, rates]))
}

/** Returns runs per second. */
async function measureRate(task: Task, sliceMs: number, together: number): Promise<number> {
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

function describeRates(title: string, all: AllRates, together: 1 | typeof TOGETHER): string {
  const { session, others, floor } = goals[together]
  const rows = [...all].map(([id, rates]) => {
    const ratio = medianRatio(rates.latchkey, rates.authCore)
    const time = medianRatio(rates.floor, rates.latchkey)
    const floorGoal = id === 'session' ? formatGoal(time, '<=', floor) : ''
    return [
      works[id],
      ...contenderNames.map((name) => formatCount(median(rates[name]))),
      formatRatio(ratio),
      formatRatio(medianRatio(rates.latchkey, rates.betterAuth)),
      formatRatio(time, 2),
      `${formatGoal(ratio, '>=', id === 'session' ? session : others)} ${floorGoal}`,
    ]
  })
  const ratios = ['rate : @auth/core', 'rate : better-auth', 'time : floor', 'goal']
  return formatTable([[title, ...contenderNames.map((name) => titles[name]), ...ratios], ...rows])
}

function record({ rounds }: Pace, alone: AllRates, together: AllRates): void {
  const peers = [describePackage('@auth/core'), describePackage('better-auth')]
  const toRatios = (all: AllRates): Readonly<Record<string, object>> =>
    Object.fromEntries(
      [...all].map(([id, { latchkey, authCore, betterAuth }]) => [
        works[id],
        {
          timesAuthCore: medianRatio(latchkey, authCore),
          timesBetterAuth: medianRatio(latchkey, betterAuth),
        },
      ]),
    )
  const [oneAtATime, atATime] = [toRatios(alone), toRatios(together)]
  recordResults('rates', { peers, rounds, oneAtATime, [`${TOGETHER}AtATime`]: atATime })
}
