import { fileURLToPath } from 'node:url'
import { createIdentityProvider } from '@latchkey/app-demo/identity-provider'
import { Browser } from '@latchkey/testing/browser'
import { listen } from '@latchkey/test-support/listen'
import { getFreePort } from '@latchkey/test-support/servers'
import { expect, onTestFinished, test } from 'vitest'
import { leastVariables, serve } from './support/service.ts'

const sdk = fileURLToPath(new URL('support/register-sdk.ts', import.meta.url))
const client = { clientId: 'latchkey', clientSecret: 'only-for-this-test' }

interface Span {
  readonly name: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly traceId: string
  readonly spanId: string
  readonly parent?: string
}

function parseSpans(output: string): Span[] {
  return Array.from(output.matchAll(/^span (.+)$/gm), ([, json]) => JSON.parse(json ?? '') as Span)
}

/** Starts a real OpenID provider, and returns its URL. */
async function startProvider(redirectUri: string): Promise<string> {
  const port = await getFreePort('localhost')
  const issuer = `http://localhost:${port}`
  const provider = createIdentityProvider(issuer, { ...client, redirectUri })
  const { stop } = await listen(provider, { host: 'localhost', port })
  onTestFinished(stop)
  return issuer
}

test('a sign-in has one trace for each request, and the log has its id', async () => {
  const port = await getFreePort('localhost')
  const issuer = await startProvider(`http://localhost:${port}/api/auth/callback/oidc`)
  const { program, url } = await serve({
    ...leastVariables,
    PORT: `${port}`,
    AUTH_OIDC_ID: client.clientId,
    AUTH_OIDC_SECRET: client.clientSecret,
    AUTH_OIDC_ISSUER: issuer,
    NODE_OPTIONS: `--import ${sdk}`,
  })
  const browser = new Browser(fetch, `${url}/api/auth`)
  const began = await browser.submit('/signin/oidc')
  const page = await browser.follow(began)
  const [, choice = ''] = /formaction="([^"]+alice)"/.exec(await page.text()) ?? []
  const chosen = await browser.visit(`${issuer}${choice}`, { method: 'POST' })
  await browser.follow(chosen, ({ pathname }) => pathname === '/')
  expect(await browser.json('/session')).toMatchObject({ user: { email: 'alice@example.com' } })

  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` }
  await browser.post('/signout', { csrfToken: 'wrong' }, { headers })
  program.signal('SIGUSR2')
  const [, metrics = ''] = await program.waitForOutput(/^metrics (.+)$/m)
  expect(metrics.split(' ')).toEqual(
    expect.arrayContaining([
      'http.server.request.duration',
      'http.client.request.duration',
      'db.client.operation.duration',
      'latchkey.sign_ins',
      'latchkey.refusals',
    ]),
  )

  const { stdout, stderr } = await program.stop()
  const spans = parseSpans(stdout)
  const callback = spans.find(({ name }) => name === 'GET /api/auth/callback/:provider')
  const children = spans.filter(({ parent }) => parent === callback?.spanId)
  expect(children.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['POST', 'getUserByAccount', 'createUser']),
  )
  expect(children.find(({ name }) => name === 'createUser')?.attributes).toEqual({
    'db.operation.name': 'createUser',
    'db.system.name': 'sqlite',
  })
  expect(new Set(children.map((child) => child.traceId))).toEqual(new Set([callback?.traceId]))
  expect(spans.findLast((span) => span.traceId === traceId)?.name).toBe('POST /api/auth/signout')
  expect(stderr).toMatch(new RegExp(`"traceId":"${traceId}".*"error":"Csrf"`))
  expect(stdout).not.toMatch(/alice|code=|state=/)
})
