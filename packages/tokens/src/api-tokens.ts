import { SignJWT, importJWK } from 'jose'
import type { JWTPayload } from 'jose'
import {
  callDecision,
  toBase64url,
  limitClient,
  answerInTime,
  perService,
  RequestContext,
} from '@latchkey/core/capability'
import {
  AuthError,
  ConfigurationError,
  checkKnownNames,
  createOwnLimits,
  lazy,
} from '@latchkey/core/capability/options'
import type { Authentication, Limit, SessionToken } from '@latchkey/core'
import { createAnswerCache } from './answer-cache.ts'
import type { Capability, TokenSigner } from '@latchkey/core/capability'
import { issueToken } from './issue-token.ts'
import { listKeys, postToken } from './post-token.ts'
import type { IssuedToken, TokenClaims, TokenIssuer, TokenRequest } from './token-issuer.ts'
import { toPublicKeys } from './token-keys.ts'
import type { TokenKey } from './token-keys.ts'

/** The options of {@link apiTokens}. */
export interface ApiTokensOptions {
  /** The `aud` of the tokens: the API that they are for, such as `https://api.example.com`. */
  readonly audience: string
  /**
   * The keys, as {@link generateTokenKey} makes them: the first signs, all are published. ID Tokens are signed by the first key for
   * RS256, if there is one. A new key is
   * published before it signs: add it as the second, and put it first when the others have fetched it,
   * after ten minutes. Leave the previous key in the list for `maxAge` more.
   */
  readonly keys: readonly TokenKey[]
  /**
   * Adds claims. Those that RFC 7519 §4.1 registers, `auth_time` and `amr` cannot be replaced: a token with
   * one of them is refused with `Callback`. Default: none
   */
  readonly claims?: TokenClaims
  /** Seconds that a token is valid, at most 3600: it cannot be revoked. Default: 300 */
  readonly maxAge?: number
  /** How many tokens are issued; `false` turns a limit off. */
  readonly limits?: TokenLimits
}

/** The limits of {@link apiTokens}. */
export interface TokenLimits {
  /** Tokens from one IP address. Default: 300 in 60 seconds */
  readonly perClient?: Limit | false
  /** Tokens to one session. Default: 60 in 60 seconds */
  readonly perSession?: Limit | false
}

const defaultLimits = {
  perClient: { times: 300, window: 60 },
  perSession: { times: 60, window: 60 },
}

/** What `auth` has with {@link apiTokens}. */
export interface TokenMembers {
  /**
   * Issues a token for an API to the user of a request's session, as `POST /token` does. Null if
   * there is no session. Only for a request whose response does not show the token to another site.
   *
   * If the session is due for renewal, its user must exist and `callbacks.jwt` decides what the token says,
   * at most once a minute in a process. Nothing is written: `GET /session` renews the session.
   *
   * @example
   *   import type { TokenMembers } from '@latchkey/tokens'
   *
   *   declare const auth: TokenMembers
   *   async function getOrders(request: Request): Promise<Response> {
   *     const issued = await auth.issueToken(request)
   *     if (!issued) return new Response('Sign in first', { status: 401 })
   *     const headers = { authorization: `Bearer ${issued.token}` }
   *     return fetch('https://api.example.com/orders', { headers })
   *   }
   *
   * @throws AuthError `Callback` if `callbacks.jwt` or `tokens.claims` throws, or `tokens.claims` returns
   *   a registered claim; `Unavailable` if the storage fails
   */
  readonly issueToken: (request: Request) => Promise<IssuedToken | null>
}

