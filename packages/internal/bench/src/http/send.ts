import { once } from 'node:events'
import { Agent, request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { ServedRequest } from './load.ts'

/** Requests that the process of the crowd sends simultaneously. */
export interface CrowdTask {
  readonly url: string
  readonly requests: readonly ServedRequest[]
}

/** What happened to one request. */
export interface Sent {
  readonly status: number
  /** Milliseconds from the request to the end of the answer. */
  readonly time: number
}

/** Milliseconds between two reads: a slow answer does not delay the next one. */
const PACE_MS = 5

/** Sends a request, reads the body and measures the time. */
export async function sendTimed(
  url: string,
  { path, method, headers, body }: ServedRequest,
  agent: Agent,
): Promise<Sent> {
  const startedAt = performance.now()
  const sent = request(`${url}${path}`, { method, headers: { ...headers }, agent }).end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  await once(response.resume(), 'end')
  return { status: response.statusCode ?? 0, time: performance.now() - startedAt }
}

/**
 * Sends a request again and again until something has happened, and returns the times.
 *
 * @throws Error if it is answered otherwise
 */
export async function readAgain(
  url: string,
  read: ServedRequest,
  end: Promise<unknown>,
): Promise<readonly number[]> {
  const agent = new Agent({ keepAlive: true })
  const reads: Promise<Sent>[] = []
  const timer = setInterval(() => reads.push(sendTimed(url, read, agent)), PACE_MS)
  await end.finally(() => clearInterval(timer))
  const results = await Promise.all(reads)
  agent.destroy()
  const wrong = results.find(({ status }) => status !== read.status)
  if (wrong) throw new Error(`expected ${read.status} of ${read.path}, found ${wrong.status}`)
  return results.map(({ time }) => time)
}
