import { jwtVerify } from 'jose'
import { createFaultyResponse, encodeLatin1 } from './issuer-responses.ts'
import type { Changes, Endpoint, IdTokenSigner, Variation } from './issuer-faults.ts'
import {
  getAccessTokenHash,
  toCodeChallenge,
  createJws,
  createSigningKey,
  createSigner,
} from './issuer-keys.ts'
import type { Algorithm, SigningKey } from './issuer-keys.ts'
import { signers, userinfoSigners } from './issuer-signers.ts'

export type { Algorithm } from './issuer-keys.ts'

/** The client authentication that the token endpoint requires. */
export type ExpectedAuthentication =
  'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'none'

/** The options of {@link createIssuer}. The defaults give an OpenID provider with one client. */
export interface IssuerOptions {
  /** Default: `https://issuer.example` */
  readonly issuer?: string
  /** Default: `client-id` */
  readonly clientId?: string
  /** The secret that the token endpoint requires. Default: none */
  readonly clientSecret?: string
  /** Returns whether a secret is valid, if each request has its own. */
  readonly isClientSecret?: (secret: string) => boolean | Promise<boolean>
  /** The client's public key, for `private_key_jwt`. */
  readonly clientKey?: CryptoKey
  /** Default: `client_secret_basic` */
  readonly authentication?: ExpectedAuthentication
  /** Default: `RS256` */
  readonly algorithm?: Algorithm
  /** Default: `alice` */
  readonly subject?: string
  /** Claims about the user. Default: a name, a verified email address and a picture */
  readonly userClaims?: Changes
  /** Where `userClaims` are. Default: `userinfo` */
  readonly userClaimsIn?: 'id_token' | 'userinfo'
  /** Additional claims of every ID Token; `undefined` removes a claim. */
  readonly idToken?: Changes
  /** Additional members of the discovery document, e.g. endpoints with other URLs. */
  readonly metadata?: Changes
  /** The URL of the discovery document. Default: below the issuer */
  readonly discoveryUrl?: string
  /** The API of a plain OAuth 2.0 provider: responses by URL, as JSON. They require the access token. */
  readonly api?: Readonly<Record<string, unknown>>
  /** Returns whether a request to the API has all that the provider requires. Default: it has */
  readonly acceptsApiRequest?: (request: IssuerRequest) => boolean
  /** The name of the client id in requests. Default: `client_id` */
  readonly clientIdName?: string
  /** Additional members of every token response; `undefined` removes a member. */
  readonly tokenMembers?: Changes
  /** Returns whether a user with this authorization request gets a refresh token. Default: none does */
  readonly refreshes?: (authorizationRequest: URLSearchParams) => boolean
  /** The URL of refresh requests. Default: the token endpoint */
  readonly refreshEndpoint?: string
  /** Whether token responses have an ID Token. Default: true */
  readonly openid?: boolean
  /** Returns milliseconds since 1970. Default: `Date.now` */
  readonly now?: () => number
  /**
   * Advances the service's clock by some milliseconds: a response that never comes or never ends then
   * takes no real time. `advance` of `createTestClock` fits. Default: the clock continues by itself
   */
  readonly advance?: (milliseconds: number) => Promise<unknown>
}

/** One outbound request of the service, to the issuer or to another host. */
export interface IssuerRequest {
  /** The endpoint of the issuer; undefined for any other URL. */
  readonly endpoint: Endpoint | 'api' | undefined
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly form: URLSearchParams
  /** The body, if it is a text. */
  readonly text: string | undefined
  /** The `redirect` of `fetch`. */
  readonly redirect: string | undefined
}

