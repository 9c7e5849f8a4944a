import { describe, expect, test } from 'vitest'
import { github } from '@latchkey/core/providers/github'
import type { IssuerOptions } from '@latchkey/testing/issuer'
import { beginSignIn, signInAtIssuer } from '@latchkey/testing/issuer-sign-in'
import {
  client,
  createFixtureIssuer,
  expectRefused,
  serveProviders,
} from '../support/identity-provider.ts'
import type { ProviderService } from '../support/identity-provider.ts'
import { origin } from '../support/service.ts'
import { githubFixture } from './fixtures/github.ts'

const user = { id: 583231, login: 'octocat', name: 'Octo', email: 'shown@example.com' }

function serveGitHub(emails: unknown, over: Partial<IssuerOptions> = {}): ProviderService {
  const api = {
    'https://api.github.com/user': user,
    'https://api.github.com/user/emails': emails,
  }
  return serveProviders(createFixtureIssuer(githubFixture, { api, ...over }), github(client))
}

function signIn({ browser, issuer }: ProviderService): Promise<Response> {
  return signInAtIssuer(browser, issuer, { provider: 'github' })
}

describe('GitHub', () => {
  test.each([
    ['no primary one', [{ email: 'a@example.com', primary: false, verified: true }]],
    ['an unverified primary one', [{ email: 'a@example.com', primary: true, verified: false }]],
    ['none', []],
  ])(
    'of the email addresses %s: the user has no email address, not even the public one (I-38)',
    async (_, emails) => {
      const service = serveGitHub(emails)
      await signIn(service)
      expect(service.signIns[0]?.user).toMatchObject({
        id: 'github:583231',
        name: 'Octo',
        email: null,
        emailVerified: false,
      })
    },
  )

  test.each([undefined, 'true', 'false', 1, {}])(
    'a primary email address whose `verified` is %j is not used (I-38)',
    async (verified) => {
      const service = serveGitHub([{ email: 'a@example.com', primary: true, verified }])
      await signIn(service)
      expect(service.signIns[0]?.user).toMatchObject({ email: null, emailVerified: false })
      const proven = serveGitHub([{ email: 'a@example.com', primary: true, verified: true }])
      await signIn(proven)
      expect(proven.signIns[0]?.user).toMatchObject({ email: 'a@example.com', emailVerified: true })
    },
  )

  test.each([403, 404])(
    'an App without permission for email addresses (status %d) signs in without one',
    async (status) => {
      const service = serveGitHub(Response.json({ message: 'Resource not accessible' }, { status }))
      expect((await signIn(service)).headers.get('location')).toBe(origin)
      expect(service.signIns[0]?.user).toMatchObject({ email: null, emailVerified: false })
    },
  )

  test.each(['octo@example.com', 1, true])(
    'email addresses that are the JSON value %j are refused, and an empty list is not',
    async (emails) => {
      expect((await signIn(serveGitHub([]))).headers.get('location')).toBe(origin)
      const service = serveGitHub(emails)
      await expectRefused(service, await signIn(service))
    },
  )

  test('every request has a User-Agent, which the API requires', async () => {
    const service = serveGitHub([])
    await signIn(service)
    for (const { headers } of service.issuer.requests) {
      expect(headers.get('user-agent')).toBeTruthy()
      expect(headers.get('accept')).toMatch(/^application\/(vnd\.github\+)?json/)
    }
  })

  test('an error of the token endpoint with status 200 is refused', async () => {
    const service = serveGitHub([])
    service.issuer.vary({
      token: {
        error: 'bad_verification_code',
        error_description: 'The code passed is incorrect or expired.',
        access_token: undefined,
      },
    })
    await expectRefused(service, await signIn(service))
  })

  test('its own iss and a missing iss are accepted, another iss is refused (I-23)', async () => {
    const service = serveGitHub([])
    const callback = service.issuer.authorize(
      await beginSignIn(service.browser, { provider: 'github' }),
    )
    expect(callback.searchParams.get('iss')).toBe('https://github.com/login/oauth')
    expect((await service.browser.visit(callback.href)).headers.get('location')).toBe(origin)
    for (const iss of [
      'https://github.com',
      'https://github.com/login/oauth/',
      'https://a.example',
    ]) {
      const other = serveGitHub([])
      other.issuer.vary({ callback: { iss } })
      await expectRefused(other, await signIn(other))
    }
    const withoutIss = serveGitHub([])
    withoutIss.issuer.vary({ callback: { iss: undefined } })
    expect((await signIn(withoutIss)).headers.get('location')).toBe(origin)
  })

  test('an Enterprise Server has all endpoints at its own URL', async () => {
    const baseUrl = 'https://github.example.com'
    const issuer = createFixtureIssuer(githubFixture, {
      issuer: `${baseUrl}/login/oauth`,
      metadata: {
        authorization_endpoint: `${baseUrl}/login/oauth/authorize`,
        token_endpoint: `${baseUrl}/login/oauth/access_token`,
      },
      api: { [`${baseUrl}/api/v3/user`]: user, [`${baseUrl}/api/v3/user/emails`]: [] },
    })
    const service = serveProviders(issuer, github({ ...client, baseUrl }))
    expect((await signIn(service)).headers.get('location')).toBe(origin)
    expect(service.signIns[0]?.user.id).toBe('github:583231')
  })

  test.each([[undefined], [null], [''], [{}], [[]]])(
    'a user with the id %o is refused',
    async (id) => {
      const service = serveGitHub([], {
        api: {
          'https://api.github.com/user': { ...user, id },
          'https://api.github.com/user/emails': [],
        },
      })
      await expectRefused(service, await signIn(service))
    },
  )
})
