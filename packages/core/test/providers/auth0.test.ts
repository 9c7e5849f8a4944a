import { describe, expect, test } from 'vitest'
import { ConfigurationError } from '@latchkey/core'
import { auth0 } from '@latchkey/core/providers/auth0'
import { signInAtIssuer } from '@latchkey/testing/issuer-sign-in'
import {
  client,
  createFixtureIssuer,
  expectRefused,
  serveProviders,
} from '../support/identity-provider.ts'
import { auth0Fixture } from './fixtures/auth0.ts'

describe('Auth0', () => {
  test('an iss without the final slash is refused (I-24)', async () => {
    const idToken = { iss: 'https://example.eu.auth0.com' }
    const issuer = createFixtureIssuer(auth0Fixture, { idToken })
    const service = serveProviders(issuer, auth0Fixture.create())
    const response = await signInAtIssuer(service.browser, issuer, { provider: 'auth0' })
    await expectRefused(service, response)
  })

  test.each(['', 'https://example.eu.auth0.com', 'a b', 'example.com/path?'])(
    'the domain "%s" is refused at start-up',
    (domain) => {
      expect(() => auth0({ ...client, domain })).toThrow(ConfigurationError)
    },
  )
})
