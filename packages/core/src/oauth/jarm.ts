import { compactVerify, createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose'
import type { JWTPayload } from 'jose'
import { ConfigurationError, providerError } from '../lib/errors.ts'
import { CLOCK_TOLERANCE } from './client-context.ts'
import { createKeySet } from './jwks.ts'
import type { KeySet } from './jwks.ts'
import { algorithms } from './jws-algorithms.ts'
import { checkUrl } from './provider-config.ts'
import type {
  JwtMode,
  JwtResponseMode,
  ResponseIssuer,
  SignedResponses,
} from './signed-responses.ts'

/** The options of {@link jarm}. */
export interface JarmOptions {
  /** The URL of the issuer's keys: required for `oauth()`. `oidc()` takes it from discovery. */
  readonly jwksUri?: string
}

/**
 * Makes a provider return its authorization response as a signed JWT (JARM, JWT Secured Authorization
 * Response Mode for OAuth 2.0). Its value is the option `responseMode`. The JWT must be signed with an
 * asymmetric algorithm and a key of the issuer, for this client, and not be expired. Plain parameters
 * instead of it or in addition to it are refused, so that the signature cannot be left out.
 *
 * @param mode `query.jwt`, `form_post.jwt`, or `jwt`, which is `query.jwt` for the code flow. Default: `jwt`
 *
 * @example
 *   import { jarm } from '@latchkey/core/jarm'
 *   import { oidc } from '@latchkey/core/providers/oidc'
 *
 *   const bank = oidc({
 *     id: 'bank',
 *     name: 'Bank',
 *     issuer: 'https://id.bank.example',
 *     clientId: 'latchkey',
 *     clientSecret: 'kept secret',
 *     responseMode: jarm('form_post.jwt'),
 *   })
 *
 * @throws ConfigurationError `responseMode` if the mode is a different one
 *
 * @see https://openid.net/specs/oauth-v2-jarm.html
 */
export function jarm(mode: JwtMode = 'jwt', { jwksUri }: JarmOptions = {}): JwtResponseMode {
  if (!modes.includes(mode)) {
    throw new ConfigurationError('responseMode', `jarm() must be one of ${modes.join(', ')}`)
  }
  return { mode, createResponses: (...provider) => createResponses(jwksUri, ...provider) }
}

const modes: readonly string[] = ['jwt', 'query.jwt', 'form_post.jwt'] satisfies JwtMode[]

function createResponses(
  jwksUri: string | undefined,
  id: string,
  isDiscovered: boolean,
): SignedResponses {
  if ((jwksUri === undefined) !== isDiscovered) {
    const problem = isDiscovered ? 'is for oauth(): oidc() discovers it' : 'is missing'
    throw providerError(id, 'responseMode', `jwksUri of jarm() ${problem}`)
  }
  if (jwksUri !== undefined) checkUrl(id, 'responseMode.jwksUri', jwksUri)
  // Anyone can send a forged response: it must not use up the forced fetch of ID Tokens (I-24).
  const keys = createKeySet()
  const useKeys = ({ as, runtime }: ResponseIssuer, kid: unknown, check: Check): Promise<void> =>
    keys.verify(as.jwks_uri ?? jwksUri ?? '', runtime, check, { kid })
  return {
    readState,
    // If the keys cannot be fetched, the flow stays as it is (I-21).
    prepare: (issuer) => useKeys(issuer, undefined, () => Promise.resolve()),
    async verify(issuer, params) {
      const jwt = getResponse(params)
      let key: CryptoKey | Uint8Array = new Uint8Array()
      // Only the signature: other keys do not correct a wrong claim.
      await useKeys(issuer, decodeProtectedHeader(jwt).kid, async (jwks) => {
        const keySet = createLocalJWKSet({ keys: [...jwks.keys] })
        ;({ key } = await compactVerify(jwt, keySet, { algorithms }))
      })
      return toParameters(await verifyClaims(issuer, jwt, key))
    },
  }
}

type Check = Parameters<KeySet['verify']>[2]

/** Verifies the claims (JARM §2.4). jose refuses a payload that is not UTF-8. */
async function verifyClaims(
  { as, client, runtime }: ResponseIssuer,
  jwt: string,
  key: CryptoKey | Uint8Array,
): Promise<JWTPayload> {
  const { payload } = await jwtVerify(jwt, key, {
    issuer: as.issuer,
    audience: client.client_id,
    requiredClaims: ['exp'],
    clockTolerance: CLOCK_TOLERANCE,
    currentDate: new Date(runtime.now()),
  })
  return payload
}

/** Parameters of a plain authorization response (RFC 6749 §4.1.2, RFC 9207). */
const plain = ['code', 'state', 'iss', 'error', 'id_token', 'access_token']

/** @throws Error if the parameters are plain, or some of them are */
function getResponse(params: URLSearchParams): string {
  const beside = plain.find((name) => params.has(name))
  if (beside !== undefined) {
    throw new Error(`expected the authorization response only in a JWT, found ${beside}`)
  }
  const response = params.get('response')
  if (response) return response
  throw new Error('expected the authorization response in a JWT (response)')
}

/** Reads the state before anything is verified: it only finds the flow, whose state is then compared (I-20). */
function readState(params: URLSearchParams): string | undefined {
  try {
    const { state } = decodeJwt(params.get('response') ?? '')
    return typeof state === 'string' ? state : undefined
  } catch {
    return undefined // It is not a JWT: the callback has no state.
  }
}

/** Returns the claims as the parameters of a plain response, which are checked next (I-23). */
function toParameters(claims: JWTPayload): URLSearchParams {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(claims)) {
    if (typeof value === 'string') parameters.append(name, value)
  }
  return parameters
}
