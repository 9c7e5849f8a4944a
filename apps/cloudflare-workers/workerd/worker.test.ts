import {
  applyD1Migrations,
  createExecutionContext,
  createScheduledController,
  waitOnExecutionContext,
} from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { Browser } from '@latchkey/testing/browser'
import { createIssuer } from '@latchkey/testing/issuer'
import type { Algorithm } from '@latchkey/testing/issuer'
import { d1Storage } from '@latchkey/storage-sql/d1'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import type { Env } from '../src/environment.ts'
import worker from '../src/worker.ts'

const origin = 'https://app.example'
const client = { clientId: 'client-id', clientSecret: 'kept secret' }
// Named one by one, because `env` also contains the variables of a developer's .dev.vars.
const { DB, KV, LATCHKEY, MAIL, SIGN_INS } = env
const bindings: Env = { DB, KV, LATCHKEY, MAIL, SIGN_INS }
const variables = {
  AUTH_SECRET: 'a secret of thirty-two bytes or more for workerd',
  SERVICE_URL: origin,
  AUTH_OIDC_ID: client.clientId,
  AUTH_OIDC_SECRET: client.clientSecret,
  AUTH_EMAIL_FROM: 'sign-in@app.example',
}

beforeAll(() => applyD1Migrations(env.DB, env.MIGRATIONS))

/** A browser after its callback. */
interface SignedIn {
  readonly browser: Browser
  /** The response of the callback. */
  readonly response: Response
  readonly env: Env
}

/** Signs in at a new provider, so that the service is a new one. */
async function signIn(algorithm?: Algorithm): Promise<SignedIn> {
  // KV keeps the metadata of each issuer for the next service.
  const url = `https://${crypto.randomUUID()}.example`
  const issuer = createIssuer({ ...client, issuer: url, ...(algorithm && { algorithm }) })
  vi.stubGlobal('fetch', issuer.fetch)
  onTestFinished(() => void vi.unstubAllGlobals())
  const ownEnv = { ...bindings, ...variables, AUTH_OIDC_ISSUER: issuer.issuer }
  const browser = new Browser((request) => send(request, ownEnv), `${origin}/api/auth`)
  const away = await browser.submit('/signin/oidc')
  const returned = issuer.authorize(new URL(away.headers.get('location') ?? ''))
  return { browser, env: ownEnv, response: await browser.visit(returned.href) }
}

/** Sends a request to the Worker, and waits for the promises of `waitUntil`. */
async function send(request: Request, ownEnv: Env): Promise<Response> {
  const context = createExecutionContext()
  const response = await worker.fetch(request, ownEnv, context)
  await waitOnExecutionContext(context)
  return response
}

const algorithms: readonly Algorithm[] = ['RS256', 'PS256', 'ES256', 'EdDSA']

test.for(algorithms)('a user signs in, with an ID Token in %s', async (algorithm) => {
  const { browser, response } = await signIn(algorithm)
  expect(response.headers.get('location')).toBe(origin)
  expect(await browser.json('/session')).toHaveProperty('user.id')
})

test('a session that was deleted in the database has ended', async () => {
  const { browser } = await signIn()
  const { user } = (await browser.json('/session')) as { user: { id: string } }
  await d1Storage(env.DB).deleteSessions(user.id)
  expect(await browser.json('/session')).toEqual({})
})

test('the cron trigger keeps sessions that have not expired', async () => {
  const { browser, env: ownEnv } = await signIn()
  await worker.scheduled(createScheduledController(), ownEnv)
  expect(await browser.json('/session')).toHaveProperty('user')
})
