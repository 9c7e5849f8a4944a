import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Op } from '../../../packages/core/test/support/op.ts'
import { signIn, startProvider, createVariables } from './support/provider.ts'
import { RunningWorker, origin } from './support/running-worker.ts'

let op: Op
let worker: RunningWorker

beforeAll(async () => {
  op = await startProvider()
  worker = await RunningWorker.start({ vars: createVariables(op) })
})

afterAll(async () => {
  await worker[Symbol.asyncDispose]()
  await op.stop()
})

test('a user signs in with an OpenID provider, and out; the session is stored in D1', async () => {
  const browser = worker.createBrowser()
  expect((await signIn(browser)).headers.get('location')).toBe(origin)
  expect(await browser.json('/session')).toMatchObject({
    user: { name: 'Person alice', email: 'alice@op.example' },
  })
  expect([...browser.cookies.keys()]).toContain('__Host-latchkey.session')
  expect(await countSessions()).toBe(1)

  await browser.submit('/signout')
  expect(await browser.json('/session')).toEqual({})
  expect(await countSessions()).toBe(0)
})

test('a session whose row was deleted has ended', async () => {
  const browser = worker.createBrowser()
  await signIn(browser)
  await worker.execute('DELETE FROM latchkey_sessions')
  expect(await browser.json('/session')).toEqual({})
})

test('the link of an email signs in in the browser that requested it', async () => {
  const browser = worker.createBrowser()
  const asked = await browser.submit('/signin/email', { email: 'Bob@Example.com' })
  expect(asked.headers.get('location')).toContain('/verify-request')
  const [link = ''] = /https:\S+/.exec(await worker.waitForMail('bob@example.com')) ?? []
  expect((await browser.visit(link)).headers.get('location')).toBe(origin)
  expect(await browser.json('/session')).toMatchObject({ user: { email: 'bob@example.com' } })

  const again = await worker.createBrowser().visit(link)
  expect(again.headers.getSetCookie().join()).not.toContain('session')
})

test('the code of an email signs in', async () => {
  const browser = worker.createBrowser()
  await browser.submit('/signin/email', { email: 'carol@example.com' })
  const [code = ''] = /\b\d{8}\b/.exec(await worker.waitForMail('carol@example.com')) ?? []
  await browser.submit('/callback/email', { code })
  expect(await browser.json('/session')).toMatchObject({ user: { email: 'carol@example.com' } })
})

test('paths that are not below the base path are not found', async () => {
  for (const path of ['/', '/favicon.ico', '/api/authentic', '/API/auth/session']) {
    expect((await worker.createBrowser().visit(origin + path)).status).toBe(404)
  }
})

async function countSessions(): Promise<unknown> {
  const [row] = await worker.execute('SELECT count(*) AS count FROM latchkey_sessions')
  return row?.['count']
}
