import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { receive } from '../processes.ts'
import type { Served, ServedRequest } from '../served.ts'

/** Requests that the process of the users sends simultaneously. */
export interface CrowdTask extends Served {
  readonly requests: readonly ServedRequest[]
}

/** What happened to one request. */
export interface Sent {
  readonly status: number
  /** Milliseconds from the request to the end of the answer. */
  readonly time: number
}

/** Milliseconds between two reads of the session: a slow answer does not delay the next read. */
const PACE_MS = 5

/** Sends a request, reads the body and measures the time. */
export async function sendTimed(
  url: string,
  { path, method, headers, body }: ServedRequest,
  agent: Agent,
): Promise<Sent> {
  const startedAt = performance.now()
  const sent = request(url + path, { method, headers, agent }).end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  await once(response.resume(), 'end')
  return { status: response.statusCode ?? 0, time: performance.now() - startedAt }
}

/** Sends requests simultaneously from the process of the users. */
export function sendAll(
  crowd: ChildProcess,
  { url }: Served,
  requests: readonly ServedRequest[],
): Promise<readonly Sent[]> {
  crowd.send({ url, requests } satisfies CrowdTask)
  return receive(crowd)
}

/** Reads the session again and again until something has happened, and returns the times. */
export async function readSessions(
  { url, session }: Served & { readonly session: ServedRequest },
  end: Promise<unknown>,
): Promise<number[]> {
  const agent = new Agent({ keepAlive: true })
  const reads: Promise<Sent>[] = []
  const timer = setInterval(() => reads.push(sendTimed(url, session, agent)), PACE_MS)
  await end.finally(() => clearInterval(timer))
  const results = await Promise.all(reads)
  agent.destroy()
  const wrong = results.find(({ status }) => status !== session.status)
  if (wrong) throw new Error(`expected ${session.status} of ${session.path}, found ${wrong.status}`)
  return results.map(({ time }) => time)
}
