import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import type { BenchOptions } from '../options.ts'
import { formatGoal, formatRatio, formatTable, median, quantile } from '../output.ts'
import { startServer } from './load.ts'
import type { ServedRequest } from './load.ts'
import { readAgain } from './send.ts'
import type { CrowdTask, Sent } from './send.ts'

/** One round: milliseconds of `GET /session` without sign-ins, and from the first sign-in to the answer to the last one. */
interface Round {
  readonly rest: readonly number[]
  readonly busy: readonly number[]
  readonly signIns: readonly Sent[]
}

/** The p99 may be this many times the p99 at rest. */
const GOAL = 3

/**
 * Measures and prints `GET /session` at rest, and while many users sign in with real hashes. The service, the users and the client
 * that reads the session each have a separate process.
 *
 * @throws Error if a session is not read
 */
export async function run({ quick }: BenchOptions): Promise<string> {
  const { rounds, restMs, users } = quick
    ? { rounds: 1, restMs: 200, users: 2 }
    : { rounds: 5, restMs: 5000, users: 200 }
  using server = await startServer('users', String(users))
  const { url, requests, signIns } = server
  const crowd = fork(new URL('./crowd.ts', import.meta.url))
  const read = (end: Promise<unknown>): Promise<readonly number[]> =>
    readAgain(url, requests.session as ServedRequest, end)
  const measured: Round[] = []
  // The first round runs code that is not compiled yet: it does not count.
  for (let round = -1; round < rounds; round++) {
    const rest = await read(setTimeout(restMs))
    const answered = once(crowd, 'message')
    crowd.send({ url, requests: signIns } satisfies CrowdTask)
    const busy = await read(answered)
    const [sent] = (await answered) as [readonly Sent[]]
    if (round >= 0) measured.push({ rest, busy, signIns: sent })
  }
  crowd.disconnect()
  return `median of ${rounds} rounds, ${users} simultaneous sign-ins each.

${describeRounds(measured)}`
}

function describeRounds(rounds: readonly Round[]): string {
  const toMedian = (toFigure: (round: Round) => number): number => median(rounds.map(toFigure))
  const toRow = (title: string, toFigure: (round: Round) => number): string[] => [
    title,
    toMedian(toFigure).toFixed(1),
  ]
  const count = (status: number) => (round: Round) =>
    round.signIns.filter((sent) => sent.status === status).length
  const ratio = toMedian(({ rest, busy }) => quantile(busy, 0.99) / quantile(rest, 0.99))
  return formatTable([
    toRow('GET /session at rest, p50, ms', ({ rest }) => median(rest)),
    toRow('GET /session at rest, p99, ms', ({ rest }) => quantile(rest, 0.99)),
    toRow('during the sign-ins, p50, ms', ({ busy }) => median(busy)),
    toRow('during the sign-ins, p99, ms', ({ busy }) => quantile(busy, 0.99)),
    [`p99 during : p99 at rest, ${formatGoal(ratio, '<=', GOAL)}`, formatRatio(ratio)],
    toRow('slowest read during the sign-ins, ms', ({ busy }) => Math.max(...busy)),
    toRow('sign-ins that succeeded', count(302)),
    toRow('answered with 503', count(503)),
    toRow('last answer after, ms', ({ signIns }) => Math.max(...signIns.map((each) => each.time))),
  ])
}
