import { once } from 'node:events'
import { Agent, request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startService } from './support/service.ts'

/** Sends a request on the agent's connection. Resolves after the response was received completely. */
async function send(agent: Agent, url: string): Promise<IncomingMessage> {
  const [response] = (await once(request(url, { agent }).end(), 'response')) as [IncomingMessage]
  await text(response)
  return response
}

/**
 * Sends one request after the other until the server ends the connection. Resolves to their number.
 *
 * @param onResponse Is called with each response that keeps the connection
 */
async function keepBusy(url: string, onResponse: () => void): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  for (let count = 1; ; count++) {
    const { statusCode, headers } = await send(agent, url)
    if (statusCode !== 200) throw new Error(`expected 200, got ${statusCode}`)
    if (headers.connection === 'close') return count
    onResponse()
  }
}

describe('10 busy connections that are kept alive, and SIGTERM', () => {
  test.each([1, 2, 3])('no request is reset, and the process exits with 0: run %d', async () => {
    const program = startService({
      AUTH_SECRET: 'a-secret-of-thirty-two-bytes-or-more',
      AUTH_GITHUB_ID: 'id',
      AUTH_GITHUB_SECRET: 'secret',
      PORT: '0',
      AUTH_DATABASE: ':memory:',
    })
    onTestFinished(async () => void (await program.stop()))
    const [, url = ''] = await program.waitForOutput(/listening on (\S+)/)
    const responses = Array.from({ length: 10 }, () => 0)
    const clients = responses.map((_, i) =>
      keepBusy(`${url}/api/auth/csrf`, () => void (responses[i] = (responses[i] ?? 0) + 1)),
    )
    const outcomes = Promise.allSettled(clients)
    await expect.poll(() => Math.min(...responses), { timeout: 20_000 }).toBeGreaterThan(2)
    program.signal('SIGTERM')
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ status: 'fulfilled' })
    expect(await program.ended).toMatchObject({ code: 0, stderr: '' })
  })
})
