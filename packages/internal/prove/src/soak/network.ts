/** What the service reaches over the network, in this process: it keeps nothing of a request. */
import { createHash } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { JWK, JWTPayload } from 'jose'

export const ISSUER = 'https://issuer.example'
export const CLIENT_ID = 'client-id'
export const WEBHOOK = 'https://audit.example/events'
/** A password that Have I Been Pwned knows. */
export const BREACHED = 'correct horse battery'

const RANGE = 'https://api.pwnedpasswords.com/range/'

/** A person at an identity provider. */
export interface Person {
  readonly subject: string
  readonly email: string
  /** The session at the provider. */
  readonly sid?: string
}

/** Identity providers, Have I Been Pwned and the receiver of a webhook. */
export interface Network {
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>
  /** Signs a person in at a provider: returns the URL of the callback for an authorization request. */
  readonly authorize: (request: string, person: Person) => string
  /** Creates a signed Logout Token. */
  readonly createLogoutToken: (claims: JWTPayload) => Promise<string>
  /** The number of events that the webhook has accepted. */
  readonly delivered: () => number
}

/** What a code and a token stand for: they hold it, so that nothing is kept. */
interface Grant extends Person {
  readonly nonce?: string
  readonly challenge?: string
}

interface Signer {
  readonly jwk: JWK
  readonly sign: (claims: JWTPayload, type: string) => Promise<string>
}

type Answer = (url: URL, init: RequestInit) => Promise<Response> | Response

/** @param now Returns the time in seconds since 1970 */
export async function createNetwork(now: () => number): Promise<Network> {
  const signer = await createSigner()
  const receiver = createReceiver()
  const answers: Readonly<Record<string, Answer>> = {
    ...createIssuerAnswers(signer, now),
    ...gitHubAnswers,
    [WEBHOOK]: (_, { headers }) => receiver.receive(new Headers(headers)),
  }
  return {
    async fetch(target, init = {}) {
      const url = new URL(target)
      if (target.startsWith(RANGE)) return createRange(target.slice(RANGE.length))
      const answer = answers[url.origin + url.pathname]
      if (!answer) throw new Error(`expected a known URL, found ${target}`)
      return answer(url, init)
    },
    authorize,
    createLogoutToken: (claims) =>
      signer.sign({ ...createLogoutClaims(now()), ...claims }, 'logout+jwt'),
    delivered: () => receiver.delivered,
  }
}

/** Receives events. Some deliveries fail, and are repeated. */
function createReceiver(): { delivered: number; receive: (headers: Headers) => Response } {
  let received = 0
  const receiver = {
    delivered: 0,
    receive(headers: Headers): Response {
      received += 1
      const isRefused = headers.get('webhook-id')?.endsWith('0') === true && received % 3 === 0
      if (isRefused) return new Response(null, { status: 503 })
      receiver.delivered += 1
      return new Response(null, { status: 204 })
    },
  }
  return receiver
}

/** Returns the claims of a Logout Token that all tokens have. */
function createLogoutClaims(now: number): JWTPayload {
  return {
    iss: ISSUER,
    aud: CLIENT_ID,
    iat: now,
    exp: now + 120,
    jti: crypto.randomUUID(),
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  }
}

function authorize(request: string, { subject, email, sid }: Person): string {
  const { searchParams } = new URL(request)
  const read = (name: string): string | undefined => searchParams.get(name) ?? undefined
  const grant = { subject, email, sid, nonce: read('nonce'), challenge: read('code_challenge') }
  const url = new URL(read('redirect_uri') ?? '')
  url.searchParams.set('code', encode(grant))
  url.searchParams.set('state', read('state') ?? '')
  if (request.startsWith(ISSUER)) url.searchParams.set('iss', ISSUER)
  return url.href
}

async function createSigner(): Promise<Signer> {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'soak', use: 'sig', alg: 'ES256' }
  return {
    jwk,
    sign: (claims, typ) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'soak', typ }).sign(privateKey),
  }
}

