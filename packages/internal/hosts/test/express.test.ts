import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { createAuth } from '@latchkey/core'
import { Browser } from '@latchkey/core/testing/browser'
import { contractConfig } from '@latchkey/core/testing/contract-config'
import express from 'express'
import type { Request as ExpressRequest, RequestHandler } from 'express'
import { expect, test } from 'vitest'

const auth = createAuth(contractConfig())

// As in the README. Express 5 passes what it throws to the error handler.
const requireSession: RequestHandler = async (request, response, next) => {
  const { session, headers } = await auth.getSession(toRequest(request))
  for (const [name, value] of headers) response.append(name, value)
  if (session) next()
  else response.redirect(`${auth.basePath}/signin`)
}

function toRequest({ headersDistinct, host, protocol }: ExpressRequest): Request {
  const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  return new Request(`${protocol}://${host}`, { headers })
}

test('a route of Express requires a session, and appends the cookies of reading it', async () => {
  const listener = getRequestListener((request) => auth.handle(request), {
    overrideGlobalObjects: false,
  })
  const app = express()
  app.use((request, response, next) => {
    if (request.url.startsWith(`${auth.basePath}/`)) void listener(request, response)
    else next()
  })
  app.use(express.json(), express.urlencoded())
  // oxlint-disable-next-line oxc/no-async-endpoint-handlers -- that is for Express 4
  app.get('/account', requireSession, (_, response) => void response.send('Hello'))
  const server = app.listen(0, 'localhost')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const browser = new Browser((request) => fetch(request), `http://localhost:${port}/api/auth`)
  const page = `http://localhost:${port}/account`

  const visitor = await browser.visit(page)
  expect([visitor.status, visitor.headers.get('location')]).toEqual([302, '/api/auth/signin'])
  const begun = await browser.submit('/signin/passport')
  await browser.visit(begun.headers.get('location') ?? '')
  expect(await (await browser.visit(page)).text()).toBe('Hello')
  const forged = await fetch(page, {
    headers: { cookie: 'latchkey.session=forged' },
    redirect: 'manual',
  })
  expect(forged.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^latchkey\.session=; Max-Age=0;/),
  ])
  server.closeAllConnections()
  server.close()
})
