import { fork } from 'node:child_process'
import { once } from 'node:events'
import { getFreePort } from '@latchkey/test-support/servers'
import autocannon from 'autocannon'

/** The work of contenders that is measured over HTTP. */
export const servedIds = ['session', 'noSession', 'start'] as const
export type ServedId = (typeof servedIds)[number]

/** A request that can be repeated. */
export interface ServedRequest extends Pick<autocannon.Request, 'path' | 'headers' | 'body'> {
  readonly method: string
  /** The status of the answer. */
  readonly status: number
}

/** What a served process answers. */
export interface Served {
  readonly requests: Partial<Record<ServedId, ServedRequest>>
  /** Sign in by a password, each another user. */
  readonly signIns: readonly ServedRequest[]
}

/** A served process. */
export interface Server extends Served, Disposable {
  readonly url: string
}

/** Starts a process that serves a contender by its name, or as many users with passwords. */
export async function startServer(kind: 'contender' | 'users', argument: string): Promise<Server> {
  const url = `http://127.0.0.1:${await getFreePort()}`
  const env = { ...process.env, BENCH_ORIGIN: url }
  const child = fork(new URL('./serve.ts', import.meta.url), [kind, argument], { env })
  const exited = once(child, 'exit').then(([code]) => {
    throw new Error(`the server of ${argument} has ended with ${code}`)
  })
  const [served] = (await Promise.race([once(child, 'message'), exited])) as [Served]
  exited.catch(() => undefined) // it ends with this process
  return { url, ...served, [Symbol.dispose]: () => child.disconnect() }
}

/** Answers under load: milliseconds of each, and how many had each status. */
export interface Load {
  readonly times: readonly number[]
  readonly statuses: Readonly<Record<string, number>>
  readonly seconds: number
}

/**
 * Sends each request again and again over its own connections, or as often as `amount` says.
 *
 * @throws Error if an answer is missing
 */
export async function sendLoad(
  url: string,
  requests: readonly ServedRequest[],
  limits: Pick<autocannon.Options, 'connections' | 'duration' | 'amount' | 'overallRate'>,
  end?: Promise<unknown>,
): Promise<Load> {
  let next = 0
  const setupClient = (client: autocannon.Client): void => {
    const { method, path, headers, body } = requests[next++ % requests.length] as ServedRequest
    client.setRequests([{ method: method as 'GET', path, headers, body }])
  }
  const instance = autocannon({ url, timeout: 120, setupClient, ...limits }, () => undefined)
  const times: number[] = []
  instance.on('response', (_client, _status, _bytes, time) => times.push(time))
  void end?.then(() => instance.stop())
  const [result] = (await once(instance, 'done')) as [autocannon.Result]
  if (result.errors > 0) throw new Error(`${result.errors} requests to ${url} had no answer`)
  const statuses = Object.entries(result.statusCodeStats ?? {}).map(([status, { count = 0 }]) => [
    status,
    count,
  ])
  return { times, statuses: Object.fromEntries(statuses), seconds: result.duration }
}
