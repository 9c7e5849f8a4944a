import { getConnInfo } from '@hono/node-server/conninfo'
import { createAuth } from '@latchkey/core'
import { Browser } from '@latchkey/testing/browser'
import { contractConfig } from '@latchkey/testing/contract-config'
import { send } from '@latchkey/test-support/connection'
import { Hono } from 'hono'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createListener, listen } from '../src/index.ts'
import type { NodeBindings, RunningServer } from '../src/index.ts'

const auth = createAuth(contractConfig())

const app = new Hono<{ Bindings: NodeBindings }>()
  .get('/ip', (c) => c.json(getConnInfo(c).remote))
  .get('/node', (c) => {
    const { incoming, outgoing } = c.env
    return c.json([incoming.method, incoming.url, outgoing.req === incoming])
  })
  .all('*', (c) => auth.handle(c.req.raw))

let server: RunningServer

beforeEach(async () => {
  const listener = createListener((request, _options, bindings) => app.fetch(request, bindings))
  server = await listen(listener, { host: 'localhost', port: 0 })
})

afterEach(() => server.stop(0))

test('getConnInfo of Hono returns the IP address of the connection', async () => {
  const remote = (await (await fetch(`${server.url}/ip`)).json()) as Record<string, unknown>
  expect(remote).toMatchObject({ address: expect.stringMatching(/^(127\.0\.0\.1|::1)$/) as string })
})

test('c.env has the request and the response of Node', async () => {
  expect(await (await fetch(`${server.url}/node?a=b`)).json()).toEqual(['GET', '/node?a=b', true])
})

test('a user signs in at a service that is mounted in the application', async () => {
  const browser = new Browser(fetch, `${server.url}/api/auth`)
  const begun = await browser.submit('/signin/passport')
  await browser.visit(begun.headers.get('location') ?? '')
  expect(await browser.json('/session')).toMatchObject({ user: { name: 'Person alice' } })
})

test('an absolute URL of another host never reaches the application', async () => {
  const request = (target: string): string =>
    `GET ${target} HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\nConnection: close\r\n\r\n`
  expect(await send(server.url, request(`${server.url}/node`))).toMatch(/^HTTP\/1.1 200 /)
  expect(await send(server.url, request('http://evil.example/node'))).toMatch(/^HTTP\/1.1 400 /)
})
