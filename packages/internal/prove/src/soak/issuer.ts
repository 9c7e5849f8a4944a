import { createHash } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

export const ISSUER = 'https://issuer.example'
export const CLIENT_ID = 'client-id'

/** An OpenID provider that keeps nothing of a request, unlike the one for tests: its codes hold what they stand for. */
export interface StatelessIssuer {
  readonly fetch: (url: string, init?: RequestInit) => Promise<Response>
  /** Signs a user in: returns the URL of the callback for an authorization request. */
  readonly authorize: (request: URL, user: { readonly name: string; readonly email: string }) => URL
}

/** @param now Returns the time in seconds since 1970 */
export async function createStatelessIssuer(now: () => number): Promise<StatelessIssuer> {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'soak', use: 'sig', alg: 'ES256' }
  const redeem = async (body: unknown): Promise<Response> => {
    const form = body instanceof URLSearchParams ? body : new URLSearchParams()
    const { challenge, ...claims } = decode(form.get('code'))
    const verifier = createHash('sha256').update(form.get('code_verifier') ?? '')
    // RFC 7636 §4.6
    if (verifier.digest('base64url') !== challenge) {
      return Response.json({ error: 'invalid_grant' }, { status: 400 })
    }
    const times = { iat: now(), exp: now() + 300, auth_time: now() }
    const idToken = new SignJWT({ ...claims, ...times, iss: ISSUER, aud: CLIENT_ID })
    return Response.json({
      access_token: 'an access token',
      token_type: 'Bearer',
      id_token: await idToken.setProtectedHeader({ alg: 'ES256', kid: 'soak' }).sign(privateKey),
    })
  }
  return {
    async fetch(target, init = {}) {
      const path = target.slice(ISSUER.length)
      if (path === '/.well-known/openid-configuration') return Response.json(metadata)
      if (path === '/jwks') return Response.json({ keys: [jwk] })
      if (path === '/token') return redeem(init.body)
      throw new Error(`expected a known URL, found ${target}`)
    },
    authorize({ searchParams }, { name, email }) {
      const read = (key: string): string => searchParams.get(key) ?? ''
      const grant = {
        sub: name,
        name,
        email,
        email_verified: true,
        nonce: read('nonce'),
        challenge: read('code_challenge'),
      }
      const callback = new URL(read('redirect_uri'))
      callback.searchParams.set('code', encode(grant))
      callback.searchParams.set('state', read('state'))
      callback.searchParams.set('iss', ISSUER)
      return callback
    },
  }
}

const metadata = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/authorize`,
  token_endpoint: `${ISSUER}/token`,
  jwks_uri: `${ISSUER}/jwks`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['ES256'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
}

function encode(grant: object): string {
  return Buffer.from(JSON.stringify(grant)).toString('base64url')
}

function decode(code: string | null): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(code ?? '', 'base64url').toString())
}
