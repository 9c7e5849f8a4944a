import { ConfigurationError, createAuth } from '@latchkey/core'
import type { Auth } from '@latchkey/core'
import { describe, expect, test } from 'vitest'
import type { Capability } from '../src/kernel/context.ts'
import { text } from '../src/http/reply.ts'
import { origin, passport, secret } from './support/service.ts'

const action = (): ReturnType<typeof text> => text(200, 'The terms')
const terms: Capability = {
  id: 'terms',
  routes: [{ method: 'GET', path: '/terms', action }],
}

/** A service that uses capabilities of an application, which no document of the service describes. */
function create(...use: readonly Capability[]): Auth {
  return createAuth({ serviceUrl: origin, secret, providers: [passport()], use })
}

describe('what createAuth refuses of capabilities (I-63.3)', () => {
  test.each<[string, readonly Capability[], string]>([
    ['an id twice', [terms, { id: 'terms' }], 'use: terms is given twice'],
    ['an invalid id', [{ id: 'My terms' }], 'use: [0] must be a capability'],
    [
      'a route of another one',
      [terms, { id: 'rules', routes: terms.routes ?? [] }],
      'use: rules and terms have the route GET /terms',
    ],
    [
      'a route of the service',
      [{ id: 'terms', routes: [{ method: 'GET', path: '/session', action }] }],
      'use: the service and terms have the route GET /session',
    ],
    [
      'a path of two segments',
      [{ id: 'terms', routes: [{ method: 'GET', path: '/terms/now', action }] }],
      'use: terms: the route /terms/now must be one segment',
    ],
  ])('%s', async (_, use, message) => {
    const response = await create(terms).handle(new Request(`${origin}/api/auth/terms`))
    expect([response.status, await response.text()]).toEqual([200, 'The terms'])
    expect(() => create(...use)).toThrow(ConfigurationError)
    expect(() => create(...use)).toThrow(message)
  })
})
