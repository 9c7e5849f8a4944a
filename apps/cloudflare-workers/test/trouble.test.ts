import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startDiscovery } from './support/discovery.ts'
import { RunningWorker } from './support/running-worker.ts'
import type { WorkerSetup } from './support/running-worker.ts'
import { createVariables } from './support/provider.ts'

const vars = createVariables({ issuer: 'https://op.example' })

async function start(setup: Partial<WorkerSetup> = {}): Promise<RunningWorker> {
  const worker = await RunningWorker.start({ vars, ...setup })
  onTestFinished(() => worker[Symbol.asyncDispose]())
  return worker
}

test('the rate limiting binding counts the sign-ins that each client begins', async () => {
  const provider = await startDiscovery()
  onTestFinished(() => provider[Symbol.asyncDispose]())
  const worker = await start({ vars: createVariables(provider), limit: 3 })
  // workerd counts by the minute of the clock.
  const left = 60_000 - (Date.now() % 60_000)
  if (left < 15_000) await setTimeout(left)
  const begin = (client: string): Promise<Response> =>
    worker.createBrowser(client).submit('/signin/oidc')
  for (const client of ['192.0.2.1', '192.0.2.2']) {
    for (let i = 0; i < 3; i++) {
      const location = (await begin(client)).headers.get('location')
      expect(location).toContain(`${provider.issuer}/auth?`)
    }
  }
  const refused = await begin('192.0.2.1')
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
  expect(await countCounters(worker)).toBe(0)
})

test('emails, whose limits are longer than a minute, are counted in D1', async () => {
  const worker = await start({ limit: 1000 })
  const send = (): Promise<Response> =>
    worker
      .createBrowser('192.0.2.1')
      .submit('/signin/email', { email: 'dan@example.com', json: 'true' })
  for (let i = 0; i < 5; i++) expect((await send()).status).toBe(200)
  const refused = await send()
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(500)
  expect(await countCounters(worker)).toBeGreaterThan(0)
})

test('with the Durable Object limits are counted there, and links of emails work once', async () => {
  const worker = await start({ objects: true })
  const send = (): Promise<Response> =>
    worker
      .createBrowser('192.0.2.1')
      .submit('/signin/email', { email: 'eve@example.com', json: 'true' })
  for (let i = 0; i < 5; i++) expect((await send()).status).toBe(200)
  expect((await send()).status).toBe(429)
  expect(await countCounters(worker)).toBe(0)
  expect(await worker.execute('SELECT 1 FROM latchkey_verification_tokens')).toEqual([])
  const browser = worker.createBrowser('192.0.2.2')
  await browser.submit('/signin/email', { email: 'frank@example.com' })
  const [link = ''] = /https:\S+/.exec(await worker.waitForMail('frank@example.com')) ?? []
  await browser.visit(link)
  expect(await browser.json('/session')).toMatchObject({ user: { email: 'frank@example.com' } })
  const again = await browser.visit(link)
  expect(again.headers.getSetCookie().join()).not.toContain('latchkey.session=')
})

test('the cron trigger deletes only what has expired', async () => {
  const worker = await start()
  await worker.execute(`
    INSERT INTO latchkey_users (id, name, email_verified) VALUES ('u', 'Eve', 0);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)
      INSERT INTO latchkey_sessions (id, user_id, created_at, renewed_at, expires, data)
        SELECT 'old' || i, 'u', 1, 1, i, '{}' FROM n;
    INSERT INTO latchkey_sessions (id, user_id, created_at, renewed_at, expires, data)
      VALUES ('new', 'u', 1, 1, 4000000000, '{}');
    INSERT INTO latchkey_verification_tokens VALUES ('eve@example.com', 'old', 1);
    INSERT INTO latchkey_counters VALUES ('old', 1, 1)`)
  expect(await worker.trigger()).toBe('ok')
  expect(await worker.execute('SELECT id FROM latchkey_sessions')).toEqual([{ id: 'new' }])
  expect(await worker.execute('SELECT 1 FROM latchkey_verification_tokens')).toEqual([])
  expect(await countCounters(worker)).toBe(0)
})

test('an invalid configuration: a plain 500, and the problems are in the log', async () => {
  const worker = await start({ vars: { ...vars, AUTH_GITHUB_ID: 'Iv1.abc' } })
  for (const path of ['/session', '/signin', 'https://app.example/']) {
    const response = await worker.createBrowser().visit(path)
    expect([response.status, response.headers.get('cache-control')]).toEqual([
      500,
      'private, no-store',
    ])
    expect(await response.text()).toBe('This sign-in service is not configured. See its log.\n')
  }
  expect(await worker.waitForLog('latchkey: ')).toBe(
    'latchkey: AUTH_GITHUB_SECRET: is missing, but AUTH_GITHUB_ID is set',
  )
  expect(worker.lines.join('\n')).not.toContain(vars['AUTH_OIDC_SECRET'])
  expect(await worker.trigger()).toBe('exception')
})

test('without tables: 503, and the missing table is in the log', async () => {
  const worker = await start({ tables: false })
  const response = await worker.createBrowser().visit('/session', {
    headers: { cookie: `__Host-latchkey.session=${'x'.repeat(43)}` },
  })
  expect(response.status).toBe(503)
  expect(await worker.waitForLog('Unavailable')).toContain('no such table: latchkey_sessions')
})

async function countCounters(worker: RunningWorker): Promise<number> {
  const [row] = await worker.execute('SELECT count(*) AS count FROM latchkey_counters')
  return Number(row?.['count'])
}