/** An identity provider as a `fetch` function, for tests. */
export interface Issuer {
  readonly issuer: string
  /** Handles the service's outbound requests: pass it as `createAuth({ runtime: { fetch } })`. */
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>
  /**
   * Handles an authorization request of a user who signs in and consents.
   *
   * @param url The authorization request
   * @returns The URL of the callback, with the authorization response
   * @throws Error if the authorization request is invalid
   */
  authorize(url: URL): URL
  /** Applies a variation to all further responses; without an argument the issuer is correct again. */
  vary(variation?: Variation): void
  /** Replaces the key that signs and is published. */
  rotateKeys(): void
  /** All outbound requests of the service, in order. */
  readonly requests: readonly IssuerRequest[]
  /** Returns the number of requests to an endpoint. */
  countRequests(endpoint: IssuerRequest['endpoint']): number
  /** All codes, tokens, verifiers and client secrets so far, which no log may contain. */
  readonly secrets: ReadonlySet<string>
}

/** An authorization code or a refresh token that was issued. */
interface Grant {
  readonly request: URLSearchParams
  used: boolean
}

/**
 * Creates an identity provider in memory: discovery, keys, codes, signed tokens and userinfo. It
 * validates requests strictly. With {@link Issuer.vary} it behaves like a hostile or faulty provider.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import { oidc } from '@latchkey/core/providers/oidc'
 *   import { createIssuer } from '@latchkey/testing/issuer'
 *
 *   const client = { clientId: 'client-id', clientSecret: 'kept secret' }
 *   const issuer = createIssuer(client)
 *   const { handle } = createAuth({
 *     serviceUrl: 'https://app.example',
 *     secret: 'the secret of these tests has 32 bytes',
 *     providers: [oidc({ id: 'op', name: 'Provider', issuer: issuer.issuer, ...client })],
 *     runtime: { fetch: issuer.fetch },
 *   })
 */
export function createIssuer(options: IssuerOptions = {}): Issuer {
  const issuer = new InMemoryIssuer(options)
  return {
    issuer: issuer.issuer,
    fetch: (url, init = {}) => issuer.fetch(url, init),
    authorize: (url) => issuer.authorize(url),
    vary: (variation = {}) => {
      issuer.variation = variation
    },
    rotateKeys: () => {
      issuer.rotateKeys()
    },
    requests: issuer.requests,
    countRequests: (endpoint) =>
      issuer.requests.filter((request) => request.endpoint === endpoint).length,
    secrets: issuer.secrets,
  }
}

const attacker = 'https://attacker.example'

class InMemoryIssuer {
  readonly issuer: string
  readonly requests: IssuerRequest[] = []
  readonly secrets = new Set<string>()
  variation: Variation = {}
  readonly #options: IssuerOptions
  readonly #clientId: string
  readonly #algorithm: Algorithm
  readonly #clientIdName: string
  readonly #grants = new Map<string, Grant>()
  readonly #refreshTokens = new Map<string, Grant>()
  readonly #keys = new Map<string, Promise<SigningKey>>()
  #generation = 1

  constructor(options: IssuerOptions) {
    this.issuer = options.issuer ?? 'https://issuer.example'
    this.#options = options
    this.#clientId = options.clientId ?? 'client-id'
    this.#clientIdName = options.clientIdName ?? 'client_id'
    this.#algorithm = options.algorithm ?? 'RS256'
    if (options.clientSecret) this.secrets.add(options.clientSecret)
  }

  rotateKeys(): void {
    this.#generation++
  }

  authorize(url: URL): URL {
    const request = url.searchParams
    this.#checkAuthorizationRequest(url)
    const code = this.#createSecret('hex')
    this.#grants.set(code, { request, used: false })
    const { authorization_response_iss_parameter_supported: sendsIss } = this.#getMetadata()
    return withParameters(request.get('redirect_uri') ?? '', {
      code,
      state: request.get('state') ?? undefined,
      iss: sendsIss === true ? this.issuer : undefined,
      ...this.variation.callback,
    })
  }

