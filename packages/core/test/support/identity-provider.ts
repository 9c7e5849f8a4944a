import { expect } from 'vitest'
import type { Provider, SignIn } from '@latchkey/core'
import type { OAuthConfig } from '@latchkey/core/providers/oauth'
import type { OidcConfig } from '@latchkey/core/providers/oidc'
import type { Browser } from '@latchkey/core/testing/browser'
import { createIssuer } from '@latchkey/core/testing/issuer'
import type { Issuer, IssuerOptions, IssuerRequest } from '@latchkey/core/testing/issuer'
import { getRedirect, serve } from './service.ts'
import type { TestService } from './service.ts'

/** The credentials of the client. They contain characters that `client_secret_basic` encodes. */
export const client = { clientId: 'late-riser', clientSecret: 'p@ss-word 1' } as const

/** The options of an issuer in memory. ES256 keys are fast to generate. */
export const issuerOptions = { issuer: 'https://issuer.example', algorithm: 'ES256' } as const

/** The provider config for an issuer with {@link issuerOptions}. */
export const oidcConfig: OidcConfig = {
  id: 'op',
  name: 'The provider',
  issuer: issuerOptions.issuer,
  ...client,
}

/** The same as plain OAuth 2.0. */
export const oauthConfig: OAuthConfig = {
  id: 'op',
  name: 'Forge',
  authorizationEndpoint: 'https://issuer.example/authorize',
  tokenEndpoint: 'https://issuer.example/token',
  userinfo: 'https://issuer.example/userinfo',
  ...client,
}

/** Parameters that neither the configuration nor a client may set (I-22). */
export const protocolParameters = [
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'nonce',
  'code_challenge',
  'code_challenge_method',
  'request',
  'request_uri',
] as const

/** The expectations of one identity provider: a row of the table-driven tests. */
export interface ProviderFixture {
  /** Creates the provider with the credentials of the issuer. */
  readonly create: (over?: { readonly clientId?: string }) => Provider
  /** The identity provider in memory, with its real URLs. */
  readonly issuer: IssuerOptions
  readonly type: 'oidc' | 'oauth'
  readonly authorizationEndpoint: string
  /** The parameters of the authorization request that differ between providers. */
  readonly parameters: Readonly<Record<string, string>>
  readonly tokenEndpoint: string
  readonly authentication: 'client_secret_basic' | 'client_secret_post'
  /** Additional parameters of the callback. */
  readonly callback?: Readonly<Record<string, string>>
  /** The user as `callbacks.signIn` receives it. */
  readonly user: Readonly<Record<string, unknown>>
}

/** Creates the issuer of a fixture with other options. ES256 keys are fast to generate. */
export function createFixtureIssuer(
  { issuer }: ProviderFixture,
  over: Partial<IssuerOptions> = {},
): Issuer {
  return createIssuer({ ...issuer, algorithm: 'ES256', ...over })
}

/** A service with providers whose outbound requests go to one issuer. */
export interface ProviderService {
  readonly issuer: Issuer
  readonly service: TestService<unknown>
  readonly browser: Browser
  /** The arguments of `callbacks.signIn`, newest first. */
  readonly signIns: SignIn[]
}

/** Serves providers whose outbound requests go to the issuer. */
export function serveProviders(issuer: Issuer, ...providers: Provider[]): ProviderService {
  const signIns: SignIn[] = []
  const service = serve({
    providers,
    runtime: { fetch: issuer.fetch },
    callbacks: {
      signIn: (signIn) => {
        signIns.unshift(signIn)
        return true
      },
    },
  })
  return { issuer, service, browser: service.browse(), signIns }
}

/** Returns the newest request to an endpoint. */
export function getRequest(issuer: Issuer, endpoint: IssuerRequest['endpoint']): IssuerRequest {
  const request = issuer.requests.findLast((candidate) => candidate.endpoint === endpoint)
  if (!request) throw new Error(`expected a request to ${endpoint}, found none`)
  return request
}

/** Returns the decoded credentials of `client_secret_basic`. */
export function decodeBasicCredentials({ headers }: IssuerRequest): string {
  const header = headers.get('authorization') ?? ''
  expect(header).toMatch(/^Basic [A-Za-z\d+/]+=*$/)
  return atob(header.slice('Basic '.length))
}

/** Expects the error `OAuthCallback` on the sign-in page, and no session. */
export async function expectRefused(
  { browser }: ProviderService,
  response: Response,
): Promise<void> {
  expect(getRedirect(response)).toEqual({ path: '/api/auth/signin', error: 'OAuthCallback' })
  expect(await browser.json('/session')).toEqual({})
}
