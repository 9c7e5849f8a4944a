import { jwtVerify } from 'jose'
import { misanswer } from './issuer-answers.ts'
import type { Changes, Endpoint, Signer, Variation } from './issuer-faults.ts'
import {
  accessTokenHash,
  challengeOf,
  compactJws,
  createSigningKey,
  signWith,
} from './issuer-keys.ts'
import type { Algorithm, SigningKey } from './issuer-keys.ts'
import { signers, userinfoSigners } from './issuer-signers.ts'

export type { Algorithm } from './issuer-keys.ts'

/** How clients prove at the token endpoint who they are. */
export type ExpectedAuthentication =
  'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'none'

/** What {@link createIssuer} takes. Without anything it is an OpenID provider with one client. */
export interface IssuerOptions {
  /** Default: `https://issuer.example`. */
  readonly issuer?: string
  /** Default: `client-id`. */
  readonly clientId?: string
  readonly clientSecret?: string
  /** Says whether a secret is right, where it is another one in each request. */
  readonly isClientSecret?: (secret: string) => boolean | Promise<boolean>
  /** The client's public key, for `private_key_jwt`. */
  readonly clientKey?: CryptoKey
  /** Default: `client_secret_basic`. */
  readonly authentication?: ExpectedAuthentication
  /** Default: `RS256`. */
  readonly algorithm?: Algorithm
  /** Default: `alice`. */
  readonly subject?: string
  /** Claims of the person. Default: a name, a verified address and a picture. */
  readonly person?: Changes
  /** Where these claims stand. Default: `userinfo`. */
  readonly personIn?: 'id_token' | 'userinfo'
  /** Further claims of every ID Token; `undefined` takes one away. */
  readonly idToken?: Changes
  /** Further members of the discovery document, e.g. endpoints at other addresses. */
  readonly metadata?: Changes
  /** Where the discovery document is. Default: below the issuer. */
  readonly discoveryUrl?: string
  /** Further addresses that answer JSON to who has the access token: a plain OAuth provider's API. */
  readonly api?: Readonly<Record<string, unknown>>
  /** False for a plain OAuth provider: no ID Token. Default: true. */
  readonly openid?: boolean
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number
}

/** One request that reached the issuer, or that was meant for somebody else. */
export interface IssuerRequest {
  /** Which endpoint it was for; undefined where it is none of this issuer's. */
  readonly endpoint: Endpoint | 'api' | undefined
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly form: URLSearchParams
  readonly redirect: string | undefined
}

/** An identity provider as a `fetch` function, for tests. */
export interface Issuer {
  readonly issuer: string
  /** Answers the service's requests: hand it to `createAuth({ runtime: { fetch } })`. */
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>
  /**
   * What the person's browser does at the authorization endpoint: they sign in and agree.
   *
   * @param url The authorization request
   * @returns The address they come back to
   * @throws Error where the authorization request is wrong
   */
  authorize(url: URL): URL
  /** Does something differently from now on; without argument everything is right again. */
  vary(variation?: Variation): void
  /** Signs with a new key from now on, and publishes no other. */
  rotate(): void
  /** Everything that was asked, in order. */
  readonly requests: readonly IssuerRequest[]
  /** How often an endpoint was asked. */
  count(endpoint: IssuerRequest['endpoint']): number
  /** Every code, token, verifier and secret so far: what must stand in no log. */
  readonly confidential: ReadonlySet<string>
}

/** A code that has been given out. */
interface Grant {
  readonly request: URLSearchParams
  used: boolean
}

/**
 * An identity provider that runs inside the test: discovery, keys, codes, tokens with real
 * signatures, userinfo. It checks what it is sent as a strict provider does, and on demand does any
 * of the things that a hostile or broken one does.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import { oidc } from '@latchkey/core/providers/oauth'
 *   import { createIssuer } from '@latchkey/core/testing/issuer'
 *
 *   const client = { clientId: 'client-id', clientSecret: 'kept secret' }
 *   const issuer = createIssuer(client)
 *   const { handle } = createAuth({
 *     serviceUrl: 'https://app.example',
 *     secret: 'a secret of thirty-two bytes or more',
 *     providers: [oidc({ id: 'op', name: 'Provider', issuer: issuer.issuer, ...client })],
 *     runtime: { fetch: issuer.fetch },
 *   })
 */
