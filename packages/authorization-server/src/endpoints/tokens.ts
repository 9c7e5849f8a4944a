import type { Grant } from '@latchkey/core'
import { toAuthenticationClaims } from '../acr.ts'
import type { Client } from '../clients/client.ts'
import { isLasting } from '../grant.ts'
import type { LivingGrant } from '../grant.ts'
import { OAuthError } from '../oauth-error.ts'
import type { ProgramReply } from '../parts.ts'
import { isSameResource } from '../settings.ts'
import type { Advances } from '../tokens/advance.ts'
import { formatRefreshToken } from '../tokens/refresh-token.ts'
import type { ProgramContext } from './program.ts'

/** An access token, and what the reply says of it. */
export interface AccessToken {
  readonly text: string
  readonly idToken?: string | undefined
  readonly scopes: readonly string[]
  /** Seconds. */
  readonly lifetime: number
}

/**
 * Checks that the token request names the resource of the grant, or none (RFC 8707 §2.2).
 *
 * @throws OAuthError `invalid_target`
 */
export function checkResource({ resource }: Grant, parameters: ReadonlyMap<string, string>): void {
  if (isSameResource(parameters.get('resource') ?? resource, resource)) return
  throw new OAuthError('invalid_target', 'the resource differs from the one that was granted')
}

/** Returns when a grant ends that is used now. */
export function getExpiry({ server, now }: ProgramContext, { createdAt }: Grant): number {
  const { idle, maxAge } = server.settings
  return Math.min(now + idle, createdAt + maxAge)
}

/** Creates an access token of a grant (RFC 9068 §2.2), and the ID Token that comes with it. */
export async function createAccessToken(
  ctx: ProgramContext,
  client: Client,
  living: LivingGrant,
  scopes: readonly string[],
): Promise<AccessToken> {
  const { server, issuer, now } = ctx
  const { grant, user } = living
  const { resource } = grant
  const openid = scopes.includes('openid') ? server.settings.openid : undefined
  const lifetime = server.settings.accessTokenMaxAge
  const claims = {
    iss: issuer,
    sub: user.id,
    aud: resource,
    iat: now,
    exp: now + lifetime,
    jti: server.random(16),
    client_id: client.id,
    scope: scopes.join(' '),
    ...toAuthenticationClaims(server.settings.acr, grant),
    ...(await openid?.toAccessClaims(ctx, client, living)),
  }
  const text = await server.signer.sign(claims, 'at+jwt')
  return { text, idToken: await openid?.createIdToken(ctx, client, living, text), scopes, lifetime }
}

/** Returns the reply of the token endpoint (RFC 6749 §5.1). */
export async function toTokenReply(
  { server }: ProgramContext,
  client: Client,
  grant: Grant,
  tokens: AccessToken & Advances,
): Promise<ProgramReply> {
  const { text, idToken, scopes, lifetime, counter, advances } = tokens
  const mark = advances[0]?.[0] ?? ''
  const body = {
    access_token: text,
    token_type: 'Bearer',
    expires_in: lifetime,
    scope: scopes.join(' '),
    id_token: idToken,
    ...(isLasting(client, grant.scopes) && {
      refresh_token: await formatRefreshToken(server.mac, { grantId: grant.id, counter, mark }),
    }),
  }
  return { status: 200, body }
}
