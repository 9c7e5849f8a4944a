import { describe, expect, test } from 'vitest'
import { oauth } from '@latchkey/core/providers/oauth'
import { oidc } from '@latchkey/core/providers/oidc'
import { createTestClock } from '@latchkey/testing/clock'
import { createIssuer } from '@latchkey/testing/issuer'
import type { IssuerOptions } from '@latchkey/testing/issuer'
import type { Endpoint, Variation } from '@latchkey/testing/issuer-faults'
import { beginSignIn } from '@latchkey/testing/issuer-sign-in'
import { origin, serve } from './support/service.ts'
import type { LogLine } from './support/service.ts'

const client = { clientId: 'client-id', clientSecret: 'kept secret' }
const config = { id: 'op', name: 'The provider', issuer: 'https://issuer.example', ...client }

/** Signs in with a variation, and returns the only line of the log. */
async function readLog(
  variation: Variation,
  over: Partial<typeof config> = {},
  options: IssuerOptions = {},
): Promise<LogLine> {
  const { runtime, advance } = createTestClock()
  const timing = { now: runtime.now, advance }
  const issuer = createIssuer({ ...client, ...timing, algorithm: 'ES256', ...options })
  issuer.vary(variation)
  const { browse, lines } = serve({
    providers: [oidc({ ...config, ...over })],
    runtime: {
      ...runtime,
      fetch: (url, init) =>
        issuer.fetch(url, init).catch((error: unknown) => {
          if (url.includes('/wrong/')) return new Response('Not Found', { status: 404 })
          throw error
        }),
    },
  })
  const browser = browse()
  const url = await beginSignIn(browser)
  if (url.origin !== origin) await browser.visit(issuer.authorize(url).href)
  const [line] = lines
  if (!line || lines.length > 1) throw new Error(`expected one line: ${JSON.stringify(lines)}`)
  return line
}

const urls: Readonly<Record<Endpoint, string>> = {
  discovery: 'the discovery endpoint https://issuer.example/.well-known/openid-configuration',
  jwks: 'the jwks_uri https://issuer.example/jwks',
  token: 'the token endpoint https://issuer.example/token',
  userinfo: 'the userinfo endpoint https://issuer.example/userinfo',
}
const endpoints = Object.keys(urls) as Endpoint[]

describe.each(endpoints)('the log names provider, URL and status: %s', (endpoint) => {
  test.each([
    ['error-500', 'responded with status 500'],
    ['html', 'responded with status 200'],
    ['cut-off', 'responded with status 200'],
    ['null', 'responded with status 200'],
    ['redirect', 'responded with status 302'],
    ['challenge', 'responded with status 401 and the error invalid_token'],
    ['hang', 'did not respond'],
    ['unreachable', 'did not respond'],
  ] as const)('%s', async (fault, what) => {
    const { details } = await readLog({ responses: { [endpoint]: fault } })
    expect(details).toMatchObject({ provider: 'op' })
    expect(details.causes?.[0]).toBe(`EndpointError: ${urls[endpoint]} ${what}`)
  })

  test('the host and the time of a time-out', async () => {
    const { details } = await readLog({ responses: { [endpoint]: 'hang' } })
    expect(details.causes).toContain('Error: issuer.example did not respond within 10 seconds')
  })

  test('the reason why a host cannot be reached', async () => {
    const { details } = await readLog({ responses: { [endpoint]: 'unreachable' } })
    expect(details.causes).toContain('Error: issuer.example could not be requested')
    expect(details.causes).toContain('Error: connect ECONNREFUSED')
  })
})

