import type * as oauth from 'oauth4webapi'
import type {
  BeginInput,
  BeginResult,
  CallbackInput,
  Check,
  FlowState,
  Provider,
} from '../ports/provider.ts'
import type { Identity, Profile } from '../ports/records.ts'
import type { ProviderRuntime } from '../ports/runtime.ts'
import { getKind } from '../lib/kind.ts'
import {
  createFlowState,
  getAuthorizationParameters,
  getAuthorizationUrl,
  pushAuthorizationRequest,
} from './authorization-request.ts'
import { pickRequested, requestPresence, toAuthentication } from './authentication.ts'
import type { Claims, Deviations, ProviderOptions, TrustEmailVerified } from './provider-config.ts'
import type { TokenExchange } from './id-token.ts'
import { adaptRuntime, createClientAuthenticator, toClient } from './client-context.ts'
import type { OAuthClientContext } from './client-context.ts'
import { exchangeCode, refreshTokens, toTokens } from './token-request.ts'
import type { AuthorizationResponse } from './token-request.ts'
import { createReportIssuer, removeIssuer } from './unknown-issuer.ts'

/** The steps in which OpenID Connect and plain OAuth 2.0 differ. */
export interface Protocol {
  readonly type: 'oidc' | 'oauth'
  readonly checks: readonly Check[]
  /** Whether the issuer is known, with which the `iss` of an authorization response is compared (RFC 9207). */
  readonly comparesIssuer: boolean
  /** Returns the metadata of the authorization server. */
  readonly getServer: (runtime: ProviderRuntime) => Promise<oauth.AuthorizationServer>
  /** Validates the response of the token endpoint. */
  readonly processTokenResponse: (
    context: OAuthClientContext,
    response: Response,
    flow: FlowState,
  ) => Promise<TokenResponse>
  /** Returns the claims about the user, verified as the protocol allows. */
  readonly resolveClaims: (exchange: TokenExchange) => Promise<ResolvedClaims>
}

/** A validated response of the token endpoint. */
interface TokenResponse {
  /** The response object that oauth4webapi has processed. */
  readonly response: Response
  readonly tokens: oauth.TokenEndpointResponse
}

/** The claims about a user, with the provider's identifier of that user. */
interface ResolvedClaims {
  readonly claims: Claims
  readonly subject: unknown
  /** The claims of the verified ID Token, if there is one. */
  readonly idToken?: Claims
}

type Options = ProviderOptions &
  Deviations & {
    readonly id: string
    readonly name: string
    readonly trustEmailVerified?: TrustEmailVerified
    readonly userinfoSignedResponseAlg?: string
  }

/**
 * Creates a provider of the authorization code flow (RFC 6749 §4.1).
 *
 * @throws ConfigurationError if the client authentication lacks its key
 */
export function createProvider(options: Options, protocol: Protocol): Provider {
  const {
    id,
    name,
    mark,
    linkByVerifiedEmail = false,
    subjectAsUserId = false,
    userId,
    trustAmr,
  } = options
  const { type, checks, comparesIssuer } = protocol
  const connect = createConnect(options, protocol)
  const reportIssuer = createReportIssuer(id)
  const { responseMode: mode } = options
  const responses = typeof mode === 'object' ? mode.createResponses(id, type === 'oidc') : undefined
  return {
    id,
    name,
    type,
    ...(mark !== undefined && { mark }),
    checks,
    linkByVerifiedEmail,
    subjectAsUserId,
    ...(userId && { userId }),
    ...(trustAmr && { trustAmr }),
    canConfirm: type === 'oidc' || options.confirm === 'trust',
    begin: async (input) =>
      requestAuthorization(options, protocol, await connect(input.runtime), input),
    ...(responses && { readState: responses.readState }),
    async prepare(runtime) {
      const context = await connect(runtime)
      await responses?.prepare(context)
    },
    async finish({ params: given, state, redirectUri, flow, purpose, runtime, log }) {
      const context = await connect(runtime)
      const received = responses ? await responses.verify(context, given) : given
      const params = comparesIssuer ? received : removeIssuer(received)
      const response = { params, state, redirectUri, flow, purpose, log }
      const identity = await resolveIdentity(options, protocol, context, response)
      if (!comparesIssuer) reportIssuer(received, log)
      return identity
    },
    refresh: async (refreshToken, runtime) => refreshTokens(await connect(runtime), refreshToken),
  }
}

