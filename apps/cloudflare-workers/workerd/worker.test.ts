import {
  applyD1Migrations,
  createExecutionContext,
  createScheduledController,
  waitOnExecutionContext,
} from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { Browser } from '@latchkey/core/testing/browser'
import { createIssuer } from '@latchkey/core/testing/issuer'
import type { Algorithm } from '@latchkey/core/testing/issuer'
import { d1Storage } from '@latchkey/storage-sql/d1'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import type { Env } from '../src/environment.ts'
import worker from '../src/worker.ts'

const origin = 'https://app.example'
const client = { clientId: 'client-id', clientSecret: 'kept secret' }
// Named one by one, because `env` also has what a developer's .dev.vars says.
const bindings: Env = { DB: env.DB, SIGN_INS: env.SIGN_INS, MAIL: env.MAIL }
const variables = {
  AUTH_SECRET: 'a secret of thirty-two bytes or more for workerd',
  SERVICE_URL: origin,
  AUTH_OIDC_ID: client.clientId,
  AUTH_OIDC_SECRET: client.clientSecret,
  AUTH_EMAIL_FROM: 'sign-in@app.example',
}

beforeAll(() => applyD1Migrations(env.DB, env.MIGRATIONS))

/** A browser that comes back from the provider, and what the Worker was given. */
interface SignedIn {
  readonly browser: Browser
  readonly back: Response
  readonly own: Env
}

/** Signs in at a provider of its own, so that the service is a new one. */
async function signIn(algorithm?: Algorithm): Promise<SignedIn> {
  const issuer = createIssuer({ ...client, ...(algorithm && { algorithm }) })
  vi.stubGlobal('fetch', issuer.fetch)
  onTestFinished(() => void vi.unstubAllGlobals())
  const own = { ...bindings, ...variables, AUTH_OIDC_ISSUER: issuer.issuer }
  const browser = new Browser((request) => send(request, own), `${origin}/api/auth`)
  const away = await browser.submit('/signin/oidc')
  const returned = issuer.authorize(new URL(away.headers.get('location') ?? ''))
  return { browser, own, back: await browser.visit(returned.href) }
}

/** Through the Worker's door, until all that it has left for later is done. */
async function send(request: Request, own: Env): Promise<Response> {
  const host = createExecutionContext()
  const response = await worker.fetch(request, own, host)
  await waitOnExecutionContext(host)
  return response
}

const algorithms: readonly Algorithm[] = ['RS256', 'PS256', 'ES256', 'EdDSA']

test.for(algorithms)('a person signs in, with an ID Token in %s', async (algorithm) => {
  const { browser, back } = await signIn(algorithm)
  expect(back.headers.get('location')).toBe(origin)
  expect(await browser.json('/session')).toHaveProperty('user.id')
})

test('a session that is ended in the database is one no more', async () => {
  const { browser } = await signIn()
  const { user } = (await browser.json('/session')) as { user: { id: string } }
  await d1Storage(env.DB).deleteSessions(user.id)
  expect(await browser.json('/session')).toEqual({})
})

test('the cron trigger leaves what has not expired', async () => {
  const { browser, own } = await signIn()
  await worker.scheduled(createScheduledController(), own)
  expect(await browser.json('/session')).toHaveProperty('user')
})
