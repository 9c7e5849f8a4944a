import type { Grant } from '@latchkey/core'
import { toAuthenticationClaims } from '../acr.ts'
import type { Client } from '../clients/client.ts'
import { getBeginning, isLasting } from '../grant.ts'
import type { LivingGrant, UsedGrant } from '../grant.ts'
import { USERINFO } from '../metadata.ts'
import { OAuthError } from '../oauth-error.ts'
import type { ProgramReply } from '../parts.ts'
import { findResource, isSameResource } from '../settings.ts'
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
 * Checks that the token request names the resource of the grant, or none (RFC 8707 §2.2), and that the server still has it.
 *
 * @throws OAuthError `invalid_target`, or `invalid_grant` if it is no longer one of the server's
 */
export function checkResource(
  { server: { settings }, issuer }: ProgramContext,
  { resource }: Grant,
  parameters: ReadonlyMap<string, string>,
): void {
  const userinfo = settings.openid && new URL(issuer).origin + settings.prefix + USERINFO
  if (resource !== userinfo && !findResource(settings.resources, resource)) {
    throw new OAuthError('invalid_grant', 'the resource is no longer one of this server')
  }
  if (isSameResource(parameters.get('resource') ?? resource, resource)) return
  throw new OAuthError('invalid_target', 'the resource differs from the one that was granted')
}

/** Returns when a grant ends that is used now. */
export function getExpiry({ server, now }: ProgramContext, used: UsedGrant): number {
  const { idle, maxAge } = server.settings
  return Math.min(now + idle, getBeginning(used) + maxAge)
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
