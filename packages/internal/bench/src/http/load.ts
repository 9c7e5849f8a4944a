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
  readonly statuses: readonly string[]
  readonly seconds: number
}

/**
 * Sends a request again and again over several connections, for as many seconds.
 *
 * @throws Error if an answer is missing
 */
export async function sendLoad(
  url: string,
  { path, method, headers, body }: ServedRequest,
  limits: { readonly connections: number; readonly duration: number },
): Promise<Load> {
  const requests = [{ method: method as 'GET', path, headers, body }]
  const instance = autocannon({ url, timeout: 120, ...limits, requests }, () => undefined)
  const times: number[] = []
  instance.on('response', (_client, _status, _bytes, time) => times.push(time))
  const [result] = (await once(instance, 'done')) as [autocannon.Result]
  if (result.errors > 0) throw new Error(`${result.errors} requests to ${url} had no answer`)
  const statuses = Object.keys(result.statusCodeStats ?? {})
  return { times, statuses, seconds: result.duration }
}
