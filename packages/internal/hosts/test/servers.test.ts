import { afterAll, beforeAll, describe, test } from 'vitest'
import { hosts } from '../src/hosts.ts'
import type { RunningHost } from '../src/hosts.ts'
import { expectGuarded, expectRenewal } from './support/pages.ts'

const { H3, Elysia, Express, Fastify, Koa } = hosts

describe.for(Object.entries({ H3, Elysia, Express, Fastify, Koa }))(
  'the page of the recipe: %s',
  ([, open]) => {
    let host: RunningHost

    beforeAll(async () => {
      host = await (open as NonNullable<typeof open>)()
    })

    afterAll(() => host[Symbol.asyncDispose]())

    test('requires a session', () => expectGuarded(host))

    test('sets the cookie of a session that it renews (I-35)', () =>
      expectRenewal(host, '/account'))
  },
)
