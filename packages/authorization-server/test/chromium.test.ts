import { createServer as createHttpServer } from 'node:http'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { authorizationServer, programs } from '@latchkey/authorization-server'
import { createAuth } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { credentials } from '@latchkey/core/providers/credentials'
import { getKeyHash, getSelfSigned } from '@latchkey/test-support/certificate'
import { chromiumOptions, hasChromium } from '@latchkey/test-support/chromium'
import { apiTokens } from '@latchkey/tokens'
import { chromium } from 'playwright-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPkce, keys, notes, toAuthorize } from './support/server.ts'

const certificate = getSelfSigned()
const servers: Server[] = []
let browser: Browser
let issuer = ''
const ports: Record<'https' | '127.0.0.1' | '[::1]', number> = {
  https: 0,
  '127.0.0.1': 0,
  '[::1]': 0,
}

async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  return (server.address() as AddressInfo).port
}

const tls = { key: certificate.key, cert: certificate.certificate }

function toListener(answer: (request: Request) => Promise<Response>): RequestListener {
  const listener = getRequestListener(answer)
  return (request, response) => void listener(request, response)
}

/** A client that shows what it was sent. */
const showRequest = toListener(async ({ url }) => new Response(`received ${url}`))

async function startService(): Promise<string> {
  let handle: (request: Request) => Promise<Response> = async () =>
    new Response(null, { status: 503 })
  const listener = toListener((request) => handle(request))
  const port = await listen(createServer(tls, listener))
  const redirectUris = [
    `https://client.example:${ports.https}/cb`,
    'http://127.0.0.1/cb',
    'http://[::1]/cb',
  ]
  const client = { id: 'first', name: 'First', redirectUris }
  const auth = createAuth({
    serviceUrl: `https://localhost:${port}`,
    secret: 'a secret of thirty-two bytes or more',
    storage: memoryStorage(),
    session: { strategy: 'storage' },
    providers: [
      credentials({
        fields: { name: { label: 'Name' }, password: { label: 'Password', type: 'password' } },
        authorize: ({ name }) => ({ id: name, name }),
      }),
    ],
    use: [
      apiTokens({ keys, audience: 'https://api.example' }),
      authorizationServer({
        resources: { [notes]: { scopes: { read: { en: 'Read your notes' } } } },
        clients: [client],
        consent: ({ user }) => (user.name === 'asked' ? 'ask' : 'granted'),
      }),
    ],
  })
  handle = (request) => programs(auth, request) ?? auth.handle(request)
  return `https://localhost:${port}/api/auth`
}

describe.skipIf(!hasChromium())('in Chromium (I-65.6)', () => {
  beforeAll(async () => {
    ports.https = await listen(createServer(tls, showRequest))
    ports['127.0.0.1'] = await listen(createHttpServer(showRequest))
    ports['[::1]'] = await listen(createHttpServer(showRequest), '::1')
    issuer = await startService()
    const args = [
      ...chromiumOptions.args,
      `--ignore-certificate-errors-spki-list=${getKeyHash(certificate)}`,
      // A redirect to the user's device asks in any case.
      '--host-resolver-rules=MAP client.example 127.0.0.1',
    ]
    browser = await chromium.launch({ ...chromiumOptions, args })
  })

  afterAll(async () => {
    await browser?.close()
    for (const server of servers) server.close()
  })

  /** Opens an authorization request in a new window, and collects what Chromium refuses. */
  async function open(
    redirect_uri: string,
  ): Promise<{ readonly page: Page; readonly refused: string[] }> {
    const page = await (await browser.newContext()).newPage()
    const refused: string[] = []
    page.on('console', (line) => {
      if (line.text().includes('Content Security Policy')) refused.push(line.text())
    })
    const { challenge } = createPkce()
    await page.goto(issuer + toAuthorize(challenge, { client_id: 'first', redirect_uri }))
    return { page, refused }
  }

  async function signIn(page: Page, name: string): Promise<void> {
    await page.fill('input[name=name]', name)
    await page.fill('input[name=password]', 'password')
    await page.click('button[type=submit]')
  }

  const targets = [
    ['https', () => `https://client.example:${ports.https}/cb`],
    ['127.0.0.1', () => `http://127.0.0.1:${ports['127.0.0.1']}/cb`],
    ['[::1]', () => `http://[::1]:${ports['[::1]']}/cb`],
  ] as const

  test.each(targets)('the form of a sign-in, and of consent, lead to %s', async (kind, getUri) => {
    const { page, refused } = await open(getUri())
    await signIn(page, kind === 'https' ? 'granted' : 'asked')
    if (kind !== 'https') await page.click('button[value=allow]')
    await page.waitForURL((url) => url.href.startsWith(`${getUri()}?code=`))
    expect(await page.textContent('body')).toContain('received')
    expect(refused).toEqual([])
    await page.context().close()
  })

  test('the consent page has no script, is accessible by its labels, and cannot be framed', async () => {
    const { page } = await open(`http://127.0.0.1:${ports['127.0.0.1']}/cb`)
    await signIn(page, 'asked')
    await page.waitForSelector('button[value=allow]')
    expect(await page.locator('script').count()).toBe(0)
    expect(await page.getByLabel('Read your notes').isChecked()).toBe(true)
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('First')
    const url = page.url()
    await page.goto(`https://localhost:${ports.https}/`)
    const loaded = await page.evaluate(async (src) => {
      const frame = document.createElement('iframe')
      frame.src = src
      document.body.append(frame)
      await new Promise((resolve) => frame.addEventListener('load', resolve))
      return frame.contentDocument === null
    }, url)
    expect(loaded).toBe(true)
    await page.context().close()
  })
})
