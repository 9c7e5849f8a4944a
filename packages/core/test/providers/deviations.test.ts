import { describe, expect, test } from 'vitest'
import type { Provider } from '@latchkey/core'
import { facebook } from '@latchkey/core/providers/facebook'
import { linear } from '@latchkey/core/providers/linear'
import { notion } from '@latchkey/core/providers/notion'
import { oauth } from '@latchkey/core/providers/oauth'
import { paypal } from '@latchkey/core/providers/paypal'
import { salesforce } from '@latchkey/core/providers/salesforce'
import { slack } from '@latchkey/core/providers/slack'
import { strava } from '@latchkey/core/providers/strava'
import { tiktok } from '@latchkey/core/providers/tiktok'
import { workos } from '@latchkey/core/providers/workos'
import { createIssuer } from '@latchkey/testing/issuer'
import type { IssuerOptions } from '@latchkey/testing/issuer'
import { beginSignIn, signInAtIssuer } from '@latchkey/testing/issuer-sign-in'
import { correctTokens, getMember } from '../../src/oauth/deviations.ts'
import {
  client,
  createFixtureIssuer,
  expectRefused,
  issuerOptions,
  oauthConfig,
  replaceMember,
  serveProviders,
} from '../support/identity-provider.ts'
import type { ProviderFixture } from '../support/identity-provider.ts'
import { origin } from '../support/service.ts'
import { lineFixture } from './fixtures/line.ts'
import { paypalFixture } from './fixtures/paypal.ts'
import { salesforceFixture } from './fixtures/salesforce.ts'
import { slackFixture } from './fixtures/slack.ts'
import { tiktokFixture } from './fixtures/tiktok.ts'
import { workosFixture } from './fixtures/workos.ts'

const issuer = createIssuer({ ...issuerOptions, ...client, openid: false })

/** Returns the authorization request of a provider. */
async function getRequest(provider: Provider): Promise<URL> {
  const { browser } = serveProviders(issuer, provider)
  return beginSignIn(browser, { provider: provider.id })
}

/** Signs in once at each variant of a fixture's issuer, and returns the ids of the users. */
async function getUserIds(
  provider: Provider,
  fixture: ProviderFixture,
  variants: readonly Partial<IssuerOptions>[],
): Promise<unknown[]> {
  const ids: unknown[] = []
  for (const variant of variants) {
    const service = serveProviders(createFixtureIssuer(fixture, variant), provider)
    await signInAtIssuer(service.browser, service.issuer, { provider: provider.id })
    ids.push(service.signIns[0]?.user.id)
  }
  return ids
}

test.each([strava, linear, tiktok])('%o separates scopes by commas', async (create) => {
  const url = await getRequest(create({ ...client, scope: 'first second third' }))
  expect(url.searchParams.get('scope')).toBe('first,second,third')
})

test.each(['alice', null])('TikTok signs in no user without members: %j', async (user) => {
  const provider = tiktokFixture.create({})
  const service = serveProviders(createFixtureIssuer(tiktokFixture), provider)
  const signIn = (each: typeof service): Promise<Response> =>
    signInAtIssuer(each.browser, each.issuer, { provider: 'tiktok' })
  expect((await signIn(service)).headers.get('location')).toBe(origin)
  const variant = replaceMember(tiktokFixture, 'data.user', user)
  const refused = serveProviders(createFixtureIssuer(tiktokFixture, variant), provider)
  await expectRefused(refused, await signIn(refused))
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

test.each([true, 'true', 'false', 1, ['true'], undefined])(
  'PayPal proves an email address if email_verified is exactly true: case %#, %j (I-38)',
  async (value) => {
    const changed = replaceMember(paypalFixture, 'email_verified', value)
    const service = serveProviders(createFixtureIssuer(paypalFixture, changed), paypal(client))
    await signInAtIssuer(service.browser, service.issuer, { provider: 'paypal' })
    expect(service.signIns[0]?.user).toMatchObject({
      email: 'alice@example.com',
      emailVerified: value === true,
    })
  },
)

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

  test('users of two sandboxes who have the same user_id are two (I-38)', async () => {
    const sandboxes = 'https://test.salesforce.com'
    const subjects = ['00DQ000000EgFlOMAV', '00DQ000000EgFlPMAV'].map(
      (organization) => `${sandboxes}/id/${organization}/005x0000001S2b9AAC`,
    )
    const ids = await getUserIds(
      salesforce({ ...client, issuer: sandboxes }),
      salesforceFixture,
      subjects.map((subject) => ({ issuer: sandboxes, subject })),
    )
    expect(ids).toEqual(subjects.map((subject) => `salesforce:${subject}`))
  })

  test("subject: 'user_id' keeps the previous id, also as the id of the user", async () => {
    const previous = { ...client, subject: 'user_id' } as const
    expect(await getUserIds(salesforce(previous), salesforceFixture, [{}])).toEqual([
      'salesforce:005x0000001S2b9AAC',
    ])
    const subjectAsUserId = salesforce({ ...previous, subjectAsUserId: true })
    expect(await getUserIds(subjectAsUserId, salesforceFixture, [{}])).toEqual([
      '005x0000001S2b9AAC',
    ])
  })

  test.each([
    ['an unknown subject', { subject: 'id' }, /^providers\.salesforce\.subject: .*found id$/],
    [
      'user_id of sandboxes, which several users can have',
      { subject: 'user_id', issuer: 'https://test.salesforce.com/' },
      /^providers\.salesforce\.subject: must be sub for sandboxes/,
    ],
    [
      'subjectAsUserId with sub, which is a URL',
      { subjectAsUserId: true },
      /^providers\.salesforce\.subjectAsUserId: needs subject: 'user_id'/,
    ],
  ])('refuses %s at start-up', (_, over, message) => {
    expect(() => salesforce({ ...client, ...(over as object) })).toThrow(message)
  })
})

