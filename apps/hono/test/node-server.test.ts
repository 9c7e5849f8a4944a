import { once } from 'node:events'
import { Agent, request } from 'node:http'
import type { IncomingMessage, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { Hono } from 'hono'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { send } from '@latchkey/test-support/connection'
import { createServer, stopServer } from '../src/node-server.ts'

let server: Server
let url: string

beforeEach(async () => {
  const app = new Hono().get('*', async (c) => {
    await setTimeout(Math.random() * 5)
    return c.text(`received ${c.req.url}`)
  })
  server = createServer(app).listen(0, 'localhost')
  await once(server, 'listening')
  url = `http://localhost:${(server.address() as AddressInfo).port}`
})

afterEach(() => {
  server.closeAllConnections()
  server.close()
})

describe('c.req.url', () => {
  const get = (target: string, hosts: string): string =>
    `GET ${target} HTTP/1.1\r\nHost: ${hosts}\r\nConnection: close\r\n\r\n`

  test('has the host of the Host header', async () => {
    expect(await send(url, get('/a?b=c', 'good.example'))).toContain(
      'received http://good.example/a?b=c',
    )
  })

  test.each([
    ['an absolute URL', 'http://evil.example/a', 'good.example'],
    ['a host after an asterisk', '*@evil.exam/a', 'LOCALHOST'],
    ['a path, with two Host headers', '/a', 'good.example\r\nHost: evil.example'],
  ])('a target that is %s: 400', async (_, target, hosts) => {
    const answer = await send(url, get(target, hosts))
    expect(answer).toMatch(/^HTTP\/1.1 400 /)
    expect(answer).not.toContain('received')
  })
})

test('10 busy connections that are kept alive: no request is reset by a stop', async () => {
  const keepBusy = async (): Promise<void> => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (;;) {
      const [response] = (await once(request(url, { agent }).end(), 'response')) as [
        IncomingMessage,
      ]
      expect(await text(response)).toContain('received')
      if (response.headers.connection === 'close') return
    }
  }
  const clients = Promise.all(Array.from({ length: 10 }, keepBusy))
  await setTimeout(200)
  const stopping = Date.now()
  const stopped = stopServer(server)
  await clients
  await stopped
  expect(Date.now() - stopping).toBeLessThan(3000)
})
