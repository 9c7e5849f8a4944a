import { describe, expect, test } from 'vitest'
import type { Provider } from '@latchkey/core'
import { apple } from '@latchkey/core/providers/apple'
import { auth0 } from '@latchkey/core/providers/auth0'
import { discord } from '@latchkey/core/providers/discord'
import { github } from '@latchkey/core/providers/github'
import { gitlab } from '@latchkey/core/providers/gitlab'
import { google } from '@latchkey/core/providers/google'
import { keycloak } from '@latchkey/core/providers/keycloak'
import { microsoftEntraId } from '@latchkey/core/providers/microsoft-entra-id'
import { oauth } from '@latchkey/core/providers/oauth'
import type { Claims } from '@latchkey/core/providers/oauth'
import { oidc } from '@latchkey/core/providers/oidc'
import { paypal } from '@latchkey/core/providers/paypal'
import type { IssuerOptions } from '@latchkey/testing/issuer'
import { createIssuer } from '@latchkey/testing/issuer'
import { signInAtIssuer } from '@latchkey/testing/issuer-sign-in'
import { client, oauthConfig, oidcConfig, serveProviders } from '../support/identity-provider.ts'
import { requestEmail, serveMail } from '../support/mailbox.ts'
import { origin, getRedirect } from '../support/service.ts'
import { appleFixture, appleOptions } from './fixtures/apple.ts'
import { auth0Fixture } from './fixtures/auth0.ts'
import { discordFixture } from './fixtures/discord.ts'
import { githubFixture } from './fixtures/github.ts'
import { gitlabFixture } from './fixtures/gitlab.ts'
import { googleFixture } from './fixtures/google.ts'
import { keycloakFixture } from './fixtures/keycloak.ts'
import { createEntraIssuer } from './fixtures/microsoft-entra-id.ts'
import { paypalFixture } from './fixtures/paypal.ts'

const victim = 'victim@example.com'
const trust = { trustEmailVerified: true } as const

/** An identity provider that sends `email_verified: true`, and whether that proves the email address. */
interface Row {
  readonly name: string
  readonly create: () => Provider
  readonly issuer: IssuerOptions
  readonly proves: boolean
}

function withClaims(issuer: IssuerOptions, claims: Record<string, unknown>): IssuerOptions {
  return { ...issuer, userClaims: { ...issuer.userClaims, email_verified: true, ...claims } }
}

function googleRow(email: string, hd: unknown, proves: boolean): Row {
  const issuer = withClaims(googleFixture.issuer, { email, hd })
  return {
    name: `Google, ${email}, hd ${String(hd)}`,
    create: () => google(client),
    issuer,
    proves,
  }
}

const server = 'https://git.example.com'
const selfManaged = withClaims({ ...client, issuer: server }, { email: victim })

function createGitHubIssuer(api: string, login: string, over: IssuerOptions = {}): IssuerOptions {
  return {
    ...githubFixture.issuer,
    ...over,
    api: {
      [`${api}/user`]: { login, id: 583231 },
      [`${api}/user/emails`]: [{ email: victim, primary: true, verified: true }],
    },
  }
}

const enterprise = createGitHubIssuer(`${server}/api/v3`, 'octocat', {
  issuer: `${server}/login/oauth`,
  metadata: {
    authorization_endpoint: `${server}/login/oauth/authorize`,
    token_endpoint: `${server}/login/oauth/access_token`,
  },
})
const sandbox = JSON.parse(
  JSON.stringify(paypalFixture.issuer).replaceAll(/\/(www|api-m)\.paypal/g, '/$1.sandbox.paypal'),
) as IssuerOptions
const keycloakIssuer = withClaims(keycloakFixture.issuer, { email: victim })
const auth0Issuer = withClaims(auth0Fixture.issuer, { email: victim })
const entraIssuer = createEntraIssuer('common', { email: victim, xms_edov: true })
const genericIssuer = { ...client, issuer: 'https://issuer.example' }
const plainIssuer = { ...genericIssuer, openid: false }
const keycloakOptions = { ...client, issuer: 'https://id.example.com/realms/main' }
const auth0Options = { ...client, domain: 'example.eu.auth0.com' }
const plainConfig = {
  ...oauthConfig,
  issuer: 'https://issuer.example',
  profile: ({ email, email_verified }: Claims) => ({ email, emailVerified: email_verified }),
}

