import { setTimeout } from 'node:timers/promises'
import type { BenchOptions } from '../options.ts'
import { formatGoal, formatRatio, formatTable, median, quantile } from '../output.ts'
import { sendLoad, startServer } from './load.ts'
import type { Load, ServedRequest } from './load.ts'

/** One round: `GET /session` without sign-ins, and from the first sign-in to the answer to the last one. */
interface Round {
  readonly rest: Load
  readonly busy: Load
  readonly signIns: Load
}

/** The p99 may be this many times the p99 at rest. */
const GOAL = 3
/** Reads of the session per second: a slow answer does not delay the next read of another connection. */
const READS = { connections: 20, overallRate: 200 }

/**
 * Measures and prints `GET /session` at rest, and while many users sign in with real hashes.
 *
 * @throws Error if a session is not read
 */
export async function run({ quick }: BenchOptions): Promise<string> {
  const { rounds, restMs, users } = quick
    ? { rounds: 1, restMs: 200, users: 2 }
    : { rounds: 5, restMs: 5000, users: 200 }
  using server = await startServer('users', String(users))
  const { url, requests, signIns } = server
  const read = async (end: Promise<unknown>): Promise<Load> => {
    const load = await sendLoad(url, [requests.session as ServedRequest], READS, end)
    if (Object.keys(load.statuses).join() !== '200') throw new Error('a session was not read')
    return load
  }
  const measured: Round[] = []
  // The first round runs code that is not compiled yet: it does not count.
  for (let round = -1; round < rounds; round++) {
    const rest = await read(setTimeout(restMs))
    const sent = sendLoad(url, signIns, { connections: users, amount: users })
    const busy = await read(sent)
    if (round >= 0) measured.push({ rest, busy, signIns: await sent })
  }
  return `median of ${rounds} rounds, ${users} simultaneous sign-ins each.

${describeRounds(measured)}`
}

function describeRounds(rounds: readonly Round[]): string {
  const toMedian = (toFigure: (round: Round) => number): number => median(rounds.map(toFigure))
  const toRow = (title: string, toFigure: (round: Round) => number): string[] => [
    title,
    toMedian(toFigure).toFixed(1),
  ]
  const ratio = toMedian(
    ({ rest, busy }) => quantile(busy.times, 0.99) / quantile(rest.times, 0.99),
  )
  return formatTable([
    toRow('GET /session at rest, p50, ms', ({ rest }) => median(rest.times)),
    toRow('GET /session at rest, p99, ms', ({ rest }) => quantile(rest.times, 0.99)),
    toRow('during the sign-ins, p50, ms', ({ busy }) => median(busy.times)),
    toRow('during the sign-ins, p99, ms', ({ busy }) => quantile(busy.times, 0.99)),
    [`p99 during : p99 at rest, ${formatGoal(ratio, '<=', GOAL)}`, formatRatio(ratio)],
    toRow('slowest read during the sign-ins, ms', ({ busy }) => Math.max(...busy.times)),
    toRow('sign-ins that succeeded', ({ signIns }) => signIns.statuses['302'] ?? 0),
    toRow('answered with 503', ({ signIns }) => signIns.statuses['503'] ?? 0),
    toRow('last answer after, ms', ({ signIns }) => Math.max(...signIns.times)),
  ])
}
