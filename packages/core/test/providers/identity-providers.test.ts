import { describe, expect, test } from 'vitest'
import { memoryStorage } from '@latchkey/core/memory'
import type { Issuer, IssuerOptions } from '@latchkey/testing/issuer'
import { beginSignIn, signInAtIssuer } from '@latchkey/testing/issuer-sign-in'
import { getRejection } from '../support/access-token.ts'
import {
  client,
  createFixtureIssuer,
  decodeBasicCredentials,
  expectRefused,
  getRequest,
  replaceMember,
  serveProviders,
} from '../support/identity-provider.ts'
import type {
  FixtureOptions,
  ProviderFixture,
  ProviderService,
} from '../support/identity-provider.ts'
import { getSummary, providerIds, readFacts } from '../support/provider-facts.ts'
import { base, createPageRequest, origin, serve } from '../support/service.ts'
import type { TestService } from '../support/service.ts'
import { fixtures } from './fixtures.ts'

test('every identity provider has a fixture', () => {
  const ids = fixtures.map((fixture) => fixture.create().id)
  expect(ids.toSorted()).toEqual(providerIds.toSorted())
})

/** Serves a fixture whose issuer, or whose options, are changed. */
function serveFixture(
  fixture: ProviderFixture,
  issuer: Partial<IssuerOptions> = {},
  over: FixtureOptions = {},
): ProviderService {
  return serveProviders(createFixtureIssuer(fixture, issuer), fixture.create(over))
}

function signIn({ browser, issuer }: ProviderService, id: string): Promise<Response> {
  return signInAtIssuer(browser, issuer, { provider: id })
}

/** Signs in and returns the user as `callbacks.signIn` receives it. */
async function getUser(service: ProviderService, id: string): Promise<unknown> {
  const response = await signIn(service, id)
  expect(response.headers.get('location'), JSON.stringify(service.service.lines)).toBe(origin)
  return service.signIns[0]?.user
}

/** Returns an issuer that answers requests to a URL with a status and a body. */
function withResponse(issuer: Issuer, url: string, status: number, body: object): Issuer {
  const respond: Issuer['fetch'] = async (target, init) =>
    target === url ? Response.json(body, { status }) : issuer.fetch(target, init)
  return { ...issuer, fetch: respond }
}

/** A service whose user has tokens that are kept in a storage. */
interface TokenService {
  readonly service: TestService<unknown>
  readonly issuer: Issuer
  readonly getToken: () => Promise<string | undefined>
}

/** Signs in with the options that the provider requires for refresh tokens. */
async function signInForTokens(fixture: ProviderFixture): Promise<TokenService> {
  const { refresh } = fixture
  const { scope = '', params = {} } = typeof refresh === 'object' ? refresh : {}
  const issuer = createFixtureIssuer(fixture, {
    refreshes: (request) =>
      refresh !== 'never' &&
      (request.get('scope') ?? '').includes(scope) &&
      Object.entries(params).every(([name, value]) => request.get(name) === value),
  })
  const provider = fixture.create({
    ...(scope && { scope: `${fixture.parameters['scope']} ${scope}` }),
    params,
  })
  const service = serve({
    providers: [provider],
    storage: memoryStorage(),
    runtime: { fetch: issuer.fetch },
  })
  const browser = service.browse()
  await signInAtIssuer(browser, issuer, { provider: provider.id })
  const getToken = async (): Promise<string | undefined> =>
    (await service.auth.getAccessToken(createPageRequest(browser), provider.id))?.accessToken
  return { service, issuer, getToken }
}

/** How the docstring of a provider says whether the email address is proven. */
const trustSummaries = {
  flag: /^proven if /,
  option: /^proven only with `trustEmailVerified`$/,
  never: /^never proven$/,
  none: /^none$/,
} as const