function createConnect(
  options: Options,
  { getServer }: Protocol,
): (runtime: ProviderRuntime) => Promise<OAuthClientContext> {
  const authenticateClient = createClientAuthenticator(options)
  return async (given) => {
    const runtime = adaptRuntime(given, options)
    const as = await getServer(runtime)
    const authenticate = (): Promise<oauth.ClientAuth> => authenticateClient(as, runtime)
    return { as, client: toClient(options, runtime), authenticate, runtime }
  }
}

async function requestAuthorization(
  options: Options,
  { checks }: Protocol,
  context: OAuthClientContext,
  input: BeginInput,
): Promise<BeginResult> {
  const { as } = context
  const secrets = createFlowState(checks, input.runtime)
  const parameters = await getAuthorizationParameters(options, input, secrets)
  if (input.purpose === 'confirm') requestPresence(parameters)
  options.adaptParameters?.(parameters)
  const flow = { ...secrets, ...pickRequested(parameters, input.purpose, input.runtime) }
  const isPushed = options.pushedAuthorization ?? as.require_pushed_authorization_requests
  const redirect = isPushed
    ? await pushAuthorizationRequest(context, parameters)
    : getAuthorizationUrl(as, parameters)
  return { redirect, flow }
}

async function resolveIdentity(
  options: Options,
  protocol: Protocol,
  context: OAuthClientContext,
  callback: AuthorizationResponse & Pick<CallbackInput, 'purpose'>,
): Promise<Identity> {
  const { as, client, runtime } = context
  const { params, flow, purpose, log } = callback
  const { profile: toProfile = toStandardProfile } = options
  const { response, tokens } = await exchangeCode(context, callback, (unchecked) =>
    protocol.processTokenResponse(context, unchecked, flow),
  )
  checkBearer(tokens)
  const exchange = { as, client, params, response, tokens, runtime, log }
  const { claims, subject, idToken } = await protocol.resolveClaims(exchange)
  const accountTokens = toTokens(tokens, runtime)
  const profile = toProfile(claims, accountTokens)
  return {
    subject: toSubject(subject),
    profile,
    emailProven: isEmailProven(options, profile, claims),
    tokens: accountTokens,
    claims: pickClaims(options, claims),
    authentication: toAuthentication(options, { runtime, purpose }, flow, idToken),
  }
}

/** A session of the provider can end by `sub` and `sid` (I-48), whatever is picked. */
function pickClaims({ claims: pick }: Options, claims: Claims): Claims {
  if (!pick) return claims
  const { sub, sid } = claims
  return { ...pick(claims), ...(sub !== undefined && { sub }), ...(sid !== undefined && { sid }) }
}

/** The provider's claim is not enough: its verified flag must also be authoritative (I-38). */
export function isEmailProven(
  { trustEmailVerified = false }: { readonly trustEmailVerified?: TrustEmailVerified },
  { emailVerified }: Profile,
  claims: Claims,
): boolean {
  if (emailVerified !== true) return false
  return typeof trustEmailVerified === 'function'
    ? trustEmailVerified(claims) === true
    : trustEmailVerified
}

/** A client must not use a token type that it does not understand (RFC 6749 §7.1). */
function checkBearer({ token_type: type }: oauth.TokenEndpointResponse): void {
  if (type !== 'bearer') throw new Error(`expected the token_type bearer, found ${type}`)
}

/** Maps the claims of OpenID Connect Core 1.0 §5.1. */
export function toStandardProfile(claims: Claims): Profile {
  const { name, nickname, preferred_username, email, email_verified, picture } = claims
  return {
    name: name ?? nickname ?? preferred_username,
    email,
    emailVerified: email_verified,
    image: picture,
  }
}

/** Returns the subject as a text; core checks its length. */
export function toSubject(subject: unknown): string {
  const text = Number.isSafeInteger(subject) ? String(subject) : subject
  if (typeof text === 'string') return text
  throw new Error(`expected a text or an integer as the subject, found ${getKind(subject)}`)
}
