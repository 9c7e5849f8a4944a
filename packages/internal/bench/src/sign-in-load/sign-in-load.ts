import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import type { BenchOptions } from '../options.ts'
import { formatGoal, formatRatio, formatTable, median, quantile } from '../output.ts'
import { receive, startServer } from '../processes.ts'
import type { ServedUsers } from '../served.ts'
import { measureChanges } from './changes.ts'
import { readSessions, sendAll } from './send.ts'
import type { Sent } from './send.ts'

/** One round of one service: times in milliseconds. */
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
 * reads the session each have a separate process. Then the same of sign-ins while passwords change.
 *
 * @throws Error if a session is not read
 */
export async function run({ quick, 'sign-ins': given }: BenchOptions): Promise<string> {
  const { rounds, restMs } = quick ? { rounds: 1, restMs: 100 } : { rounds: 5, restMs: 5000 }
  const signIns = given ?? (quick ? 2 : 200)
  const crowd = fork(new URL('./crowd.ts', import.meta.url))
  const names = ['latchkey', 'betterAuth']
  const children = names.map((name) => startServer(name, String(signIns)))
  const loads: SignInLoad[][] = names.map(() => [])
  try {
    const servers = await Promise.all(children.map((child) => receive<ServedUsers>(child)))
    // The first round runs code that is not compiled yet: it does not count.
    for (let round = -1; round < rounds; round++) {
      for (const [i, server] of servers.entries()) {
        const load = await measureRound(server, crowd, restMs)
        if (round >= 0) loads[i]?.push(load)
      }
    }
  } finally {
    for (const child of [...children, crowd]) child.disconnect()
  }
  return `median of ${rounds} rounds, ${signIns} simultaneous sign-ins each.

${describeLoads(loads)}

One user changes the password 165 times, from three IP addresses; a hash takes about 100 ms.

${await measureChanges(quick ? 1 : 20, restMs)}`
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

function describeLoads(services: readonly (readonly SignInLoad[])[]): string {
  const toRow = (
    title: string,
    toFigure: (load: SignInLoad) => number,
    format = (figure: number): string => figure.toFixed(1),
  ): string[] => [title, ...services.map((loads) => format(median(loads.map(toFigure))))]
  const count = (title: string, statuses: readonly number[]): string[] =>
    toRow(
      title,
      ({ signIns }) => signIns.filter(({ status }) => statuses.includes(status)).length,
      String,
    )
  const p99 = ({ rest, busy }: SignInLoad): number => quantile(busy, 0.99) / quantile(rest, 0.99)
  return formatTable([
    ['', 'Latchkey', 'better-auth'],
    toRow('GET /session at rest, p50, ms', ({ rest }) => median(rest)),
    toRow('GET /session at rest, p99, ms', ({ rest }) => quantile(rest, 0.99)),
    toRow('during the sign-ins, p50, ms', ({ busy }) => median(busy)),
    toRow('during the sign-ins, p99, ms', ({ busy }) => quantile(busy, 0.99)),
    toRow('p99 during : p99 at rest', p99, formatRatio),
    toRow('goal', p99, (ratio) => formatGoal(ratio, '<=', GOAL)),
    toRow('slowest read during the sign-ins, ms', ({ busy }) => Math.max(...busy)),
    count('sign-ins that succeeded', [200, 302]),
    count('answered with 503', [503]),
    toRow(
      'last answer after, s',
      ({ signIns }) => Math.max(...signIns.map(({ time }) => time)) / 1000,
    ),
  ])
}
