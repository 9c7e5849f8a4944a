import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import type { BenchOptions } from '../options.ts'
import { formatGoal, formatRatio, formatTable, median, quantile } from '../output.ts'
import { receive, startServer } from '../processes.ts'
import type { ServedUsers } from '../served.ts'
import { readSessions, sendAll } from './send.ts'
import type { Sent } from './send.ts'

/** One round: times in milliseconds. */
interface SignInLoad {
  /** The times of `GET /session` without sign-ins. */
  readonly rest: readonly number[]
  /** The same from the first sign-in to the answer to the last one. */
  readonly busy: readonly number[]
  readonly signIns: readonly Sent[]
}

/** The p99 may be this many times the p99 at rest. */
const GOAL = 3

/**
 * Measures and prints `GET /session` at rest, and while many users sign in. The service, the users and the client that
 * reads the session each have a separate process.
 *
 * @throws Error if a session is not read
 */
export async function run({ quick, 'sign-ins': given }: BenchOptions): Promise<string> {
  const { rounds, restMs } = quick ? { rounds: 1, restMs: 100 } : { rounds: 5, restMs: 5000 }
  const signIns = given ?? (quick ? 2 : 200)
  const crowd = fork(new URL('./crowd.ts', import.meta.url))
  const child = startServer('users', String(signIns))
  const loads: SignInLoad[] = []
  try {
    const server = await receive<ServedUsers>(child)
    // The first round runs code that is not compiled yet: it does not count.
    for (let round = -1; round < rounds; round++) {
      const load = await measureRound(server, crowd, restMs)
      if (round >= 0) loads.push(load)
    }
  } finally {
    for (const each of [child, crowd]) each.disconnect()
  }
  return `median of ${rounds} rounds, ${signIns} simultaneous sign-ins each.

${describeLoads(loads)}`
}

async function measureRound(
  served: ServedUsers,
  crowd: ChildProcess,
  restMs: number,
): Promise<SignInLoad> {
  const rest = await readSessions(served, setTimeout(restMs))
  const results = sendAll(crowd, served, served.signIns)
  const busy = await readSessions(served, results)
  return { rest, busy, signIns: await results }
}

function describeLoads(loads: readonly SignInLoad[]): string {
  const toMedian = (toFigure: (load: SignInLoad) => number): number => median(loads.map(toFigure))
  const format = (toFigure: (load: SignInLoad) => number): string => toMedian(toFigure).toFixed(1)
  const count = (status: number): string =>
    String(toMedian(({ signIns }) => signIns.filter((sent) => sent.status === status).length))
  const ratio = toMedian(({ rest, busy }) => quantile(busy, 0.99) / quantile(rest, 0.99))
  return formatTable([
    ['GET /session at rest, p50, ms', format(({ rest }) => median(rest))],
    ['GET /session at rest, p99, ms', format(({ rest }) => quantile(rest, 0.99))],
    ['during the sign-ins, p50, ms', format(({ busy }) => median(busy))],
    ['during the sign-ins, p99, ms', format(({ busy }) => quantile(busy, 0.99))],
    [`p99 during : p99 at rest, ${formatGoal(ratio, '<=', GOAL)}`, formatRatio(ratio)],
    ['slowest read during the sign-ins, ms', format(({ busy }) => Math.max(...busy))],
    ['sign-ins that succeeded', count(302)],
    ['answered with 503', count(503)],
    ['last answer after, ms', format(({ signIns }) => Math.max(...signIns.map((s) => s.time)))],
  ])
}
