import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { mapNames } from '../output/map-names.ts'
import type { ServedRequest } from '../http/served.ts'
import { sendTimed } from './send.ts'
import { loadedNames } from './served-users.ts'
import type { CrowdTask, LoadedName, ServedUsers, SignInResult } from './served-users.ts'

export interface SignInLoadOptions {
  readonly rounds: number
  /** Sign-ins that begin simultaneously. */
  readonly signIns: number
  /** Milliseconds for which the session is read at rest. */
  readonly restMs: number
  /** Milliseconds for which it is read from the arrival of other reads on. */
  readonly arrivalMs: number
}

/** One round of one service: times in milliseconds. */
export interface SignInLoad {
  /** The times of `GET /session` without sign-ins. */
  readonly rest: readonly number[]
  /** The same while as many other clients read a session simultaneously: what the arrival of requests costs. */
  readonly arrival: readonly number[]
  /** The same from the first sign-in to the answer to the last one. */
  readonly busy: readonly number[]
  readonly signIns: readonly SignInResult[]
}

/** Milliseconds between two reads of the session: a slow answer does not delay the next read. */
const PACE_MS = 5

/**
 * Measures `GET /session` at rest, and while many users sign in. The service, the users and the client that reads the
 * session each have a separate process.
 *
 * @throws Error if a session is not read
 */
export async function measureSignInLoad(
  options: SignInLoadOptions,
): Promise<Readonly<Record<LoadedName, readonly SignInLoad[]>>> {
  const crowd = fork(new URL('./crowd.ts', import.meta.url))
  const servers = loadedNames.map((name) => startServer(name, options))
  try {
    const loads = mapNames(loadedNames, (): SignInLoad[] => [])
    // The first round runs code that is not compiled yet: it does not count.
    for (let round = -1; round < options.rounds; round++) {
      for (const { name, served } of servers) {
        const load = await measureRound(await served, crowd, options)
        if (round >= 0) loads[name].push(load)
      }
    }
    return loads
  } finally {
    for (const { child } of servers) child.disconnect()
    crowd.disconnect()
  }
}

/** A service that listens in a separate process, or begins to. */
interface Server {
  readonly name: LoadedName
  readonly child: ChildProcess
  readonly served: Promise<ServedUsers>
}

function startServer(name: LoadedName, { signIns }: SignInLoadOptions): Server {
  const child = fork(new URL('./serve.ts', import.meta.url), [name, String(signIns)])
  return { name, child, served: receive(child) as Promise<ServedUsers> }
}

async function measureRound(
  served: ServedUsers,
  crowd: ChildProcess,
  { restMs, arrivalMs }: SignInLoadOptions,
): Promise<SignInLoad> {
  const rest = await readSessions(served, setTimeout(restMs))
  const reads = served.signIns.map(() => served.session)
  const arrived = Promise.all([sendAll(crowd, served, reads), setTimeout(arrivalMs)])
  const arrival = await readSessions(served, arrived)
  const results = sendAll(crowd, served, served.signIns)
  const busy = await readSessions(served, results)
  return { rest, arrival, busy, signIns: await results }
}

export async function sendAll(
  crowd: ChildProcess,
  { url }: Pick<ServedUsers, 'url'>,
  requests: readonly ServedRequest[],
): Promise<readonly SignInResult[]> {
  crowd.send({ url, requests } satisfies CrowdTask)
  return (await receive(crowd)) as readonly SignInResult[]
}

/** Reads the session again and again until something has happened, and returns the times. */
export async function readSessions(
  { url, session }: Pick<ServedUsers, 'url' | 'session'>,
  end: Promise<unknown>,
): Promise<number[]> {
  const agent = new Agent({ keepAlive: true })
  const reads: Promise<SignInResult>[] = []
  const timer = setInterval(() => reads.push(sendTimed(url, session, agent)), PACE_MS)
  await end.finally(() => clearInterval(timer))
  const results = await Promise.all(reads)
  agent.destroy()
  const wrong = results.find(({ status }) => status !== session.status)
  if (wrong) throw new Error(`expected ${session.status} of ${session.path}, found ${wrong.status}`)
  return results.map(({ time }) => time)
}

/** @throws Error if the process ends before it sends a message */
export async function receive(child: ChildProcess): Promise<unknown> {
  const controller = new AbortController()
  const { signal } = controller
  try {
    const sent = once(child, 'message', { signal })
    const [message] = (await Promise.race([sent, failOnExit(child, signal)])) as [unknown]
    return message
  } finally {
    controller.abort()
  }
}

async function failOnExit(child: ChildProcess, signal: AbortSignal): Promise<never> {
  const [code] = (await once(child, 'exit', { signal })) as [number]
  throw new Error(`expected a message of ${child.spawnargs.join(' ')}, it ended with ${code}`)
}
