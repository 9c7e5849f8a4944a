import { createAuth } from '@latchkey/core'
import type { Auth } from '@latchkey/core'
import { credentials } from '@latchkey/core/providers/credentials'
import { Browser } from '@latchkey/testing/browser'
import connect from 'connect'
import express from 'express'
import type { RequestListener } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { createListener, listen } from '../src/server.ts'

/** Serves an application that mounts the service, and returns a browser at it. */
async function mount(create: (listener: RequestListener) => RequestListener): Promise<Browser> {
  let auth: Auth | undefined
  const listener = createListener(
    (request, options) => auth?.handle(request, options) ?? Response.error(),
  )
  const server = await listen(create(listener), { host: 'localhost', port: 0 })
  onTestFinished(async () => void (await server.stop(0)))
  auth = createAuth({
    serviceUrl: server.url,
    secret: 'a secret of thirty-two bytes or more',
    session: { update: ({ data, token }) => ({ ...token, note: JSON.stringify(data) }) },
    callbacks: {
      session: ({ session, token }) => ({ ...session, note: Reflect.get(token, 'note') }),
    },
    providers: [
      credentials({
        fields: { username: { label: 'User' }, password: { label: 'Password', type: 'password' } },
        authorize: ({ username, password }) => (password === 'right' ? { id: username } : null),
      }),
    ],
    logger: { error: () => undefined, warn: () => undefined },
  })
  return new Browser(fetch, `${server.url}/api/auth`)
}

const form = { username: 'alice', password: 'right' }
const json = { headers: { 'content-type': 'application/json', accept: 'application/json' } }

test.each([
  ['Express', (listener: RequestListener) => express().use('/api/auth', listener)],
  ['Connect', (listener: RequestListener) => connect().use('/api/auth', listener)],
  [
    'a router of Express',
    (listener: RequestListener) => express().use('/api', express.Router().use('/auth', listener)),
  ],
  [
    'Express after express.urlencoded()',
    (listener: RequestListener) => express().use(express.urlencoded()).use('/api/auth', listener),
  ],
  [
    'Express after express.raw()',
    (listener: RequestListener) =>
      express()
        .use(express.raw({ type: '*/*' }))
        .use('/api/auth', listener),
  ],
  [
    'Express after express.text()',
    (listener: RequestListener) =>
      express()
        .use(express.text({ type: '*/*' }))
        .use('/api/auth', listener),
  ],
] as const)('a user signs in at a service mounted in %s', async (_, create) => {
  const browser = await mount(create)
  expect((await browser.submit('/signin/credentials', form)).status).toBe(302)
  expect(await browser.json('/session')).toHaveProperty('user.id', 'alice')
  expect((await browser.submit('/signout')).status).toBe(302)
  expect(await browser.json('/session')).toEqual({})
})

test('a rewritten path is taken as it is', async () => {
  const browser = await mount((listener) =>
    express()
      .use('/sign-in', (request, _response, next) => {
        request.url = `/api/auth${request.url}`
        next()
      })
      .use('/sign-in', listener),
  )
  const origin = new URL(browser.base).origin
  expect((await fetch(`${origin}/sign-in/csrf`)).status).toBe(200)
})

test('JSON that express.json() has parsed is read, its data of any form', async () => {
  const browser = await mount((listener) =>
    express().use(express.json()).use('/api/auth', listener),
  )
  await browser.submit('/signin/credentials', form)
  const { csrfToken } = await browser.json('/csrf')
  const post = async (body: unknown): Promise<Response> =>
    browser.visit('/session', { ...json, method: 'POST', body: JSON.stringify(body) })
  expect((await post({ csrfToken, data: { colour: ['blue'] } })).status).toBe(200)
  expect(await browser.json('/session')).toHaveProperty('note', '{"colour":["blue"]}')
})

test.each([
  ['two values of a field', 'csrfToken=a&csrfToken=b', 'the field csrfToken of the parsed body'],
  ['a field of a field', 'csrfToken=a&user[name]=b', 'the field user of the parsed body'],
])('a parsed form with %s is refused by name', async (_, body, expected) => {
  const browser = await mount((listener) =>
    express()
      .use(express.urlencoded({ extended: true }))
      .use('/api/auth', listener),
  )
  expect((await browser.submit('/signin/credentials', form)).status).toBe(302)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const response = await browser.visit('/signin/credentials', { method: 'POST', body, headers })
  expect(response.status).toBe(400)
  expect(await response.text()).toContain(expected)
})

test.each([
  ['[]'],
  ['[{"csrfToken":"a"}]'],
  ['{"csrfToken":1}'],
  ['{"csrfToken":null}'],
  ['{"csrfToken":{"a":"b"}}'],
])('the parsed JSON %s is refused', async (body) => {
  const browser = await mount((listener) =>
    express().use(express.json()).use('/api/auth', listener),
  )
  const response = await browser.visit('/signout', { ...json, method: 'POST', body })
  expect(response.status).toBe(400)
  expect(await response.text()).toContain('parsed body is not')
})
