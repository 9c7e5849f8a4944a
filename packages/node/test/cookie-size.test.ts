import { createAuth } from '@latchkey/core'
import { credentials } from '@latchkey/core/providers/credentials'
import { Browser } from '@latchkey/testing/browser'
import { hasNginx, startNginx } from '@latchkey/test-support/nginx'
import { expect, test } from 'vitest'
import { createListener, listen } from '../src/index.ts'
import type { RunningServer } from '../src/index.ts'

const password = credentials({
  id: 'password',
  fields: { username: { label: 'Name' }, password: { label: 'Password', type: 'password' } },
  authorize: ({ username }) => ({ id: username }),
})

/** Serves sessions with claims of a length, on Node with its default limits. */
function start(length: number): Promise<RunningServer> {
  const { handle } = createAuth({
    secret: 'a secret of thirty-two bytes or more',
    providers: [password],
    callbacks: { jwt: ({ token }) => ({ ...token, groups: 'g'.repeat(length) }) },
    logger: { error: () => undefined, warn: () => undefined },
  })
  return listen(createListener(handle), { host: '127.0.0.1', port: 0 })
}

/** The length of other headers that a browser sends. */
const others = { 'user-agent': 'x'.repeat(150), 'sec-ch-ua': 'x'.repeat(1000) }

/** Sends requests of a browser, with other headers as long as a browser's. */
const send: typeof fetch = (input, init) => {
  const request = new Request(input, init)
  for (const [name, value] of Object.entries(others)) request.headers.set(name, value)
  return fetch(request, { redirect: 'manual' })
}

async function signIn(url: string): Promise<Browser> {
  const browser = new Browser(send, `${url}/api/auth`)
  await browser.submit('/callback/password', { username: 'alice', password: 'x' })
  return browser
}

test('Node answers 431 from 16 KiB on: the largest session is read and ended (I-14.9)', async () => {
  const server = await start(8000)
  const browser = await signIn(server.url)
  const bytes = [...browser.cookies].map(([name, value]) => name.length + value.length + 3)
  expect(bytes.reduce((sum, more) => sum + more, 0)).toBeGreaterThan(11_000)
  expect(await browser.json('/session')).toMatchObject({ user: { id: 'alice' } })
  await browser.submit('/signout')
  expect(await browser.json('/session')).toEqual({})
  for (let i = 0; i < 5; i++) browser.cookies.set(`other${i}`, 'x'.repeat(3300))
  expect((await browser.visit('/session')).status).toBe(431)
  await server.stop(0)
})

// The warning of I-14.12 comes from 6,000 bytes on.
test.runIf(hasNginx()).for([
  [3500, '', 200],
  [8000, '', 400],
  [8000, 'large_client_header_buffers 4 16k;', 200],
] as const)('nginx: claims of %i bytes with "%s" are answered with %i', async (row) => {
  const [length, buffers, status] = row
  const server = await start(length)
  const browser = await signIn(server.url)
  const toServer = `proxy_pass ${server.url}; proxy_set_header Host $http_host;`
  const nginx = await startNginx(`location / { ${toServer} }`, buffers)
  const proxied = new Browser(send, `${nginx.url}/api/auth`)
  for (const [name, value] of browser.cookies) proxied.cookies.set(name, value)
  expect((await proxied.visit('/session')).status).toBe(status)
  await nginx[Symbol.asyncDispose]()
  await server.stop(0)
})
