import { once } from 'node:events'
import { Agent, request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createListener, listen } from '../src/server.ts'
import type { FetchHandler, RunningServer } from '../src/server.ts'
import { open } from '@latchkey/test-support/connection'
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

describe('a server that stops', () => {
  let server: RunningServer
  // Idle connections end when a test says so, however slow the machine is.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
  afterEach(async () => {
    await server.stop(0)
    vi.useRealTimers()
  })

  async function serve(handler: FetchHandler): Promise<string> {
    server = await listen(createListener(handler), { host: 'localhost', port: 0 })
    return server.url
  }

  const get = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'

  test('answers a request that was on its way, and ends that connection', async () => {
    const url = await serve(() => new Response('ok'))
    const used = await open(url, get)
    await once(used, 'data')
    const unused = await open(url, '')
    // The server has accepted the connections that were opened before this one.
    await (await fetch(url, { headers: { connection: 'close' } })).text()
    const stopped = server.stop()
    for (const socket of [used, unused]) {
      socket.write(get)
      const answer = await text(socket)
      expect(answer).toMatch(/^HTTP\/1.1 200 /)
      expect(answer).toMatch(/^connection: close\r$/im)
    }
    expect(await stopped).toBe(true)
  })

  test('ends the connections of open requests with their responses', async () => {
    let resolve: (response: Response) => void = () => undefined
    const promise = new Promise<Response>((done) => (resolve = done))
    const handler = vi.fn(() => promise)
    const socket = await open(await serve(handler), get)
    await expect.poll(() => handler.mock.calls).toHaveLength(1)
    const stopped = server.stop()
    resolve(new Response('ok'))
    expect(await text(socket)).toMatch(/^HTTP\/1.1 200 [^]+\r\nconnection: close\r\n/i)
    expect(await stopped).toBe(true)
  })

  test('waits a second for idle connections, used or not', async () => {
    const url = await serve(() => new Response('ok'))
    const used = await open(url, get)
    await once(used, 'data')
    const unused = await open(url, '')
    await (await fetch(url, { headers: { connection: 'close' } })).text()
    let isStopped = false
    const stopped = server.stop().finally(() => (isStopped = true))
    vi.advanceTimersByTime(999)
    for (let turn = 0; turn < 10; turn++) await nextTurn()
    expect(isStopped).toBe(false)
    vi.advanceTimersByTime(1)
    expect(await stopped).toBe(true)
    for (const socket of [used, unused]) socket.destroy()
  })

  test('at the limit closes idle connections, and returns true', async () => {
    const url = await serve(() => new Response('ok'))
    const socket = await open(url, get)
    await once(socket, 'data')
    expect(await server.stop(0)).toBe(true)
    socket.destroy()
  })

  test('cuts off requests that take longer than the limit, and returns false', async () => {
    const handler = vi.fn(() => new Promise<Response>(() => undefined))
    const socket = await open(await serve(handler), get)
    const closed = once(
      socket.on('error', () => undefined),
      'close',
    )
    await expect.poll(() => handler.mock.calls).toHaveLength(1)
    expect(await server.stop(100)).toBe(false)
    await closed
  })
})