  async fetch(url: string, init: RequestInit): Promise<Response> {
    const endpoint = this.#getEndpoint(url)
    const form = new URLSearchParams(typeof init.body === 'string' ? init.body : toForm(init.body))
    const request: IssuerRequest = {
      endpoint,
      url,
      method: init.method ?? 'GET',
      headers: new Headers(init.headers),
      form,
      text: typeof init.body === 'string' ? init.body : undefined,
      redirect: init.redirect,
    }
    this.requests.push(request)
    this.#rememberSecrets(request)
    if (endpoint === undefined) return this.#fetchElsewhere(url)
    const correct = await this.#respond(endpoint, request)
    const fault = endpoint === 'api' ? undefined : this.variation.responses?.[endpoint]
    if (fault === undefined) return correct
    return createFaultyResponse(fault, {
      correct,
      signal: init.signal ?? undefined,
      advance: this.#options.advance,
      secrets: getSecrets(request),
    })
  }

  // Discovery (OpenID Connect Discovery 1.0 §3 and §4)

  #getMetadata(): Changes {
    return { ...this.#getCorrectMetadata(), ...this.variation.metadata }
  }

  #getCorrectMetadata(): Changes {
    const { issuer } = this
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [this.#algorithm],
      userinfo_signing_alg_values_supported: [this.#algorithm],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      ...this.#options.metadata,
    }
  }