/** Returns how the docstring of a provider says when it issues refresh tokens. */
function toRefreshSummary({ refresh }: ProviderFixture): RegExp {
  if (refresh === 'never') return /^none$/
  if (refresh === 'always') return /^(yes|with (?!the scope|`params).+)$/
  const { scope, params = {} } = refresh
  const [[name, value] = []] = Object.entries(params)
  return scope === undefined
    ? new RegExp(`^with \`params: { ${name}: '${value}' }\`$`)
    : new RegExp(`^with the scope \`${scope}\`$`)
}

describe.each(fixtures.map((fixture) => [fixture.create().name, fixture] as const))(
  '%s',
  (name, fixture) => {
    const { issuer: options, members, trust } = fixture
    const { id } = fixture.create()
    const { clientId = '', clientIdName = 'client_id', metadata = {} } = options
    const { authentication = 'client_secret_basic' } = options
    const { authorization_endpoint, token_endpoint } = metadata
    const type = options.openid === false ? 'oauth' : 'oidc'
    const { checks = ['state', 'pkce', ...(type === 'oidc' ? ['nonce'] : [])] } = fixture
    const usesPkce = checks.includes('pkce')

    test('its docstring has the facts that the tests have', () => {
      const facts = readFacts(id)
      expect(facts).toMatchObject({ name, protocol: type })
      expect(getSummary(facts, 'Callback URL')).toBe(`\`<service URL>/callback/${id}\``)
      expect(getSummary(facts, 'Console')).not.toBe('')
      expect(getSummary(facts, 'Logout')).toMatch(/^(none|`end_session_endpoint`|own parameters)$/)
      expect(getSummary(facts, 'Email address')).toMatch(trustSummaries[trust])
      expect(getSummary(facts, 'Refresh')).toMatch(toRefreshSummary(fixture))
      expect(facts.see.every((url) => url.startsWith('https://'))).toBe(true)
      expect(facts.see).not.toEqual([])
      expect(URL.canParse(fixture.documentation)).toBe(true)
    })

    test('sends the authorization request with the right parameters (I-19, I-22)', async () => {
      const { browser } = serveFixture(fixture)
      const url = await beginSignIn(browser, { provider: id })
      expect(url.origin + url.pathname).toBe(authorization_endpoint)
      const { state, nonce, code_challenge, ...parameters } = Object.fromEntries(url.searchParams)
      expect(parameters).toEqual({
        [clientIdName]: clientId,
        redirect_uri: `${base}/callback/${id}`,
        response_type: 'code',
        ...(usesPkce && { code_challenge_method: 'S256' }),
        ...fixture.parameters,
      })
      expect(state).toMatch(/^[\w-]{43}$/)
      expect(code_challenge ?? '').toMatch(usesPkce ? /^[\w-]{43}$/ : /^$/)
      expect(nonce !== undefined).toBe(checks.includes('nonce'))
      expect(url.searchParams.size).toBe(Object.keys(Object.fromEntries(url.searchParams)).length)
      expect(url.search).not.toContain('+') // Some read it as a plus sign.
    })

    test('signs in at its real URLs and maps the profile (I-25, I-40)', async () => {
      const { browser, signIns, service, issuer } = serveFixture(fixture)
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

    test(`authenticates by ${authentication} (I-27)`, async () => {
      const service = serveFixture(fixture)
      await signIn(service, id)
      const request = getRequest(service.issuer, 'token')
      expect(request.url).toBe(token_endpoint)
      expect(request.headers.get('accept')).toBe('application/json')
      expect(request.headers.get('content-type')).toMatch(/^application\/x-www-form-urlencoded\b/)
      const { client_secret, [clientIdName]: sentId, ...form } = Object.fromEntries(request.form)
      expect(form).toEqual({
        grant_type: 'authorization_code',
        code: expect.any(String),
        redirect_uri: `${base}/callback/${id}`,
        ...(usesPkce && { code_verifier: expect.stringMatching(/^[\w-]{43}$/) }),
      })
      if (authentication === 'client_secret_basic') {
        expect(decodeBasicCredentials(request)).toBe('late-riser:p%40ss-word+1')
        expect([sentId, client_secret]).toEqual([undefined, undefined])
      } else {
        expect(request.headers.has('authorization')).toBe(false)
        expect(sentId).toBe(clientId)
        if (id !== 'apple') expect(client_secret).toBe(client.clientSecret)
      }
    })

    test('is listed by GET /providers', async () => {
      const { browser } = serveFixture(fixture)
      expect((await browser.json('/providers'))[id]).toEqual({
        id,
        name,
        type,
        signinUrl: `${base}/signin/${id}`,
        callbackUrl: `${base}/callback/${id}`,
      })
    })

    test('requires the client id at start-up', () => {
      expect(() => fixture.create({ clientId: '' })).toThrow(`providers.${id}.clientId: is missing`)
    })

    test('a response without the subject is refused', async () => {
      const service = serveFixture(fixture, replaceMember(fixture, members.subject, undefined))
      await expectRefused(service, await signIn(service, id))
    })

    test('an error of the token endpoint is refused and logged', async () => {
      const { status, body } = fixture.tokenError ?? {
        status: 400,
        body: { error: 'invalid_grant' },
      }
      const issuer = withResponse(
        createFixtureIssuer(fixture),
        String(token_endpoint),
        status,
        body,
      )
      const service = serveProviders(issuer, fixture.create())
      await expectRefused(service, await signIn(service, id))
      const { error = `status ${status}` } = body as { readonly error?: unknown }
      const named = typeof error === 'string' ? error : `status ${status}`
      expect(JSON.stringify(service.service.lines)).toContain(named)
    })

    for (const url of Object.keys(options.api ?? {})) {
      test(`an error of ${url} is refused`, async () => {
        const issuer = withResponse(createFixtureIssuer(fixture), url, 401, { error: 'expired' })
        const service = serveProviders(issuer, fixture.create())
        await expectRefused(service, await signIn(service, id))
      })
    }

    const { email, verified } = members
    if (email !== undefined) {
      test('a user without an email address signs in', async () => {
        const service = serveFixture(fixture, replaceMember(fixture, email, undefined))
        expect(await getUser(service, id)).toMatchObject({ email: null, emailVerified: false })
      })
    }

    test(`the email address is proven: ${trust} (I-38)`, async () => {
      const over = { trustEmailVerified: true }
      const trusting = serveFixture(fixture, {}, trust === 'flag' ? {} : over)
      expect(await getUser(trusting, id)).toMatchObject({
        email: trust === 'none' ? null : fixture.user['email'],
        emailVerified: trust === 'flag' || trust === 'option',
      })
      expect(fixture.user['emailVerified']).toBe(trust === 'flag')
    })

    if (verified !== undefined) {
      test('an email address that is not verified is not proven (I-38)', async () => {
        const unverified = replaceMember(fixture, verified, false)
        const service = serveFixture(
          fixture,
          unverified,
          trust === 'option' ? { trustEmailVerified: true } : {},
        )
        expect(await getUser(service, id)).toMatchObject({ emailVerified: false })
      })
    }

    test(`refreshes access tokens: ${JSON.stringify(fixture.refresh)}`, async () => {
      const { service, issuer, getToken } = await signInForTokens(fixture)
      const first = await getToken()
      expect(first).toMatch(/^t_/)
      service.wait(400)
      if (fixture.refresh === 'never') {
        expect(await getRejection(getToken())).toMatchObject({ code: 'OAuthSignin' })
        return
      }
      const second = await getToken()
      expect(second).toMatch(/^t_/)
      const { expires_in } = { expires_in: 300, ...options.tokenMembers }
      const expires = expires_in !== undefined
      expect(second === first).toBe(!expires)
      if (!expires) return
      const request = getRequest(issuer, 'token')
      expect(request.url).toBe(options.refreshEndpoint ?? token_endpoint)
      expect(request.form.get('grant_type')).toBe('refresh_token')
    })
  },
)
