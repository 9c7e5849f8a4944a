import type * as oauth from 'oauth4webapi'
import type { Check, Provider } from '../ports/provider.ts'
import type { Profile } from '../ports/records.ts'
import type { ProviderRuntime } from '../ports/runtime.ts'
import {
  authorizationParameters,
  authorizationUrl,
  createFlowState,
  pushedAuthorizationUrl,
} from './authorization-request.ts'
import type { Claims, ProviderOptions } from './provider-config.ts'
import type { Exchange } from './id-token.ts'
import { clientAuthentication, toClient } from './client-context.ts'
import type { OAuthClientContext } from './client-context.ts'
import { exchangeCode, refreshTokens, toTokens } from './token-request.ts'

/** What tells an OpenID Connect provider from a plain one. */
export interface Protocol {
  readonly type: 'oidc' | 'oauth'
  readonly checks: readonly Check[]
  readonly server: (runtime: ProviderRuntime) => Promise<oauth.AuthorizationServer>
  /** Reads the answer of the token endpoint. */
  readonly read: (
    context: OAuthClientContext,
    response: Response,
    nonce: string | undefined,
  ) => Promise<Read>
  /** Finds out who the person is. */
  readonly identify: (exchange: Exchange) => Promise<Identified>
}

/** The answer of the token endpoint, read. `response` is the object that was read. */
export interface Read {
  readonly response: Response
  readonly tokens: oauth.TokenEndpointResponse
}

/** Who the person is, by the provider's own word. */
export interface Identified {
  readonly claims: Claims
  readonly subject: unknown
}

/** A provider of the authorization code flow: both protocols take the same way. */
export function createProvider(
  options: ProviderOptions & { readonly id: string; readonly name: string },
  protocol: Protocol,
): Provider {
  const { id, name, pushedAuthorization, profile = standardProfile } = options
  const { type, checks } = protocol
  const authentication = clientAuthentication(options)
  const connect = async (runtime: ProviderRuntime): Promise<OAuthClientContext> => {
    const as = await protocol.server(runtime)
    const authenticate = (): Promise<oauth.ClientAuth> => authentication(as, runtime)
    return { as, client: toClient(options, runtime), authenticate, runtime }
  }
  return {
    id,
    name,
    type,
    checks,
    linkByVerifiedEmail: options.linkByVerifiedEmail ?? false,

    async begin(start) {
      const context = await connect(start.runtime)
      const { as } = context
      const flow = createFlowState(checks, start.runtime)
      const parameters = authorizationParameters(options, start, flow)
      const isPushed = pushedAuthorization ?? as.require_pushed_authorization_requests
      const redirect = isPushed
        ? await pushedAuthorizationUrl(context, parameters)
        : authorizationUrl(as, parameters)
      return { redirect, flow }
    },

    async finish(back) {
      const { params, flow, runtime } = back
      const context = await connect(runtime)
      const { as, client } = context
      const answer = await exchangeCode(context, back)
      const { response, tokens } = await protocol.read(context, answer, flow['nonce'])
      // Any other kind would have to be sent in a way that we do not know (RFC 6749 §7.1).
      if (tokens.token_type !== 'bearer') throw new Error('the access token is no bearer token')
      const exchange = { as, client, params, response, tokens, runtime }
      const { claims, subject } = await protocol.identify(exchange)
      const kept = toTokens(tokens, runtime)
      return {
        subject: subjectOf(subject),
        profile: profile(claims, kept),
        tokens: kept,
        claims,
      }
    },

    async refresh(refreshToken, runtime) {
      return refreshTokens(await connect(runtime), refreshToken)
    },
  }
}

/** The claims of OpenID Connect Core 1.0 §5.1. */
function standardProfile(claims: Claims): Profile {
  const { name, nickname, preferred_username, email, email_verified, picture } =
    claims as StandardClaims
  return {
    name: name ?? nickname ?? preferred_username,
    email,
    emailVerified: email_verified,
    image: picture,
  }
}

type StandardClaims = Readonly<
  Partial<
    Record<
      'name' | 'nickname' | 'preferred_username' | 'email' | 'email_verified' | 'picture',
      unknown
    >
  >
>

function subjectOf(subject: unknown): string {
  const text = Number.isSafeInteger(subject) ? String(subject) : subject
  if (typeof text === 'string') return text // Its length is checked where every identity arrives.
  throw new Error('the provider names no subject')
}
