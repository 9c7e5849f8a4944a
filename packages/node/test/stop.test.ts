import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createListener, listen } from '../src/server.ts'
import type { FetchHandler, RunningServer } from '../src/server.ts'
import { open } from '@latchkey/test-support/connection'

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