export function createIssuer(options: IssuerOptions = {}): Issuer {
  const world = new World(options)
  return {
    issuer: world.issuer,
    fetch: (url, init = {}) => world.answer(url, init),
    authorize: (url) => world.authorize(url),
    vary: (variation = {}) => {
      world.variation = variation
    },
    rotate: () => {
      world.rotate()
    },
    requests: world.requests,
    count: (endpoint) => world.requests.filter((each) => each.endpoint === endpoint).length,
    confidential: world.confidential,
  }
}

const attacker = 'https://attacker.example'

class World {
  readonly issuer: string
  readonly requests: IssuerRequest[] = []
  readonly confidential = new Set<string>()
  variation: Variation = {}
  readonly #options: IssuerOptions
  readonly #clientId: string
  readonly #algorithm: Algorithm
  readonly #grants = new Map<string, Grant>()
  readonly #keys = new Map<string, Promise<SigningKey>>()
  #generation = 1

  constructor(options: IssuerOptions) {
    this.issuer = options.issuer ?? 'https://issuer.example'
    this.#options = options
    this.#clientId = options.clientId ?? 'client-id'
    this.#algorithm = options.algorithm ?? 'RS256'
    if (options.clientSecret) this.confidential.add(options.clientSecret)
  }

  rotate(): void {
    this.#generation++
  }

  authorize(url: URL): URL {
    const request = url.searchParams
    this.#assertAuthorizationRequest(url)
    const code = this.#secret('hex')
    this.#grants.set(code, { request, used: false })
    const { authorization_response_iss_parameter_supported: sendsIss } = this.#metadata()
    return withParameters(request.get('redirect_uri') ?? '', {
      code,
      state: request.get('state') ?? undefined,
      iss: sendsIss === true ? this.issuer : undefined,
      ...this.variation.back,
    })
  }

  async answer(url: string, init: RequestInit): Promise<Response> {
    const endpoint = this.#endpointOf(url)
    const form = new URLSearchParams(typeof init.body === 'string' ? init.body : formOf(init.body))
    const request: IssuerRequest = {
      endpoint,
      url,
      method: init.method ?? 'GET',
      headers: new Headers(init.headers),
      form,
      redirect: init.redirect,
    }
    this.requests.push(request)
    this.#remember(request)
    if (endpoint === undefined) return this.#elsewhere(url)
    const right = await this.#right(endpoint, request)
    const kind = endpoint === 'api' ? undefined : this.variation.answers?.[endpoint]
    if (kind === undefined) return right
    return misanswer(kind, {
      right,
      signal: init.signal ?? undefined,
      confidential: confidentialOf(request),
    })
  }

  // Which endpoint

  #metadata(): Changes {
    return { ...this.#usualMetadata(), ...this.variation.metadata }
  }

  #usualMetadata(): Changes {
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

  /** By host and path: an endpoint that is announced over http answers there, for who is fool enough. */
  #endpointOf(url: string): IssuerRequest['endpoint'] {
    const metadata = this.#usualMetadata()
    const here = withoutScheme(url)
    const discoveryUrl =
      this.#options.discoveryUrl ?? `${this.issuer}/.well-known/openid-configuration`
    if (here === withoutScheme(discoveryUrl)) return 'discovery'
    if (here === withoutScheme(metadata['jwks_uri'])) return 'jwks'
    if (here === withoutScheme(metadata['token_endpoint'])) return 'token'
    if (here === withoutScheme(metadata['userinfo_endpoint'])) return 'userinfo'
    return Object.hasOwn(this.#options.api ?? {}, url) ? 'api' : undefined
  }