const reserved = ['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'auth_time', 'amr']
const MAX_AGE = 3600

/**
 * Issues tokens for APIs to signed-in users: an element of `use`. It turns on `POST /token`,
 * `GET /jwks` and `auth.issueToken`. Services verify the tokens by `@latchkey/tokens/verify-token`.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { AuthConfig } from '@latchkey/core'
 *   import { apiTokens } from '@latchkey/tokens'
 *   import type { TokenKey } from '@latchkey/tokens'
 *
 *   declare const config: AuthConfig
 *   declare const keys: readonly TokenKey[]
 *   const auth = createAuth({
 *     ...config,
 *     use: [apiTokens({ audience: 'https://api.example.com', keys })],
 *   })
 *
 * @throws ConfigurationError `tokens.…`
 */
export function apiTokens(options: ApiTokensOptions): Capability<TokenMembers> {
  checkKnownNames('tokens', options, ['audience', 'keys', 'claims', 'maxAge', 'limits'])
  const { audience, keys, maxAge = 300 } = options
  if (typeof audience !== 'string' || audience === '') {
    throw new ConfigurationError(
      'tokens.audience',
      'must be a text: the API that accepts the tokens',
    )
  }
  if (!Number.isInteger(maxAge) || maxAge < 1 || maxAge > MAX_AGE) {
    throw new ConfigurationError('tokens.maxAge', `must be whole seconds from 1 to ${MAX_AGE}`)
  }
  const limits = createOwnLimits('tokens.limits', defaultLimits, options.limits)
  const keySet = { keys: toPublicKeys(keys) }
  const signer = createSigner(keys, keySet, audience)
  const getIssuer = perService(({ runtime: { random } }) => ({
    keySet,
    getAnswer: createAnswerCache<SessionToken | undefined>(),
    issue: (request: TokenRequest) => issue({ ...options, maxAge, random }, signer.sign, request),
  }))
  return {
    id: 'tokens',
    signer,
    limits: Object.values(limits),
    routes: [
      {
        method: 'POST',
        path: '/token',
        speaks: 'json',
        origins: 'trusted',
        gates: [(ctx) => limitClient(ctx, limits.perClient)],
        action: (ctx) => postToken(ctx, getIssuer(ctx.service), limits.perSession),
      },
      {
        method: 'GET',
        path: '/jwks',
        speaks: 'json',
        action: ({ service }) => listKeys(getIssuer(service)),
      },
    ],
    members: (service) => ({
      async issueToken(request) {
        const issued = issueToken(new RequestContext(service, request, {}), getIssuer(service))
        return (await answerInTime(service, issued)) ?? null
      },
    }),
  }
}

function createSigner(
  keys: readonly TokenKey[],
  keySet: TokenIssuer['keySet'],
  audience: string,
): TokenSigner {
  const signing = keys
    .filter(({ d }) => d !== undefined)
    .map(({ ...key }) => ({
      alg: key.alg ?? '',
      kid: key.kid ?? '',
      getKey: lazy(() => importJWK(key)),
    }))
  return {
    algorithms: signing.map(({ alg }) => alg),
    keySet,
    audience,
    async sign(claims, typ, algorithm) {
      const key = signing.find(({ alg }) => alg === algorithm) ?? signing[0]
      if (!key) throw new TypeError('expected a private key')
      const header = { alg: key.alg, kid: key.kid, typ }
      return new SignJWT({ ...claims }).setProtectedHeader(header).sign(await key.getKey())
    },
  }
}

interface IssueParts extends ApiTokensOptions {
  readonly maxAge: number
  readonly random: (length: number) => Uint8Array<ArrayBuffer>
}

async function issue(
  { audience, claims, maxAge, random }: IssueParts,
  sign: TokenSigner['sign'],
  { issuer, now, sessionExpires, token, user, authentication }: TokenRequest,
): Promise<IssuedToken> {
  const added = claims && (await callDecision('tokens.claims', () => claims({ token, user })))
  const replaced = reserved.find((name) => added && Object.hasOwn(added, name))
  if (replaced !== undefined) {
    throw new AuthError('Callback', `tokens.claims must not return the claim ${replaced}`)
  }
  const expires = Math.min(now + maxAge, sessionExpires)
  const payload = {
    ...added,
    ...toClaims(authentication),
    iss: issuer,
    sub: token.sub,
    aud: audience,
    iat: now,
    exp: expires,
    jti: toBase64url(random(16)),
  }
  const signed = await sign(payload, 'at+jwt')
  return { token: signed, expires: new Date(expires * 1000).toISOString() }
}

/** Returns the claims about the authentication (RFC 9068 §2.2.1), as far as it is known (I-50). */
function toClaims({ authenticatedAt, methods = [] }: Partial<Authentication> = {}): JWTPayload {
  return {
    ...(authenticatedAt !== undefined && { auth_time: authenticatedAt }),
    ...(methods.length > 0 && { amr: methods }),
  }
}
