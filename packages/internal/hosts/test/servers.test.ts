import { Browser } from '@latchkey/core/testing/browser'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hosts } from '../src/hosts.ts'
import type { RunningHost } from '../src/hosts.ts'

const { H3, Elysia, Express, Fastify, Koa } = hosts

describe.for(Object.entries({ H3, Elysia, Express, Fastify, Koa }))(
  'the page of the recipe: %s',
  ([, open]) => {
    let host: RunningHost
    let page: string

    beforeAll(async () => {
      host = await (open as NonNullable<typeof open>)()
      page = new URL('/account', host.base).href
    })

    afterAll(() => host[Symbol.asyncDispose]())

    test('requires a session', async () => {
      const browser = new Browser(host.send, host.base)
      const visitor = await browser.visit(page)
      expect([visitor.status, visitor.headers.get('location')]).toEqual([302, '/api/auth/signin'])
      const begun = await browser.submit('/signin/passport')
      await browser.visit(begun.headers.get('location') ?? '')
      expect(await (await browser.visit(page)).text()).toBe('Hello, Person alice')
    })

    test('sets the cookie of a session that it renews (I-35)', async () => {
      const browser = new Browser(host.send, host.base)
      const begun = await browser.submit('/signin/passport?login_hint=due')
      await browser.visit(begun.headers.get('location') ?? '')
      const { headers } = await browser.visit(page)
      expect(headers.getSetCookie()).toEqual([
        expect.stringMatching(/^latchkey\.session=[\w-]{43}; Max-Age=\d+;/),
      ])
    })
  },
)