  async #right(
    endpoint: NonNullable<IssuerRequest['endpoint']>,
    request: IssuerRequest,
  ): Promise<Response> {
    if (endpoint === 'api') return this.#api(request)
    const handlers: Readonly<Record<Endpoint, () => Promise<Response>>> = {
      discovery: async () => Response.json(this.#metadata()),
      jwks: () => this.#jwks(),
      token: () => this.#token(request),
      userinfo: () => this.#userinfo(request),
    }
    const response = await handlers[endpoint]()
    const headers = this.variation.headers?.[endpoint]
    return headers ? new Response(response.body, { status: response.status, headers }) : response
  }

  /** The attacker's server has keys of its own; nobody else is there. */
  async #elsewhere(url: string): Promise<Response> {
    if (!url.startsWith(attacker)) throw new TypeError('fetch failed')
    return Response.json({ keys: [(await this.#key('stranger')).jwk] })
  }

  // The authorization request (RFC 6749 §4.1.1, RFC 7636 §4.3)

  #assertAuthorizationRequest(url: URL): void {
    const request = url.searchParams
    const { authorization_endpoint: endpoint } = this.#metadata()
    const names = [...request.keys()]
    const method = request.has('code_challenge') ? 'S256' : null
    const checks: Readonly<Record<string, boolean>> = {
      'the address': withoutScheme(url.href) === withoutScheme(endpoint),
      client_id: request.get('client_id') === this.#clientId,
      response_type: request.get('response_type') === 'code',
      redirect_uri: URL.canParse(request.get('redirect_uri') ?? ''),
      code_challenge_method: request.get('code_challenge_method') === method,
      'a parameter that is given twice': new Set(names).size === names.length,
    }
    const wrong = Object.keys(checks).find((name) => !checks[name])
    if (wrong !== undefined) throw new Error(`wrong in the authorization request: ${wrong}`)
  }

  // The token endpoint (RFC 6749 §4.1.3, OpenID Connect Core 1.0 §3.1.3)

  async #token(request: IssuerRequest): Promise<Response> {
    const { form } = request
    if (request.method !== 'POST' || form.get('grant_type') !== 'authorization_code')
      return refused(400, 'invalid_request', 'grant_type')
    if (!(await this.#isAuthentic(request))) return refused(401, 'invalid_client')
    const grant = this.#grants.get(form.get('code') ?? '')
    if (!grant || grant.used) return refused(400, 'invalid_grant', 'code')
    grant.used = true
    if (form.get('redirect_uri') !== grant.request.get('redirect_uri'))
      return refused(400, 'invalid_grant', 'redirect_uri')
    if (!(await isProven(grant.request, form.get('code_verifier'))))
      return refused(400, 'invalid_grant', 'code_verifier')
    return Response.json(await this.#tokens(grant))
  }

  async #tokens({ request }: Grant): Promise<Changes> {
    const accessToken = this.#secret()
    const idToken =
      this.#options.openid === false ? undefined : await this.#idToken(request, accessToken)
    if (idToken !== undefined) this.confidential.add(idToken)
    return {
      access_token: accessToken,
      token_type: 'Bearer',
      expires_in: 300,
      scope: request.get('scope') ?? '',
      ...(idToken !== undefined && { id_token: idToken }),
      ...this.variation.token,
    }
  }

  async #isAuthentic({ headers, form }: IssuerRequest): Promise<boolean> {
    const { clientSecret = '', authentication = 'client_secret_basic' } = this.#options
    const { isClientSecret = (secret: string) => secret === clientSecret } = this.#options
    const basic = headers.get('authorization')
    const ways: Readonly<Record<ExpectedAuthentication, () => boolean | Promise<boolean>>> = {
      client_secret_basic: () => {
        const [id, secret] = credentialsOf(basic)
        if (id !== this.#clientId || form.has('client_secret')) return false
        return isClientSecret(secret ?? '')
      },
      client_secret_post: () =>
        basic === null &&
        form.get('client_id') === this.#clientId &&
        isClientSecret(form.get('client_secret') ?? ''),
      private_key_jwt: () => basic === null && this.#isAssertion(form),
      none: () =>
        basic === null && form.get('client_id') === this.#clientId && !form.has('client_secret'),
    }
    return ways[authentication]()
  }

  /** RFC 7523 §3. */
  async #isAssertion(form: URLSearchParams): Promise<boolean> {
    const { clientKey } = this.#options
    const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
    if (!clientKey || form.get('client_assertion_type') !== type) return false
    const { payload } = await jwtVerify(form.get('client_assertion') ?? '', clientKey, {
      issuer: this.#clientId,
      subject: this.#clientId,
      audience: [this.issuer, String(this.#metadata()['token_endpoint'])],
      requiredClaims: ['jti', 'exp'],
      currentDate: new Date(this.#now() * 1000),
    })
    return typeof payload.jti === 'string'
  }

  // The ID Token

  async #idToken(request: URLSearchParams, accessToken: string): Promise<string> {
    const { variation } = this
    const now = this.#now()
    const times = Object.entries(variation.times ?? {}).map(([name, ahead]) => [name, now + ahead])
    const claims = {
      iss: this.issuer,
      sub: this.#options.subject ?? 'alice',
      aud: this.#clientId,
      iat: now,
      exp: now + 300,
      nonce: request.get('nonce') ?? undefined,
      at_hash: await accessTokenHash(this.#algorithm, accessToken),
      ...(this.#options.personIn === 'id_token' && this.#person()),
      ...this.#options.idToken,
      ...variation.idToken,
      ...Object.fromEntries(times),
    }
    const { signer = 'right', header, payload = JSON.stringify(claims) } = variation
    return this.#signed(signer, payload, header)
  }

  async #signed(signer: Signer, payload: string, header: Changes = {}): Promise<string> {
    const row = signers[signer]
    const right = await this.#current()
    const key = row.key ? await this.#key(row.key) : right
    const sign = await (row.sign ?? signWith)(key, this.#options.clientSecret ?? '')
    const own = { typ: 'JWT', alg: key.algorithm, kid: key.kid, ...row.header?.(key, right) }
    return compactJws({ ...own, ...header }, payload, sign)
  }

  // The keys

  async #jwks(): Promise<Response> {
    const { jwk, keySet } = this.variation
    const keys = (await this.#published()).map((key) => ({ ...key, ...jwk }))
    return Response.json({ keys, ...keySet })
  }

  async #published(): Promise<readonly Changes[]> {
    const { signer, keys = 'right' } = this.variation
    const { jwk } = await this.#current()
    const further = signer === 'unadvertised' || signer === 'short' ? [await this.#key(signer)] : []
    switch (keys) {
      case 'right':
        return [{ ...jwk }, ...further.map((key) => ({ ...key.jwk }))]
      case 'several':
        return [{ ...(await this.#key('second')).jwk }, { ...jwk }]
      case 'none':
        return []
      case 'stranger':
        return [{ ...(await this.#key('stranger')).jwk }]
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

  #current(): Promise<SigningKey> {
    return this.#key(`key-${this.#generation}`)
  }

  /** Keys come to be when they are first needed: RSA keys take their time. */
  #key(name: string): Promise<SigningKey> {
    const kept = this.#keys.get(name)
    if (kept) return kept
    const other = this.#algorithm === 'ES256' ? 'EdDSA' : 'ES256'
    const key =
      name === 'short'
        ? createSigningKey('RS256', name, 1024)
        : createSigningKey(name === 'unadvertised' ? other : this.#algorithm, name)
    this.#keys.set(name, key)
    return key
  }

  // Userinfo and APIs (OpenID Connect Core 1.0 §5.3, RFC 6750)

  async #userinfo({ headers }: IssuerRequest): Promise<Response> {
    if (!this.#isAllowed(headers)) return unauthorized()
    const { userinfo, userinfoForm = 'json' } = this.variation
    const claims = { sub: this.#options.subject ?? 'alice', ...this.#person(), ...userinfo }
    if (userinfoForm === 'json') return Response.json(claims)
    const payload = JSON.stringify({ iss: this.issuer, aud: this.#clientId, ...claims })
    const jwt = await this.#signed(userinfoSigners[userinfoForm], payload)
    return new Response(jwt, { headers: { 'content-type': 'application/jwt' } })
  }

  async #api({ headers, url }: IssuerRequest): Promise<Response> {
    if (!this.#isAllowed(headers)) return unauthorized()
    const answer = this.#options.api?.[url]
    return answer instanceof Response ? answer.clone() : Response.json(answer)
  }

  #person(): Changes {
    const subject = this.#options.subject ?? 'alice'
    const person = this.#options.person ?? {
      name: `Person ${subject}`,
      email: `${subject}@issuer.example`,
      email_verified: true,
      picture: `${this.issuer}/${subject}.png`,
    }
    return { ...person, ...this.variation.person }
  }

  // What is nobody else's business

  #isAllowed(headers: Headers): boolean {
    const [scheme, token = ''] = (headers.get('authorization') ?? '').split(' ')
    return scheme === 'Bearer' && this.confidential.has(token)
  }

  /**
   * 22 characters, or 20 as GitHub's codes have: short enough to slip through a careless redaction.
   * The first one is a letter, so that it is never the beginning of JSON.
   */
  #secret(form?: 'hex'): string {
    const random = crypto.getRandomValues(new Uint8Array(10))
    const hex = Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('')
    const secret = form === 'hex' ? `c${hex.slice(1)}` : `t_${hex}`
    this.confidential.add(secret)
    return secret
  }

  #remember({ form }: IssuerRequest): void {
    for (const name of ['code_verifier', 'client_secret', 'client_assertion']) {
      const value = form.get(name)
      if (value) this.confidential.add(value)
    }
  }

  #now(): number {
    return Math.floor((this.#options.now ?? Date.now)() / 1000)
  }
}

function withParameters(address: string, parameters: NonNullable<Variation['back']>): URL {
  const url = new URL(address)
  for (const [name, values] of Object.entries(parameters)) {
    for (const value of [values ?? []].flat()) url.searchParams.append(name, value)
  }
  return url
}

function withoutScheme(url: unknown): string | undefined {
  const parsed = typeof url === 'string' ? URL.parse(url) : null
  return parsed ? parsed.host + parsed.pathname : undefined
}

function formOf(body: unknown): URLSearchParams {
  return body instanceof URLSearchParams ? body : new URLSearchParams()
}

/** RFC 7636 §4.6. */
async function isProven(request: URLSearchParams, verifier: string | null): Promise<boolean> {
  const challenge = request.get('code_challenge')
  if (challenge === null || verifier === null) return challenge === verifier
  return /^[\w.~-]{43,128}$/.test(verifier) && challenge === (await challengeOf(verifier))
}

/** RFC 6749 §2.3.1: both halves are form-urlencoded. */
function credentialsOf(header: string | null): readonly (string | undefined)[] {
  const [scheme, encoded = ''] = (header ?? '').split(' ')
  if (scheme !== 'Basic') return []
  return atob(encoded)
    .split(':')
    .map((half) => decodeURIComponent(half.replaceAll('+', ' ')))
}

function refused(status: number, error: string, description?: string): Response {
  return Response.json({ error, error_description: description }, { status })
}

function unauthorized(): Response {
  const headers = { 'www-authenticate': 'Bearer error="invalid_token"' }
  return new Response(null, { status: 401, headers })
}

/** What a careless server would repeat in its error messages. */
function confidentialOf({ form, headers }: IssuerRequest): string[] {
  const sent = ['code', 'code_verifier', 'client_secret'].map((name) => form.get(name) ?? '')
  const [scheme, token = ''] = (headers.get('authorization') ?? '').split(' ')
  const shown = scheme === 'Basic' ? credentialsOf(headers.get('authorization')) : [token]
  return [...sent, ...shown.map((each) => each ?? '')].filter((each) => each !== '')
}
