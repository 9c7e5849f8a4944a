import { once } from 'node:events'
import { request as sendRequest } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { parse } from 'node:querystring'
import { text } from 'node:stream/consumers'
import { memoryStorage } from '@latchkey/core/memory'
import { listen } from '@latchkey/test-support/listen'
import { Browser } from '@latchkey/testing/browser'
import { programsCase, programsConfig } from '@latchkey/testing/contract-programs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createNextAuth } from '../src/index.ts'
import type { ApiHandler, ApiRequest, ApiResponse, NextAuth } from '../src/index.ts'
import { passport, secret } from '../../core/test/support/service.ts'

// The contract runs through a real build in packages/internal/hosts; here are the details of requests and
// responses of Node.

type Prepare = (req: IncomingMessage, res: ServerResponse) => Promise<unknown>

/** Starts a server with the API route of `next`, behind a function that does what Next.js does before it. */
async function start(
  prepare: Prepare = async () => undefined,
  next: Pick<NextAuth, 'apiHandler'> = createOwn(),
): Promise<Browser> {
  const { origin, stop } = await listen(
    (req, res) => void answer(next.apiHandler, prepare, req, res),
    { host: 'localhost' },
  )
  onTestFinished(stop)
  return new Browser((request) => fetch(request), `${origin}/api/auth`)
}

function createOwn(): NextAuth {
  return createNextAuth(() => ({
    secret,
    providers: [passport()],
    storage: memoryStorage(),
    callbacks: { session: ({ session, token }) => ({ ...session, note: token['note'] ?? null }) },
    session: { update: ({ token, data }) => ({ ...token, note: data }) },
    logger: { error: () => undefined, warn: () => undefined },
  }))
}

async function answer(
  apiHandler: ApiHandler,
  prepare: Prepare,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const body = await prepare(req, res)
  await apiHandler(Object.assign(req, { body }) as ApiRequest, res as ApiResponse)
}

/** Reads the body as the parser of Next.js does. */
const parseBody: Prepare = async (req) => {
  const body = await text(req)
  const type = req.headers['content-type'] ?? ''
  if (type.startsWith('application/json')) return body === '' ? {} : JSON.parse(body)
  return type.startsWith('application/x-www-form-urlencoded') ? parse(body) : body
}

async function signIn(browser: Browser): Promise<Response> {
  const begun = await browser.submit('/signin/passport')
  const request = new URL(begun.headers.get('location') ?? '')
  const callback = new URL(request.searchParams.get('redirect_uri') ?? '')
  callback.searchParams.set('state', request.searchParams.get('state') ?? '')
  callback.searchParams.set('code', 'alice')
  return browser.visit(callback.href)
}

describe.for([
  ['unread', undefined],
  ['parsed', parseBody],
] as const)('a body that is %s', ([, prepare]) => {
  test('is one of a program, too', async () => {
    let serviceUrl = ''
    const browser = await start(
      prepare,
      createNextAuth(() => programsConfig({ serviceUrl })),
    )
    serviceUrl = new URL(browser.base).origin
    await programsCase.run({ base: browser.base, send: (request) => fetch(request) })
  })

  test('is a form or JSON', async () => {
    const browser = await start(prepare)
    expect((await signIn(browser)).status).toBe(302)
    const body = JSON.stringify({ csrfToken: await browser.csrfToken(), data: { a: [1, null] } })
    const headers = { 'content-type': 'application/json' }
    const json = await browser.visit('/session', { method: 'POST', headers, body })
    expect([json.status, await json.json()]).toMatchObject([200, { note: { a: [1, null] } }])
    const form = await browser.submit('/signout', { callbackUrl: '/Ünï?x=a%26b&y=+1' })
    const { origin } = new URL(browser.base)
    expect(form.headers.get('location')).toBe(new URL('/Ünï?x=a%26b&y=+1', origin).href)
  })

  test('keeps a field that was sent twice, which is refused (I-9)', async () => {
    const browser = await start(prepare)
    const token = await browser.csrfToken()
    const body = new URLSearchParams([
      ['csrfToken', token],
      ['csrfToken', token],
    ])
    const response = await browser.visit('/signout', { method: 'POST', body })
    expect(response.status).toBe(400)
  })

  test('is refused if it is too large or of another type (I-9)', async () => {
    const browser = await start(prepare)
    const large = await browser.post('/signout', { csrfToken: 'x'.repeat(100_000) })
    expect(large.status).toBe(413)
    const headers = { 'content-type': 'text/plain' }
    const plain = await browser.visit('/signout', { method: 'POST', headers, body: 'csrfToken=x' })
    expect(plain.status).toBe(415)
  })
})

test('cookies are separate, beside those that the application has set', async () => {
  const browser = await start(
    async (_, res) => res.setHeader('set-cookie', 'mine=1; Path=/') && undefined,
  )
  const response = await signIn(browser)
  const names = response.headers.getSetCookie().map((line) => line.split('=')[0] ?? '')
  expect(names).toHaveLength(3)
  expect(names[0]).toBe('mine')
  expect(names.slice(1).toSorted()).toEqual([
    expect.stringMatching(/^latchkey\.flow\./),
    'latchkey.session',
  ])
})

test('HEAD has no body and no effect (I-5)', async () => {
  const browser = await start()
  const response = await browser.visit('/csrf', { method: 'HEAD' })
  expect([response.status, await response.text()]).toEqual([200, ''])
  expect(response.headers.getSetCookie()).toEqual([])
})

test('a client that stops sending gets no answer, and the server continues', async () => {
  const browser = await start()
  const abort = new AbortController()
  const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(10)) })
  const init = { method: 'POST', body, duplex: 'half', signal: abort.signal }
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const sent = fetch(`${browser.base}/signout`, { ...init, headers })
  setTimeout(() => abort.abort(), 50)
  await expect(sent).rejects.toThrow('aborted')
  expect((await browser.visit('/session')).status).toBe(200)
})

test('a request target that names a host is 404', async () => {
  const browser = await start()
  const { port } = new URL(browser.base)
  for (const path of ['http://evil.example/api/auth/session', '*']) {
    const sent = sendRequest({ host: 'localhost', port, path, method: 'OPTIONS' }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    expect(response.statusCode).toBe(404)
    response.resume()
  }
})
