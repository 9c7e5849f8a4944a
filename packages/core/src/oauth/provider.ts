import type * as oauth from 'oauth4webapi'
import type { Check, Effects, Profile, Provider } from '../ports.ts'
import {
  authorizationParameters,
  authorizationUrl,
  createKeep,
  pushedAuthorizationUrl,
} from './authorization-request.ts'
import type { Claims, ProviderOptions } from './facts.ts'
import type { Exchange } from './id-token.ts'
import { clientAuthentication, clientOf } from './parties.ts'
import type { Parties } from './parties.ts'
import { exchangeCode, refreshTokens, tokensOf } from './token-request.ts'

/** What tells an OpenID Connect provider from a plain one. */
export interface Protocol {
  readonly type: 'oidc' | 'oauth'
  readonly checks: readonly Check[]
  readonly server: (effects: Effects) => Promise<oauth.AuthorizationServer>
  /** Reads the answer of the token endpoint. */
  readonly read: (parties: Parties, response: Response, nonce: string | undefined) => Promise<Read>
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
  const meet = async (effects: Effects): Promise<Parties> => {
    const as = await protocol.server(effects)
    const authenticate = (): Promise<oauth.ClientAuth> => authentication(as, effects)
    return { as, client: clientOf(options, effects), authenticate, effects }
  }
  return {
    id,
    name,
    type,
    checks,
    linkByVerifiedEmail: options.linkByVerifiedEmail ?? false,

    async begin(start) {
      const parties = await meet(start.effects)
      const { as } = parties
      const keep = createKeep(checks, start.effects)
      const parameters = authorizationParameters(options, start, keep)
      const isPushed = pushedAuthorization ?? as.require_pushed_authorization_requests
      const redirect = isPushed
        ? await pushedAuthorizationUrl(parties, parameters)
        : authorizationUrl(as, parameters)
      return { redirect, keep }
    },

    async finish(back) {
      const { params, keep, effects } = back
      const parties = await meet(effects)
      const { as, client } = parties
      const answer = await exchangeCode(parties, back)
      const { response, tokens } = await protocol.read(parties, answer, keep['nonce'])
      // Any other kind would have to be sent in a way that we do not know (RFC 6749 §7.1).
      if (tokens.token_type !== 'bearer') throw new Error('the access token is no bearer token')
      const exchange = { as, client, params, response, tokens, effects }
      const { claims, subject } = await protocol.identify(exchange)
      const kept = tokensOf(tokens, effects)
      return {
        subject: subjectOf(subject),
        profile: profile(claims, kept),
        tokens: kept,
        claims,
      }
    },

    async refresh(refreshToken, effects) {
      return refreshTokens(await meet(effects), refreshToken)
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
