import { describe, expect, test } from 'vitest'
import { createIssuer } from '@latchkey/core/testing/issuer'
import { beginSignIn, signInAtIssuer } from '@latchkey/core/testing/issuer-sign-in'
import {
  client,
  decodeBasicCredentials,
  getRequest,
  serveProviders,
} from '../support/identity-provider.ts'
import { base, origin } from '../support/service.ts'
import { appleFixture } from './fixtures/apple.ts'
import { auth0Fixture } from './fixtures/auth0.ts'
import { discordFixture } from './fixtures/discord.ts'
import { githubFixture } from './fixtures/github.ts'
import { gitlabFixture } from './fixtures/gitlab.ts'
import { googleFixture } from './fixtures/google.ts'
import { keycloakFixture } from './fixtures/keycloak.ts'
import { microsoftEntraIdFixture } from './fixtures/microsoft-entra-id.ts'

const fixtures = [
  githubFixture,
  googleFixture,
  microsoftEntraIdFixture,
  appleFixture,
  discordFixture,
  gitlabFixture,
  keycloakFixture,
  auth0Fixture,
]

describe.each(fixtures.map((fixture) => [fixture.create().name, fixture] as const))(
  '%s',
  (name, fixture) => {
    const issuer = createIssuer(fixture.issuer)
    const provider = fixture.create()
    const { id } = provider
    const clientId = fixture.issuer.clientId ?? ''

    test('sends the authorization request with the right parameters (I-19, I-22)', async () => {
      const { browser } = serveProviders(issuer, provider)
      const url = await beginSignIn(browser, { provider: id })
      expect(url.origin + url.pathname).toBe(fixture.authorizationEndpoint)
      const { state, nonce, code_challenge, ...parameters } = Object.fromEntries(url.searchParams)
      expect(parameters).toEqual({
        client_id: clientId,
        redirect_uri: `${base}/callback/${id}`,
        response_type: 'code',
        code_challenge_method: 'S256',
        ...fixture.parameters,
      })
      expect([state, code_challenge].every((value) => /^[\w-]{43}$/.test(value ?? ''))).toBe(true)
      expect(nonce === undefined).toBe(fixture.type === 'oauth')
      expect(url.searchParams.size).toBe(Object.keys(Object.fromEntries(url.searchParams)).length)
    })

    test('signs in at its real URLs and maps the profile (I-25, I-40)', async () => {
      const { browser, signIns, service } = serveProviders(issuer, provider)
      const callback = issuer.authorize(await beginSignIn(browser, { provider: id }))
      for (const [key, value] of Object.entries(fixture.callback ?? {})) {
        callback.searchParams.set(key, value)
      }
      const response = await browser.visit(callback.href)
      expect(response.headers.get('location'), JSON.stringify(service.lines)).toBe(origin)
      expect(signIns[0]?.user).toEqual(fixture.user)
      expect((await browser.json('/session'))['user']).toEqual(fixture.user)
      expect(issuer.requests.filter(({ endpoint }) => endpoint === undefined)).toEqual([])
    })

    test(`authenticates by ${fixture.authentication} (I-27)`, async () => {
      const { browser } = serveProviders(issuer, provider)
      await signInAtIssuer(browser, issuer, { provider: id })
      const request = getRequest(issuer, 'token')
      expect(request.url).toBe(fixture.tokenEndpoint)
      expect(request.headers.get('accept')).toBe('application/json')
      expect(request.headers.get('content-type')).toMatch(/^application\/x-www-form-urlencoded\b/)
      const { client_secret, client_id, ...form } = Object.fromEntries(request.form)
      expect(form).toEqual({
        grant_type: 'authorization_code',
        code: expect.any(String),
        redirect_uri: `${base}/callback/${id}`,
        code_verifier: expect.stringMatching(/^[\w-]{43}$/),
      })
      if (fixture.authentication === 'client_secret_basic') {
        expect(decodeBasicCredentials(request)).toBe('late-riser:p%40ss-word+1')
        expect([client_id, client_secret]).toEqual([undefined, undefined])
      } else {
        expect(request.headers.has('authorization')).toBe(false)
        expect(client_id).toBe(clientId)
        if (id !== 'apple') expect(client_secret).toBe(client.clientSecret)
      }
    })

    test('is listed by GET /providers', async () => {
      const { browser } = serveProviders(issuer, provider)
      expect((await browser.json('/providers'))[id]).toEqual({
        id,
        name,
        type: fixture.type,
        signinUrl: `${base}/signin/${id}`,
        callbackUrl: `${base}/callback/${id}`,
      })
    })

    test('requires the client id at start-up', () => {
      expect(() => fixture.create({ clientId: '' })).toThrow(`providers.${id}.clientId: is missing`)
    })
  },
)