const isOurs = ({ email }: Claims): boolean => String(email).endsWith('@issuer.example')

// prettier-ignore
const rows: readonly Row[] = [
  googleRow('victim@example.com', undefined, false),
  googleRow('victim@example.com', '', false),
  googleRow('victim@example.com', true, false),
  googleRow('victim@example.com', 'example.com', true),
  googleRow('victim@gmail.com', undefined, true),
  googleRow('victim@googlemail.com', undefined, true),
  googleRow('Victim@GMail.com', undefined, true),
  googleRow('victim@gmail.com.example', undefined, false),
  googleRow('victim@notgmail.com', undefined, false),
  googleRow('victim@mail.gmail.com', undefined, false),
  { name: 'Apple', create: () => apple(appleOptions), issuer: appleFixture.issuer, proves: true },
  { name: 'Discord', create: () => discord(client), issuer: discordFixture.issuer, proves: true },
  { name: 'GitHub', create: () => github(client), issuer: githubFixture.issuer, proves: true },
  { name: 'GitHub, an account that an enterprise manages', create: () => github(client), issuer: createGitHubIssuer('https://api.github.com', 'victim_octo'), proves: false },
  { name: 'GitHub Enterprise Server', create: () => github({ ...client, baseUrl: server }), issuer: enterprise, proves: false },
  { name: 'GitHub Enterprise Server, trusted', create: () => github({ ...client, ...trust, baseUrl: server }), issuer: enterprise, proves: true },
  { name: 'GitLab', create: () => gitlab(client), issuer: gitlabFixture.issuer, proves: true },
  { name: 'GitLab, self-managed', create: () => gitlab({ ...client, baseUrl: server }), issuer: selfManaged, proves: false },
  { name: 'GitLab, self-managed, trusted', create: () => gitlab({ ...client, ...trust, baseUrl: server }), issuer: selfManaged, proves: true },
  { name: 'Keycloak', create: () => keycloak(keycloakOptions), issuer: keycloakIssuer, proves: false },
  { name: 'Keycloak, trusted', create: () => keycloak({ ...keycloakOptions, ...trust }), issuer: keycloakIssuer, proves: true },
  { name: 'Auth0', create: () => auth0(auth0Options), issuer: auth0Issuer, proves: false },
  { name: 'Auth0, trusted', create: () => auth0({ ...auth0Options, ...trust }), issuer: auth0Issuer, proves: true },
  { name: 'Entra', create: () => microsoftEntraId(client), issuer: entraIssuer, proves: false },
  { name: 'Entra, trusted', create: () => microsoftEntraId({ ...client, ...trust }), issuer: entraIssuer, proves: true },
  { name: 'PayPal', create: () => paypal(client), issuer: paypalFixture.issuer, proves: true },
  { name: 'PayPal, sandbox', create: () => paypal({ ...client, environment: 'sandbox' }), issuer: sandbox, proves: false },
  { name: 'oidc()', create: () => oidc(oidcConfig), issuer: genericIssuer, proves: false },
  { name: 'oidc(), trusted', create: () => oidc({ ...oidcConfig, ...trust }), issuer: genericIssuer, proves: true },
  { name: 'oidc(), trusted for its own domain', create: () => oidc({ ...oidcConfig, trustEmailVerified: isOurs }), issuer: genericIssuer, proves: true },
  { name: 'oidc(), trusted only for its own domain', create: () => oidc({ ...oidcConfig, trustEmailVerified: isOurs }), issuer: withClaims(genericIssuer, { email: victim }), proves: false },
  { name: 'oauth()', create: () => oauth(plainConfig), issuer: plainIssuer, proves: false },
  { name: 'oauth(), trusted', create: () => oauth({ ...plainConfig, ...trust }), issuer: plainIssuer, proves: true },
]

