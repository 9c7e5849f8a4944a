import { expect } from 'vitest'
import type { Provider, SignIn } from '@latchkey/core'
import type { OAuthConfig } from '@latchkey/core/providers/oauth'
import type { OidcConfig } from '@latchkey/core/providers/oidc'
import type { Browser } from '@latchkey/testing/browser'
import { createIssuer } from '@latchkey/testing/issuer'
import type { Issuer, IssuerOptions, IssuerRequest } from '@latchkey/testing/issuer'
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

/** The options that tests of a {@link ProviderFixture} replace. */
export interface FixtureOptions {
  readonly clientId?: string
  readonly scope?: string
  readonly params?: Readonly<Record<string, string>>
  readonly trustEmailVerified?: boolean
}

/** The expectations of one identity provider: a row of the table-driven tests. */
export interface ProviderFixture {
  /** The page of the provider's documentation that shows its responses. */
  readonly documentation: `https://${string}`
  /** Creates the provider with the credentials of the issuer. */
  readonly create: (over?: FixtureOptions) => Provider
  /** The identity provider in memory, with its real URLs and documented responses. */
  readonly issuer: IssuerOptions
  /** The parameters of the authorization request that differ between providers. */
  readonly parameters: Readonly<Record<string, string>>
  /** Default: `state` and `pkce`, and `nonce` for OpenID Connect. */
  readonly checks?: NonNullable<Provider['checks']>
  /** Additional parameters of the callback. */
  readonly callback?: Readonly<Record<string, string>>
  /** The user as `callbacks.signIn` receives it. */
  readonly user: Readonly<Record<string, unknown>>
  /** Where the claims or the API's responses have the subject, the email address and its verified flag. */
  readonly members: {
    readonly subject: string
    readonly email?: string
    readonly verified?: string
  }
  /** Whether the email address is proven by the flag, by the flag and an option, never, or missing (I-38). */
  readonly trust: 'flag' | 'option' | 'never' | 'none'
  /** When the provider issues refresh tokens. */
  readonly refresh: 'always' | 'never' | Pick<FixtureOptions, 'scope' | 'params'>
  /** An error response of the token endpoint. Default: the error response of RFC 6749 §5.2 */
  readonly tokenError?: { readonly status: number; readonly body: object }
}

/** The endpoints of an identity provider. */
interface Endpoints {
  readonly authorization: string
  readonly token: string
  readonly userinfo?: string
  readonly jwks?: string
}

/** Returns the options of an OpenID provider with its real URLs, which does not send `iss` (RFC 9207). */
export function createOidcIssuer(
  issuer: string,
  { authorization, token, userinfo, jwks }: Endpoints,
  over: IssuerOptions,
): IssuerOptions {
  return {
    ...client,
    issuer,
    metadata: {
      authorization_endpoint: authorization,
      token_endpoint: token,
      userinfo_endpoint: userinfo,
      jwks_uri: jwks ?? `${issuer}/jwks`,
      authorization_response_iss_parameter_supported: undefined,
    },
    ...over,
  }
}

/** Returns the options of a plain OAuth 2.0 provider with its real URLs. */
export function createOAuthIssuer(
  endpoints: Pick<Endpoints, 'authorization' | 'token'>,
  over: IssuerOptions,
): IssuerOptions {
  const { origin } = new URL(endpoints.authorization)
  return createOidcIssuer(origin, endpoints, { openid: false, ...over })
}

/** Creates the issuer of a fixture with other options. ES256 keys are fast to generate. */
export function createFixtureIssuer(
  { issuer }: ProviderFixture,
  over: Partial<IssuerOptions> = {},
): Issuer {
  return createIssuer({ ...issuer, algorithm: 'ES256', ...over })
}

/** Returns what makes the issuer of a fixture answer with another value of a claim, or of a member of its API. */
export function replaceMember(
  { issuer: { api, idToken, userClaims } }: ProviderFixture,
  path: string,
  value: unknown,
): Partial<IssuerOptions> {
  const names = path.split('.')
  if (api) {
    const bodies = Object.entries(api).map(([url, body]) => [url, replaceIn(body, names, value)])
    return { api: Object.fromEntries(bodies) as Record<string, unknown> }
  }
  const isUserClaim = userClaims !== undefined && path in userClaims
  return {
    ...(isUserClaim && { userClaims: { ...userClaims, [path]: value } }),
    ...((path in (idToken ?? {}) || !isUserClaim) && { idToken: { ...idToken, [path]: value } }),
  }
}

/** Returns a copy in which a member that exists has another value. */
function replaceIn(
  body: unknown,
  [name = '', ...rest]: readonly string[],
  value: unknown,
): unknown {
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, name)) return body
  const copy = (Array.isArray(body) ? [...body] : { ...body }) as Record<string, unknown>
  copy[name] = rest.length === 0 ? value : replaceIn(copy[name], rest, value)
  return copy
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
