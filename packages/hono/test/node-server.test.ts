import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { createAuth } from '@latchkey/core'
import { Browser } from '@latchkey/testing/browser'
import { memoryStorage } from '@latchkey/core/memory'
import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { expect, onTestFinished, test } from 'vitest'
import { passport, secret, signIn } from '../../core/test/support/service.ts'
import { latchkey, requireSession } from '../src/index.ts'

test('over TCP, on Node: sign-in, renewal of the session, the client’s IP address, sign-out', async () => {
  const start = Date.now()
  let skipped = 0
  const clientIps: string[] = []
  const auth = createAuth({
    secret,
    storage: memoryStorage(),
    providers: [passport()],
    runtime: { now: () => start + skipped },
  })
  const handle: typeof auth.handle = (request, handleOptions) => {
    clientIps.push(String(handleOptions?.clientIp?.()))
    return auth.handle(request, handleOptions)
  }
  const app = new Hono()
    .use(cors({ origin: '*' }))
    .use(latchkey({ ...auth, handle }, { clientIp: (c) => getConnInfo(c).remote.address }))
    .get('/', requireSession(auth), () => new Response('private'))
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false })
  server.listen(0, 'localhost')
  await once(server, 'listening')
  onTestFinished(() => void server.close())

  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  const browser = new Browser(fetch, `${origin}/api/auth`)
  const redirect = await browser.visit(`${origin}/`)
  expect(redirect.headers.get('location')).toBe('/api/auth/signin?callbackUrl=%2F')
  await signIn(browser)
  expect(await (await browser.visit(`${origin}/`)).text()).toBe('private')
  skipped = 2 * 86_400_000
  const renewed = await browser.visit(`${origin}/`)
  expect(await renewed.text()).toBe('private')
  expect(renewed.headers.getSetCookie()).toHaveLength(1)
  expect(new Set(clientIps)).toEqual(new Set([expect.stringMatching(/^(::1|127\.0\.0\.1)$/)]))
  await browser.submit('/signout')
  expect((await browser.visit(`${origin}/`)).status).toBe(302)
})