describe('a provider proves an email address only if its verified flag is authoritative (I-38)', () => {
  test.each(rows)('$name: $proves', async ({ create, issuer: options, proves }) => {
    const provider = create()
    const issuer = createIssuer({ algorithm: 'ES256', ...options })
    const { browser, signIns, service } = serveProviders(issuer, provider)
    const response = await signInAtIssuer(browser, issuer, { provider: provider.id })
    expect(response.headers.get('location'), JSON.stringify(service.lines)).toBe(origin)
    expect(signIns[0]?.user.email).not.toBeNull()
    expect(signIns[0]?.user.emailVerified).toBe(proves)
  })

  test.each(rows.filter(({ proves }) => proves))(
    '$name: never without email_verified',
    async ({ create, issuer: options }) => {
      const provider = create()
      const userClaims = { ...options.userClaims, email_verified: false }
      const idToken = { ...options.idToken, xms_edov: false }
      const api = Object.fromEntries(
        Object.entries(options.api ?? {}).map(([url, body]) => [url, withoutVerified(body)]),
      )
      const issuer = createIssuer({ algorithm: 'ES256', ...options, userClaims, idToken, api })
      const { browser, signIns, service } = serveProviders(issuer, provider)
      const response = await signInAtIssuer(browser, issuer, { provider: provider.id })
      expect(response.headers.get('location'), JSON.stringify(service.lines)).toBe(origin)
      expect(signIns[0]?.user.emailVerified).toBe(false)
    },
  )

  function withoutVerified(body: unknown): unknown {
    return JSON.parse(JSON.stringify(body).replaceAll(/verified":"?true"?/g, 'verified":false'))
  }
})

describe('linking by a Google email address (I-38)', () => {
  test.each([
    [victim, undefined, 'OAuthAccountNotLinked'],
    [victim, 'example.com', null],
    ['victim@gmail.com', undefined, null],
  ])('%s, hd %s: %s', async (address, hd, error) => {
    const issuer = createIssuer({
      ...withClaims(googleFixture.issuer, { email: address, hd }),
      algorithm: 'ES256',
    })
    const { browse, mailbox } = serveMail({
      providers: [google({ ...client, linkByVerifiedEmail: true })],
      runtime: { fetch: issuer.fetch },
    })
    const owner = browse()
    await requestEmail(owner, address)
    await owner.visit(mailbox.getLink().href)
    const browser = browse()
    const response = await signInAtIssuer(browser, issuer, { provider: 'google' })
    expect(getRedirect(response).error).toBe(error)
    const { user } = await owner.json('/session')
    expect((await browser.json('/session'))['user']).toEqual(error === null ? user : undefined)
  })
})

describe('options', () => {
  test('linkByVerifiedEmail without trustEmailVerified is refused at start-up (I-38)', () => {
    const link = { ...keycloakOptions, id: 'op', linkByVerifiedEmail: true }
    for (const create of [() => oidc({ ...oidcConfig, ...link }), () => keycloak(link)]) {
      expect(create).toThrow(/^providers\.op\.linkByVerifiedEmail: requires trustEmailVerified/)
    }
    expect(() => oidc({ ...oidcConfig, ...link, ...trust })).not.toThrow()
    expect(() => google({ ...client, linkByVerifiedEmail: true })).not.toThrow()
  })

  test('trustEmailVerified that is neither boolean nor function is refused at start-up', () => {
    const config = { ...oidcConfig, trustEmailVerified: 'true' as unknown as boolean }
    expect(() => oidc(config)).toThrow(/^providers\.op\.trustEmailVerified: must be true, false or/)
  })
})
