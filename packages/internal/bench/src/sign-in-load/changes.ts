import { fork } from 'node:child_process'
import { Agent } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { formatGoal, formatRatio, formatTable, median, quantile } from '../output.ts'
import { receive, startServer } from '../processes.ts'
import type { ServedChanges } from '../served.ts'
import { readSessions, sendAll, sendTimed } from './send.ts'
import type { Sent } from './send.ts'

interface Measured {
  readonly reads: readonly number[]
  readonly signIns: readonly Sent[]
}

/**
 * Measures sign-ins in a known browser, and requests that hash nothing, at rest and while another user posts changes of the
 * password from three IP addresses. Returns the table.
 */
export async function measureChanges(rounds: number, restMs: number): Promise<string> {
  const crowd = fork(new URL('./crowd.ts', import.meta.url))
  const child = startServer('changes', String(rounds + 1))
  try {
    const served = await receive<ServedChanges>(child)
    const [warmUp = [], ...changes] = served.changes
    // Runs code that is not compiled yet: it does not count.
    await measure(served, sendAll(crowd, served, warmUp))
    const rest = await measure(served, setTimeout(restMs))
    const busy: Measured[] = []
    const answers: Sent[] = []
    for (const requests of changes) {
      const sent = sendAll(crowd, served, requests)
      busy.push(await measure(served, sent))
      answers.push(...(await sent))
    }
    return describeChanges(rest, busy, answers)
  } finally {
    child.disconnect()
    crowd.disconnect()
  }
}

async function measure(served: ServedChanges, end: Promise<unknown>): Promise<Measured> {
  const [reads, signIns] = await Promise.all([readSessions(served, end), signInUntil(served, end)])
  return { reads, signIns }
}

/** Milliseconds between two sign-ins at most: random, so that they do not begin with a hash of another user. */
const MAX_PAUSE = 200

/** Signs in again and again. */
async function signInUntil(
  { url, signIn }: ServedChanges,
  end: Promise<unknown>,
): Promise<readonly Sent[]> {
  const agent = new Agent({ keepAlive: true })
  const results: Sent[] = []
  const state = { isOver: false }
  void end.finally(() => (state.isOver = true))
  while (!state.isOver) {
    results.push(await sendTimed(url, signIn, agent))
    await setTimeout(Math.random() * MAX_PAUSE)
  }
  agent.destroy()
  return results
}

function describeChanges(
  rest: Measured,
  busy: readonly Measured[],
  changes: readonly Sent[],
): string {
  const signIns = busy.flatMap((each) => each.signIns)
  const times = signIns.map(({ time }) => time)
  const restSignIn = median(rest.signIns.map(({ time }) => time))
  const failed = signIns.filter(({ status }) => status !== 302).length
  const reads = median(busy.flatMap((each) => each.reads)) / median(rest.reads)
  return formatTable([
    ['', '', 'goal'],
    ['sign-in in a known browser at rest, p50, ms', restSignIn.toFixed(0), ''],
    toRow('p50 during the changes : p50 at rest', median(times) / restSignIn, 2),
    toRow('p99 during the changes : p50 at rest', quantile(times, 0.99) / restSignIn, 4),
    toRow('requests that hash nothing, p50 during : p50 at rest', reads, 2),
    ['sign-ins that failed', `${failed} of ${signIns.length}`, formatGoal(failed, '<=', 0)],
    [
      'changes answered with 429',
      String(changes.filter(({ status }) => status === 429).length),
      '',
    ],
  ])
}

function toRow(title: string, ratio: number, goal: number): string[] {
  return [title, formatRatio(ratio), formatGoal(ratio, '<=', goal)]
}