describe('Slack', () => {
  const team = 'https://slack.com/team_id'
  const { userClaims } = slackFixture.issuer
  const inTeam = (value: unknown): Partial<IssuerOptions> => ({
    userClaims: { ...userClaims, [team]: value },
  })

  test('users of two workspaces who have the same sub are two (I-38)', async () => {
    const ids = await getUserIds(slack(client), slackFixture, [inTeam('T0R7GR'), inTeam('T0EVIL')])
    expect(ids).toEqual(['slack:T0R7GR-U0R7MFMJM', 'slack:T0EVIL-U0R7MFMJM'])
  })

  test.each([undefined, '', 7, null, 'T0-R7GR', 't:1'])(
    'a user of the workspace %j is refused',
    async (value) => {
      expect(await getUserIds(slack(client), slackFixture, [inTeam('T0R7GR')])).toHaveLength(1)
      const service = serveProviders(
        createFixtureIssuer(slackFixture, inTeam(value)),
        slack(client),
      )
      await expectRefused(
        service,
        await signInAtIssuer(service.browser, service.issuer, { provider: 'slack' }),
      )
    },
  )

  test.each(['sub', 'team_id'] as const)(
    "with subject: '%s' a user of another workspace than params.team is refused",
    async (subject) => {
      const provider = slack({ ...client, subject, params: { team: 'T0R7GR' } })
      const [id] = await getUserIds(provider, slackFixture, [inTeam('T0R7GR')])
      expect(id).toBe(subject === 'sub' ? 'slack:U0R7MFMJM' : 'slack:T0R7GR-U0R7MFMJM')
      for (const other of ['T0EVIL', 't0r7gr', undefined]) {
        const service = serveProviders(createFixtureIssuer(slackFixture, inTeam(other)), provider)
        const response = await signInAtIssuer(service.browser, service.issuer, {
          provider: 'slack',
        })
        await expectRefused(service, response)
      }
    },
  )

  test.each([
    ['an unknown subject', { subject: 'id' }, /^providers\.slack\.subject: .*found id$/],
    ['sub of all workspaces', { subject: 'sub' }, /^providers\.slack\.subject: .*params\.team/],
  ])('refuses %s at start-up', (_, over, message) => {
    expect(() => slack({ ...client, ...(over as object) })).toThrow(message)
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

  test.each<[string, RequestInit, boolean]>([
    ['a token request', { body: new URLSearchParams({ grant_type: 'authorization_code' }) }, true],
    ['a request with another form', { body: new URLSearchParams({ state: 'x' }) }, false],
    ['a request without a body', {}, false],
  ])('the response to %s: corrected: %j', async (_, init, isCorrected) => {
    const fetch = adaptFetch(async () => Response.json({ access_token: 'x' }))
    const response = await fetch('https://issuer.example', init)
    expect('token_type' in ((await response.json()) as object)).toBe(isCorrected)
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