describe('the log says what was expected and what was found', () => {
  const advice = 'check clientId, clientSecret and clientAuthentication'

  test.each<[string, Variation, string]>([
    [
      'a wrong secret, with a Basic challenge',
      { responses: { token: 'wrong-secret' } },
      `${urls.token} responded with status 401 and the error invalid_client: ${advice}`,
    ],
    [
      'an error with status 200',
      { token: { error: 'bad_verification_code', access_token: undefined, id_token: undefined } },
      `${urls.token} responded with status 200 and the error bad_verification_code`,
    ],
    [
      'a callback URL that is not registered',
      { token: { error: 'redirect_uri_mismatch', access_token: undefined, id_token: undefined } },
      'the error redirect_uri_mismatch: register the callback URL at the provider',
    ],
    [
      'a token of another type',
      { token: { token_type: 'DPoP' } },
      'expected the token_type bearer, found dpop',
    ],
    [
      'an endpoint with a password',
      { metadata: { token_endpoint: 'https://:secret@issuer.example/token' } },
      'expected an https URL without credentials as token_endpoint in the discovery document',
    ],
    [
      'an endpoint with a user name',
      { metadata: { token_endpoint: 'https://user@issuer.example/token' } },
      'expected an https URL without credentials as token_endpoint in the discovery document',
    ],
    [
      'an empty iss in the ID Token',
      { idToken: { iss: '' } },
      'expected iss https://issuer.example in the ID Token, found an empty text',
    ],
    [
      'the issuer of the discovery document',
      { metadata: { issuer: 'https://issuer.example/tenant' } },
      'expected the issuer https://issuer.example/, found https://issuer.example/tenant',
    ],
    [
      'an endpoint on a private host',
      { metadata: { token_endpoint: 'https://10.0.0.1/token' } },
      'expected a host as public as the issuer as token_endpoint in the discovery document, found https://10.0.0.1',
    ],
    [
      'iss in the ID Token',
      { idToken: { iss: 'https://other.example' } },
      'expected iss https://issuer.example in the ID Token, found https://other.example',
    ],
    [
      'aud in the ID Token',
      { idToken: { aud: ['another-client'] } },
      'expected aud client-id in the ID Token, found ["another-client"]',
    ],
    [
      'iss in the callback',
      { callback: { iss: 'https://other.example' } },
      'expected iss https://issuer.example in the callback, found https://other.example',
    ],
    [
      'no iss in the callback',
      { callback: { iss: undefined } },
      'response parameter "iss" (issuer) missing',
    ],
    [
      'the keys, if none fits',
      { signer: 'attacker' },
      'no key of https://issuer.example/jwks verifies the signature',
    ],
    [
      'an immense iss',
      { callback: { iss: 'a word '.repeat(800) } },
      `found ${'a word '.repeat(28)}`,
    ],
    [
      'an iss that is an object',
      { metadata: { issuer: { a: 1 } } },
      '"response" body "issuer" property must be a string',
    ],
  ])('%s', async (_, variation, text) => {
    const { message, details } = await readLog(variation)
    expect(message).toMatch(/^op could not (?:begin|finish)$/)
    expect(details.provider).toBe('op')
    expect(details.causes?.join('\n')).toContain(text)
    expect(JSON.stringify(details).length).toBeLessThan(1500)
  })

  test('a wrong secret without a challenge', async () => {
    const { details } = await readLog({}, { clientSecret: 'another secret' })
    expect(details.causes?.[0]).toContain(`status 401 and the error invalid_client: ${advice}`)
  })

  test('a wrong path of the issuer', async () => {
    const { details } = await readLog({}, { issuer: 'https://issuer.example/wrong' })
    expect(details.causes?.[0]).toBe(
      'EndpointError: the discovery endpoint https://issuer.example/wrong/.well-known/openid-configuration' +
        ' responded with status 404: check the path of the issuer',
    )
  })
})

describe('the API of a plain OAuth 2.0 provider', () => {
  const api = 'https://api.issuer.example/user'

  test.each<[string, Response, string]>([
    ['bad JSON', new Response('{"id":'), `the API ${api} responded with status 200`],
    [
      'a status with a challenge',
      new Response(null, { status: 403, headers: { 'www-authenticate': 'Bearer' } }),
      'StatusError: expected status 200 from api.issuer.example, found 403',
    ],
    [
      'a status without one',
      new Response(null, { status: 503 }),
      'StatusError: expected status 200 from api.issuer.example, found 503',
    ],
  ])('%s', async (_, response, text) => {
    const issuer = createIssuer({ ...client, openid: false, api: { [api]: response } })
    const { browse, lines } = serve({
      providers: [
        oauth({
          ...config,
          authorizationEndpoint: `${config.issuer}/authorize`,
          tokenEndpoint: `${config.issuer}/token`,
          userinfo: api,
        }),
      ],
      runtime: { fetch: issuer.fetch },
    })
    const browser = browse()
    await browser.visit(issuer.authorize(await beginSignIn(browser)).href)
    expect(lines).toHaveLength(1)
    expect(lines[0]?.details.provider).toBe('op')
    expect(lines[0]?.details.causes?.[0]).toContain(text)
  })
})
