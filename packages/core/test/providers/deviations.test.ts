import { describe, expect, test } from 'vitest'
import type { Provider } from '@latchkey/core'
import { facebook } from '@latchkey/core/providers/facebook'
import { linear } from '@latchkey/core/providers/linear'
import { notion } from '@latchkey/core/providers/notion'
import { oauth } from '@latchkey/core/providers/oauth'
import { paypal } from '@latchkey/core/providers/paypal'
import { salesforce } from '@latchkey/core/providers/salesforce'
import { strava } from '@latchkey/core/providers/strava'
import { tiktok } from '@latchkey/core/providers/tiktok'
import { workos } from '@latchkey/core/providers/workos'
import { createIssuer } from '@latchkey/core/testing/issuer'
import { beginSignIn, signInAtIssuer } from '@latchkey/core/testing/issuer-sign-in'
import { correctTokens, getMember } from '../../src/oauth/deviations.ts'
import {
  client,
  createFixtureIssuer,
  expectRefused,
  issuerOptions,
  oauthConfig,
  serveProviders,
} from '../support/identity-provider.ts'
import { origin } from '../support/service.ts'
import { lineFixture } from './fixtures/line.ts'
import { salesforceFixture } from './fixtures/salesforce.ts'
import { workosFixture } from './fixtures/workos.ts'

const issuer = createIssuer({ ...issuerOptions, ...client, openid: false })

/** Returns the authorization request of a provider. */
async function getRequest(provider: Provider): Promise<URL> {
  const { browser } = serveProviders(issuer, provider)
  return beginSignIn(browser, { provider: provider.id })
}

test.each([strava, linear, tiktok])('%o separates scopes by commas', async (create) => {
  const url = await getRequest(create({ ...client, scope: 'first second third' }))
  expect(url.searchParams.get('scope')).toBe('first,second,third')
})

test('parameters that a provider requires stay if others are configured', async () => {
  const url = await getRequest(notion({ ...client, params: { team: 'blue' } }))
  expect(Object.fromEntries(url.searchParams)).toMatchObject({ owner: 'user', team: 'blue' })
})

test('Facebook has a version in its URLs', async () => {
  const url = await getRequest(facebook({ ...client, version: 'v25.0' }))
  expect(url.pathname).toBe('/v25.0/dialog/oauth')
  expect(() => facebook({ ...client, version: '25' })).toThrow(
    'providers.facebook.version: must have the form v24.0',
  )
})

test('PayPal has a sandbox', async () => {
  const url = await getRequest(paypal({ ...client, environment: 'sandbox' }))
  expect(url.host).toBe('www.sandbox.paypal.com')
  expect(() => paypal({ ...client, environment: 'test' as 'live' })).toThrow(
    'providers.paypal.environment: must be live or sandbox',
  )
})

describe('WorkOS', () => {
  test.each(['connection', 'organization', 'provider'])('is limited to a %s', async (name) => {
    const url = await getRequest(workos({ ...client, [name]: 'chosen' }))
    expect(url.searchParams.get(name)).toBe('chosen')
  })

  test.each([
    [{ organization: 'org_123' }, 'organization_id'],
    [{ connection: 'conn_1' }, 'connection_id'],
    [{ provider: 'GoogleOAuth' }, 'connection_type'],
  ])('refuses a user who changed %j in the authorization request', async (target, member) => {
    const [expected = ''] = Object.values(target)
    const api = workosFixture.issuer.api ?? {}
    const [url = '', body] = Object.entries(api)[0] ?? []
    for (const found of [expected, 'another', undefined]) {
      const changed = { [url]: { ...(body as object), [member]: found } }
      const issuing = createFixtureIssuer(workosFixture, { api: changed })
      const service = serveProviders(issuing, workos({ ...client, ...target }))
      const response = await signInAtIssuer(service.browser, issuing, { provider: 'workos' })
      if (found === expected) expect(response.headers.get('location')).toBe(origin)
      else await expectRefused(service, response)
    }
  })

  test('accepts every user of the environment with authkit', async () => {
    const service = serveProviders(
      createFixtureIssuer(workosFixture),
      workos({ ...client, provider: 'authkit' }),
    )
    const response = await signInAtIssuer(service.browser, service.issuer, { provider: 'workos' })
    expect(response.headers.get('location')).toBe(origin)
  })

  test.each([{}, { connection: 'a', organization: 'b' }])('refuses %j at start-up', (over) => {
    expect(() => workos({ ...client, ...over })).toThrow(
      /^providers\.workos\.connection: .*exactly/,
    )
  })
})

describe('Salesforce', () => {
  test('a sandbox has its own issuer', async () => {
    const sandbox = createIssuer({
      ...client,
      ...issuerOptions,
      issuer: 'https://test.salesforce.com',
    })
    const provider = salesforce({ ...client, issuer: 'https://test.salesforce.com' })
    const { browser } = serveProviders(sandbox, provider)
    const url = await beginSignIn(browser, { provider: 'salesforce' })
    expect(url.host).toBe('test.salesforce.com')
  })

  test('userinfo of another subject is refused, though it has the id of the user (I-25)', async () => {
    const service = serveProviders(
      createFixtureIssuer(salesforceFixture),
      salesforceFixture.create(),
    )
    service.issuer.vary({ userinfo: { sub: 'mallory' } })
    const response = await signInAtIssuer(service.browser, service.issuer, {
      provider: 'salesforce',
    })
    await expectRefused(service, response)
  })
})

test('LINE: a token response without an ID Token is refused', async () => {
  const service = serveProviders(
    createFixtureIssuer(lineFixture, { tokenMembers: {} }),
    lineFixture.create(),
  )
  const response = await signInAtIssuer(service.browser, service.issuer, { provider: 'line' })
  await expectRefused(service, response)
})

describe('correctTokens', () => {
  const adaptFetch = correctTokens((body) => ({ token_type: 'bearer', ...body }))

  test.each([
    ['no token_type', { token_type: undefined }, true],
    ['another token_type', { token_type: 'mac' }, false],
    ['no access token', { access_token: undefined }, false],
  ])('a response with %s: accepted: %j', async (_, token, isAccepted) => {
    const service = serveProviders(issuer, oauth({ ...oauthConfig, adaptFetch }))
    issuer.vary({ token })
    const response = await signInAtIssuer(service.browser, issuer)
    issuer.vary()
    if (!isAccepted) return expectRefused(service, response)
    expect(response.headers.get('location')).toBe(origin)
  })

  test.each(['html', 'null', 'empty', 'error-500'] as const)(
    'the fault %s is refused',
    async (fault) => {
      const service = serveProviders(issuer, oauth({ ...oauthConfig, adaptFetch }))
      issuer.vary({ responses: { token: fault } })
      const response = await signInAtIssuer(service.browser, issuer)
      issuer.vary()
      await expectRefused(service, response)
    },
  )
})

test.each([
  [{ a: { b: [{ c: 1 }] } }, 'a.b.0.c', 1],
  [{ a: null }, 'a.b', undefined],
  [{ a: 'text' }, 'a.length', undefined],
  [{ a: {} }, 'a.constructor', undefined],
  [{}, '__proto__.x', undefined],
  [undefined, 'a', undefined],
])('the member of %j at %s is %j', (value, path, member) => {
  expect(getMember(value, path)).toBe(member)
})
