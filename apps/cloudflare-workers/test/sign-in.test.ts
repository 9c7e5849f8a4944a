import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Op } from '../../../packages/core/test/support/op.ts'
import { signIn, startProvider, variables } from './support/provider.ts'
import { RunningWorker, origin } from './support/running-worker.ts'

let op: Op
let worker: RunningWorker

beforeAll(async () => {
  op = await startProvider()
  worker = await RunningWorker.start({ vars: variables(op) })
})

afterAll(async () => {
  await worker[Symbol.asyncDispose]()
  await op.stop()
})

test('a person signs in by an OpenID provider, and out; the session is in D1 meanwhile', async () => {
  const browser = worker.browse()
  expect((await signIn(browser)).headers.get('location')).toBe(origin)
  expect(await browser.json('/session')).toMatchObject({
    user: { name: 'Person alice', email: 'alice@op.example' },
  })
  expect([...browser.cookies.keys()]).toContain('__Host-latchkey.session')
  expect(await sessions()).toBe(1)

  await browser.submit('/signout')
  expect(await browser.json('/session')).toEqual({})
  expect(await sessions()).toBe(0)
})

test('a session whose row is gone is one no more', async () => {
  const browser = worker.browse()
  await signIn(browser)
  await worker.execute('DELETE FROM latchkey_sessions')
  expect(await browser.json('/session')).toEqual({})
})

test('the link of a mail signs in where it was asked for', async () => {
  const browser = worker.browse()
  const asked = await browser.submit('/signin/email', { email: 'Bob@Example.com' })
  expect(asked.headers.get('location')).toContain('/verify-request')
  const [link = ''] = /https:\S+/.exec(await worker.mailTo('bob@example.com')) ?? []
  expect((await browser.visit(link)).headers.get('location')).toBe(origin)
  expect(await browser.json('/session')).toMatchObject({ user: { email: 'bob@example.com' } })

  const again = await worker.browse().visit(link)
  expect(again.headers.getSetCookie().join()).not.toContain('session')
})

test('six digits do as well', async () => {
  const browser = worker.browse()
  await browser.submit('/signin/email', { email: 'carol@example.com' })
  const [code = ''] = /\b\d{6}\b/.exec(await worker.mailTo('carol@example.com')) ?? []
  await browser.submit('/callback/email', { code })
  expect(await browser.json('/session')).toMatchObject({ user: { email: 'carol@example.com' } })
})

test('whatever is not below the base path is not found', async () => {
  for (const path of ['/', '/favicon.ico', '/api/authentic', '/API/auth/session']) {
    expect((await worker.browse().visit(origin + path)).status).toBe(404)
  }
})

async function sessions(): Promise<unknown> {
  const [row] = await worker.execute('SELECT count(*) AS count FROM latchkey_sessions')
  return row?.['count']
}