  /** Ignores the scheme, so that an endpoint that is announced as http responds if the service uses it. */
  #getEndpoint(url: string): IssuerRequest['endpoint'] {
    const metadata = this.#getCorrectMetadata()
    const target = withoutScheme(url)
    const discoveryUrl =
      this.#options.discoveryUrl ?? `${this.issuer}/.well-known/openid-configuration`
    if (target === withoutScheme(discoveryUrl)) return 'discovery'
    if (target === withoutScheme(metadata['jwks_uri'])) return 'jwks'
    if (target === withoutScheme(metadata['token_endpoint'])) return 'token'
    if (url === this.#options.refreshEndpoint) return 'token'
    if (target === withoutScheme(metadata['userinfo_endpoint'])) return 'userinfo'
    return Object.hasOwn(this.#options.api ?? {}, url) ? 'api' : undefined
  }

  async #respond(
    endpoint: NonNullable<IssuerRequest['endpoint']>,
    request: IssuerRequest,
  ): Promise<Response> {
    if (endpoint === 'api') return this.#respondApi(request)
    const handlers: Readonly<Record<Endpoint, () => Promise<Response>>> = {
      discovery: async () => Response.json(this.#getMetadata()),
      jwks: () => this.#respondJwks(),
      token: () => this.#respondToken(request),
      userinfo: () => this.#respondUserinfo(request),
    }
    const response = await handlers[endpoint]()
    const headers = this.variation.headers?.[endpoint]
    return headers ? new Response(response.body, { status: response.status, headers }) : response
  }

  /** The attacker's host publishes keys; no other host is reachable. */
  async #fetchElsewhere(url: string): Promise<Response> {
    if (!url.startsWith(attacker)) throw new TypeError('fetch failed')
    return Response.json({ keys: [(await this.#getKey('attacker')).jwk] })
  }

  // The authorization request (RFC 6749 §4.1.1, RFC 7636 §4.3)

  #checkAuthorizationRequest(url: URL): void {
    const request = url.searchParams
    const { authorization_endpoint: endpoint } = this.#getMetadata()
    const names = [...request.keys()]
    const method = request.has('code_challenge') ? 'S256' : null
    const checks: Readonly<Record<string, boolean>> = {
      'the endpoint': withoutScheme(url.href) === withoutScheme(endpoint),
      client_id: request.get(this.#clientIdName) === this.#clientId,
      response_type: request.get('response_type') === 'code',
      redirect_uri: URL.canParse(request.get('redirect_uri') ?? ''),
      code_challenge_method: request.get('code_challenge_method') === method,
      'a repeated parameter': new Set(names).size === names.length,
    }
    const invalid = Object.keys(checks).find((name) => !checks[name])
    if (invalid !== undefined) throw new Error(`invalid authorization request: ${invalid}`)
  }

  // The token endpoint (RFC 6749 §4.1.3, OpenID Connect Core 1.0 §3.1.3)

  async #respondToken(request: IssuerRequest): Promise<Response> {
    const grantType = request.form.get('grant_type') ?? ''
    if (request.method !== 'POST' || !['authorization_code', 'refresh_token'].includes(grantType))
      return createError(400, 'invalid_request', 'grant_type')
    if (!(await this.#isAuthentic(request))) return createError(401, 'invalid_client')
    return grantType === 'refresh_token' ? this.#refresh(request) : this.#redeem(request)
  }

  async #redeem({ form }: IssuerRequest): Promise<Response> {
    const grant = this.#grants.get(form.get('code') ?? '')
    if (!grant || grant.used) return createError(400, 'invalid_grant', 'code')
    grant.used = true
    if (form.get('redirect_uri') !== grant.request.get('redirect_uri'))
      return createError(400, 'invalid_grant', 'redirect_uri')
    if (!(await isVerifier(grant.request, form.get('code_verifier'))))
      return createError(400, 'invalid_grant', 'code_verifier')
    return Response.json(await this.#issueTokens(grant))
  }

  /** RFC 6749 §6. Each refresh token works once. */
  async #refresh({ form, url }: IssuerRequest): Promise<Response> {
    const { refreshEndpoint = url } = this.#options
    const grant = this.#refreshTokens.get(form.get('refresh_token') ?? '')
    if (url !== refreshEndpoint || !grant || grant.used)
      return createError(400, 'invalid_grant', 'refresh_token')
    grant.used = true
    return Response.json(await this.#issueTokens(grant))
  }

  #createRefreshToken(request: URLSearchParams): string | undefined {
    if (!this.#options.refreshes?.(request)) return undefined
    const token = this.#createSecret()
    this.#refreshTokens.set(token, { request, used: false })
    return token
  }

  async #issueTokens({ request }: Grant): Promise<Changes> {
    const accessToken = this.#createSecret()
    const refreshToken = this.#createRefreshToken(request)
    const idToken =
      this.#options.openid === false ? undefined : await this.#createIdToken(request, accessToken)
    if (idToken !== undefined) this.secrets.add(idToken)
    return {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: 300,
      scope: request.get('scope') ?? '',
      ...(idToken !== undefined && { id_token: idToken }),
      ...(refreshToken !== undefined && { refresh_token: refreshToken }),
      ...this.#options.tokenMembers,
      ...this.variation.token,
    }
  }

  async #isAuthentic({ headers, form }: IssuerRequest): Promise<boolean> {
    const { clientSecret = '', authentication = 'client_secret_basic' } = this.#options
    const { isClientSecret = (secret: string) => secret === clientSecret } = this.#options
    const basic = headers.get('authorization')
    const methods: Readonly<Record<ExpectedAuthentication, () => boolean | Promise<boolean>>> = {
      client_secret_basic: () => {
        const [id, secret] = parseCredentials(basic)
        if (id !== this.#clientId || form.has('client_secret')) return false
        return isClientSecret(secret ?? '')
      },
      client_secret_post: () =>
        basic === null &&
        form.get(this.#clientIdName) === this.#clientId &&
        isClientSecret(form.get('client_secret') ?? ''),
      private_key_jwt: () => basic === null && this.#isAssertion(form),
      none: () =>
        basic === null && form.get('client_id') === this.#clientId && !form.has('client_secret'),
    }
    return methods[authentication]()
  }

  /** RFC 7523 §3 */
  async #isAssertion(form: URLSearchParams): Promise<boolean> {
    const { clientKey } = this.#options
    const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
    if (!clientKey || form.get('client_assertion_type') !== type) return false
    const { payload } = await jwtVerify(form.get('client_assertion') ?? '', clientKey, {
      issuer: this.#clientId,
      subject: this.#clientId,
      audience: [this.issuer, String(this.#getMetadata()['token_endpoint'])],
      requiredClaims: ['jti', 'exp'],
      currentDate: new Date(this.#now() * 1000),
    })
    return typeof payload.jti === 'string'
  }

  // The ID Token

  async #createIdToken(request: URLSearchParams, accessToken: string): Promise<string> {
    const { variation } = this
    const now = this.#now()
    const times = Object.entries(variation.times ?? {}).map(([name, offset]) => [
      name,
      now + offset,
    ])
    const claims = {
      iss: this.issuer,
      sub: this.#options.subject ?? 'alice',
      aud: this.#clientId,
      iat: now,
      exp: now + 300,
      nonce: request.get('nonce') ?? undefined,
      at_hash: await getAccessTokenHash(this.#algorithm, accessToken),
      ...(this.#options.userClaimsIn === 'id_token' && this.#getUserClaims()),
      ...this.#options.idToken,
      ...variation.idToken,
      ...Object.fromEntries(times),
    }
    const { signer = 'issuer', header, payload = JSON.stringify(claims) } = variation
    return this.#signJwt(signer, payload, header)
  }

  async #signJwt(signer: IdTokenSigner, payload: string, header: Changes = {}): Promise<string> {
    const row = signers[signer]
    const issuerKey = await this.#getCurrentKey()
    const key = row.key ? await this.#getKey(row.key) : issuerKey
    const sign = await (row.sign ?? createSigner)(key, this.#options.clientSecret ?? '')
    const { algorithm: alg, kid } = key
    const signerHeader = { typ: 'JWT', alg, kid, ...row.header?.(key, issuerKey) }
    const encoded = this.variation.encoding === 'latin1' ? encodeLatin1(payload) : payload
    return createJws({ ...signerHeader, ...header }, encoded, sign)
  }

  // The keys

  async #respondJwks(): Promise<Response> {
    const { jwk, keySet } = this.variation
    const keys = (await this.#getPublishedKeys()).map((key) => ({ ...key, ...jwk }))
    return Response.json({ keys, ...keySet })
  }

  async #getPublishedKeys(): Promise<readonly Changes[]> {
    const { signer, keys = 'issuer' } = this.variation
    const { jwk } = await this.#getCurrentKey()
    const further =
      signer === 'unadvertised' || signer === 'short' ? [await this.#getKey(signer)] : []
    switch (keys) {
      case 'issuer':
        return [{ ...jwk }, ...further.map((key) => ({ ...key.jwk }))]
      case 'several':
        return [{ ...(await this.#getKey('second')).jwk }, { ...jwk }]
      case 'none':
        return []
      case 'attacker':
        return [{ ...(await this.#getKey('attacker')).jwk }]
      case 'for-encryption':
        return [{ ...jwk, use: 'enc' }]
      case 'other-algorithm':
        return [{ ...jwk, alg: 'RS512' }]
      case 'symmetric': {
        const k = btoa(this.#options.clientSecret ?? '')
        return [{ kty: 'oct', alg: 'HS256', kid: jwk.kid, k: k.replace(/=+$/, '') }]
      }
    }
  }

  #getCurrentKey(): Promise<SigningKey> {
    return this.#getKey(`key-${this.#generation}`)
  }

  /** Creates keys at their first use, because RSA keys are slow to generate. */
  #getKey(name: string): Promise<SigningKey> {
    const existing = this.#keys.get(name)
    if (existing) return existing
    const other = this.#algorithm === 'ES256' ? 'EdDSA' : 'ES256'
    const key =
      name === 'short'
        ? createSigningKey('RS256', name, 1024)
        : createSigningKey(name === 'unadvertised' ? other : this.#algorithm, name)
    this.#keys.set(name, key)
    return key
  }

  // Userinfo and APIs (OpenID Connect Core 1.0 §5.3, RFC 6750)

  async #respondUserinfo({ headers }: IssuerRequest): Promise<Response> {
    if (!this.#isAuthorized(headers)) return createUnauthorized()
    const { userinfo, userinfoForm = 'json' } = this.variation
    const claims = { sub: this.#options.subject ?? 'alice', ...this.#getUserClaims(), ...userinfo }
    if (userinfoForm === 'json') return Response.json(claims)
    const payload = JSON.stringify({ iss: this.issuer, aud: this.#clientId, ...claims })
    const jwt = await this.#signJwt(userinfoSigners[userinfoForm], payload)
    return new Response(jwt, { headers: { 'content-type': 'application/jwt' } })
  }

  async #respondApi(request: IssuerRequest): Promise<Response> {
    if (!this.#isAuthorized(request.headers)) return createUnauthorized()
    const { api, acceptsApiRequest } = this.#options
    if (acceptsApiRequest?.(request) === false) return createError(400, 'invalid_request', 'api')
    const response = api?.[request.url]
    return response instanceof Response ? response.clone() : Response.json(response)
  }

  #getUserClaims(): Changes {
    const subject = this.#options.subject ?? 'alice'
    const claims = this.#options.userClaims ?? {
      name: `Person ${subject}`,
      email: `${subject}@issuer.example`,
      email_verified: true,
      picture: `${this.issuer}/${subject}.png`,
    }
    return { ...claims, ...this.variation.userClaims }
  }

  // Secrets

  #isAuthorized(headers: Headers): boolean {
    const [scheme, token = ''] = (headers.get('authorization') ?? '').split(' ')
    return scheme === 'Bearer' && this.secrets.has(token)
  }

  /**
   * Returns 22 characters, or 20 like GitHub's codes: short enough that a weak redaction misses them. The
   * first character is a letter, so that a secret never looks like the beginning of JSON.
   */
  #createSecret(form?: 'hex'): string {
    const random = crypto.getRandomValues(new Uint8Array(10))
    const hex = Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('')
    const secret = form === 'hex' ? `c${hex.slice(1)}` : `t_${hex}`
    this.secrets.add(secret)
    return secret
  }

  #rememberSecrets({ form }: IssuerRequest): void {
    for (const name of ['code_verifier', 'client_secret', 'client_assertion']) {
      const value = form.get(name)
      if (value) this.secrets.add(value)
    }
  }

  #now(): number {
    return Math.floor((this.#options.now ?? Date.now)() / 1000)
  }
}

function withParameters(base: string, parameters: NonNullable<Variation['callback']>): URL {
  const url = new URL(base)
  for (const [name, values] of Object.entries(parameters)) {
    for (const value of [values ?? []].flat()) url.searchParams.append(name, value)
  }
  return url
}

function withoutScheme(url: unknown): string | undefined {
  const parsed = typeof url === 'string' ? URL.parse(url) : null
  return parsed ? parsed.host + parsed.pathname : undefined
}

function toForm(body: unknown): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams()
}

/** RFC 7636 §4.6 */
async function isVerifier(request: URLSearchParams, verifier: string | null): Promise<boolean> {
  const challenge = request.get('code_challenge')
  if (challenge === null || verifier === null) return challenge === verifier
  return /^[\w.~-]{43,128}$/.test(verifier) && challenge === (await toCodeChallenge(verifier))
}

/** Returns the client id and secret, which are form-urlencoded (RFC 6749 §2.3.1). */
function parseCredentials(header: string | null): readonly (string | undefined)[] {
  const [scheme, encoded = ''] = (header ?? '').split(' ')
  if (scheme !== 'Basic') return []
  return atob(encoded)
    .split(':')
    .map((half) => decodeURIComponent(half.replaceAll('+', ' ')))
}

function createError(status: number, error: string, description?: string): Response {
  return Response.json({ error, error_description: description }, { status })
}

function createUnauthorized(): Response {
  const headers = { 'www-authenticate': 'Bearer error="invalid_token"' }
  return new Response(null, { status: 401, headers })
}

/** Returns the secrets of a request, which some servers repeat in their errors. */
function getSecrets({ form, headers }: IssuerRequest): string[] {
  const fields = ['code', 'code_verifier', 'client_secret'].map((name) => form.get(name) ?? '')
  const [scheme, token = ''] = (headers.get('authorization') ?? '').split(' ')
  const credentials = scheme === 'Basic' ? parseCredentials(headers.get('authorization')) : [token]
  return [...fields, ...credentials.map((part) => part ?? '')].filter((part) => part !== '')
}
