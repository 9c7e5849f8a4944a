import { fork } from 'node:child_process'
import { Agent } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { readSessions, receive, sendAll } from './measure.ts'
import { sendTimed } from './send.ts'
import type { ServedChanges, SignInResult } from './served-users.ts'

export interface ChangesOptions {
  readonly rounds: number
  /** Milliseconds at rest before the first round. */
  readonly restMs: number
}

/** What was measured: times in milliseconds. */
export interface ChangesLoad {
  readonly restReads: readonly number[]
  readonly busyReads: readonly number[]
  readonly restSignIns: readonly SignInResult[]
  readonly busySignIns: readonly SignInResult[]
  readonly changes: readonly SignInResult[]
}

/**
 * Measures sign-ins in a known browser, and requests that hash nothing, at rest and while another user posts changes of the
 * password from three IP addresses.
 */
export async function measureChanges({ rounds, restMs }: ChangesOptions): Promise<ChangesLoad> {
  const crowd = fork(new URL('./crowd.ts', import.meta.url))
  const child = fork(new URL('./serve-changes.ts', import.meta.url), [String(rounds + 1)])
  try {
    const served = (await receive(child)) as ServedChanges
    const [warmUp = [], ...changes] = served.changes
    // Runs code that is not compiled yet: it does not count.
    await measure(served, sendAll(crowd, served, warmUp))
    const rest = await measure(served, setTimeout(restMs))
    const busy: Measured[] = []
    const answers: SignInResult[] = []
    for (const requests of changes) {
      const sent = sendAll(crowd, served, requests)
      busy.push(await measure(served, sent))
      answers.push(...(await sent))
    }
    return {
      restReads: rest.reads,
      busyReads: busy.flatMap(({ reads }) => reads),
      restSignIns: rest.signIns,
      busySignIns: busy.flatMap(({ signIns }) => signIns),
      changes: answers,
    }
  } finally {
    child.disconnect()
    crowd.disconnect()
  }
}

interface Measured {
  readonly reads: readonly number[]
  readonly signIns: readonly SignInResult[]
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
): Promise<readonly SignInResult[]> {
  const agent = new Agent({ keepAlive: true })
  const results: SignInResult[] = []
  const state = { isOver: false }
  void end.finally(() => (state.isOver = true))
  while (!state.isOver) {
    results.push(await sendTimed(url, signIn, agent))
    await setTimeout(Math.random() * MAX_PAUSE)
  }
  agent.destroy()
  return results
}
