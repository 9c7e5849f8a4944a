import { once } from 'node:events'
import { request } from 'node:http'
import type { Agent, IncomingMessage } from 'node:http'
import type { ServedRequest } from '../http/served.ts'
import type { SignInResult } from './served-users.ts'

/** Sends a request, reads the body and measures the time. */
export async function sendTimed(
  url: string,
  { path, method, headers, body }: ServedRequest,
  agent: Agent,
): Promise<SignInResult> {
  const startedAt = performance.now()
  const sent = request(url + path, { method, headers, agent }).end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  await once(response.resume(), 'end')
  return { status: response.statusCode ?? 0, time: performance.now() - startedAt }
}