function createIssuerAnswers(signer: Signer, now: () => number): Record<string, Answer> {
  return {
    [`${ISSUER}/.well-known/openid-configuration`]: () => Response.json(metadata),
    [`${ISSUER}/jwks`]: () => Response.json({ keys: [signer.jwk] }),
    [`${ISSUER}/token`]: async (_, { body }) => {
      const form = readForm(body)
      const code = form.get('code') ?? form.get('refresh_token')
      const grant = decode(code)
      if (!grant || !isVerified(grant, form)) {
        return Response.json({ error: 'invalid_grant' }, { status: 400 })
      }
      const { subject, nonce, sid, email } = grant
      const times = { iat: now(), exp: now() + 300, auth_time: now() }
      const claims = { iss: ISSUER, aud: CLIENT_ID, sub: subject, nonce, sid, ...times }
      return Response.json({
        access_token: encode({ subject, email }),
        refresh_token: encode({ subject, email }),
        token_type: 'Bearer',
        expires_in: 120,
        ...(form.has('code') && { id_token: await signer.sign(claims, 'JWT') }),
      })
    },
    [`${ISSUER}/userinfo`]: (_, init) => {
      const grant = decode(readBearer(init))
      if (!grant) return new Response(null, { status: 401 })
      const { subject, email } = grant
      return Response.json({ sub: subject, name: subject, email, email_verified: true })
    },
  }
}

const metadata = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  userinfo_endpoint: `${ISSUER}/userinfo`,
  jwks_uri: `${ISSUER}/jwks`,
  end_session_endpoint: `${ISSUER}/logout`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['ES256'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
}

const gitHubAnswers: Readonly<Record<string, Answer>> = {
  'https://github.com/login/oauth/access_token': (_, { body }) => {
    const form = readForm(body)
    const grant = decode(form.get('code'))
    if (!grant || !isVerified(grant, form)) return Response.json({ error: 'bad_verification_code' })
    const { subject, email } = grant
    return Response.json({ access_token: encode({ subject, email }), token_type: 'bearer' })
  },
  'https://api.github.com/user': (_, init) => {
    const grant = decode(readBearer(init))
    if (!grant) return new Response(null, { status: 401 })
    return Response.json({ id: grant.subject, login: 'someone', name: 'Someone', email: null })
  },
  'https://api.github.com/user/emails': (_, init) => {
    const { email } = decode(readBearer(init)) ?? {}
    return Response.json([{ email, primary: true, verified: true, visibility: 'private' }])
  },
}

/** Returns a range of Have I Been Pwned: hashes of the breached password, and padding. */
function createRange(prefix: string): Response {
  const hash = createHash('sha1').update(BREACHED).digest('hex').toUpperCase()
  const padding = Array.from(
    { length: 30 },
    (_, i) => `${i.toString(16).toUpperCase().padStart(35, '0')}:0`,
  )
  const known = hash.startsWith(prefix) ? [`${hash.slice(5)}:1`] : []
  return new Response([...padding, ...known].join('\r\n'))
}

/** RFC 7636 §4.6. A refresh token has no challenge. */
function isVerified({ challenge }: Grant, form: URLSearchParams): boolean {
  const verifier = form.get('code_verifier')
  if (challenge === undefined) return true
  return (
    createHash('sha256')
      .update(verifier ?? '')
      .digest('base64url') === challenge
  )
}

function readForm(body: unknown): URLSearchParams {
  return body instanceof URLSearchParams
    ? body
    : new URLSearchParams(typeof body === 'string' ? body : '')
}

function readBearer({ headers }: RequestInit): string {
  return new Headers(headers).get('authorization')?.replace(/^Bearer /i, '') ?? ''
}

function encode(grant: object): string {
  return Buffer.from(JSON.stringify(grant)).toString('base64url')
}

function decode(text: string | null): Grant | undefined {
  try {
    return JSON.parse(Buffer.from(text ?? '', 'base64url').toString()) as Grant
  } catch {
    return undefined
  }
}
