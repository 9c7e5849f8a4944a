import { describe, expect, test } from 'vitest'
import { google } from '@latchkey/core/providers/google'
import type { IssuerOptions } from '@latchkey/testing/issuer'
import { signInAtIssuer } from '@latchkey/testing/issuer-sign-in'
import {
  client,
  createFixtureIssuer,
  expectRefused,
  serveProviders,
} from '../support/identity-provider.ts'
import type { ProviderService } from '../support/identity-provider.ts'
import { origin } from '../support/service.ts'
import { googleFixture } from './fixtures/google.ts'

function serveGoogle(over: Partial<IssuerOptions> = {}): ProviderService {
  return serveProviders(createFixtureIssuer(googleFixture, over), google(client))
}

function signIn({ browser, issuer }: ProviderService): Promise<Response> {
  return signInAtIssuer(browser, issuer, { provider: 'google' })
}

describe('Google', () => {
  test('iss is accepted with and without a scheme, and no other (I-24)', async () => {
    for (const iss of ['accounts.google.com', 'https://accounts.google.com']) {
      const service = serveGoogle({ idToken: { iss } })
      expect((await signIn(service)).headers.get('location')).toBe(origin)
    }
    for (const iss of [
      'http://accounts.google.com',
      'https://accounts.google.com/',
      'accounts.google.com.attacker.example',
      undefined,
    ]) {
      const service = serveGoogle({ idToken: { iss } })
      await expectRefused(service, await signIn(service))
    }
  })

  test('an ID Token that cannot be decoded is refused', async () => {
    for (const id_token of ['alice', 'e30.bnVsbA.e30', 'e30.!.e30', 7, undefined]) {
      const service = serveGoogle()
      service.issuer.vary({ token: { id_token } })
      await expectRefused(service, await signIn(service))
    }
  })
})
