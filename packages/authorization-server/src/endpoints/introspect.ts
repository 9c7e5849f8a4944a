import type { Client } from '../clients/client.ts'
import { OAuthError } from '../oauth-error.ts'
import type { Introspection, PartContext } from '../parts.ts'
import { getServer } from '../server.ts'
import { isSameResource } from '../settings.ts'
import { verifyOwn } from '../tokens/verify-own.ts'
import { findGrantOfToken } from './find-grant-of-token.ts'

/**
 * Adds the introspection endpoint (RFC 7662): the option `introspection`. It tells an authenticated client about its own tokens, and
 * one with `introspects` about the access tokens for this resource.
 *
 * @example
 *   import { authorizationServer, introspection } from '@latchkey/authorization-server'
 *
 *   const server = authorizationServer({
 *     resources: { 'https://api.example.com/notes': { scopes: { read: { en: 'Read your notes' } } } },
 *     introspection: introspection(),
 *   })
 */
export function introspection(): Introspection {
  return {
    async introspect(ctx, client, parameters) {
      const token = parameters.get('token')
      if (client.method === 'none') throw needsAuthentication()
      if (token === undefined) throw new OAuthError('invalid_request', 'token is missing')
      const facts =
        (await introspectRefreshToken(ctx, client, token)) ??
        (await introspectAccessToken(ctx, client, token))
      return facts ?? { active: false }
    },
  }
}

function needsAuthentication(): OAuthError {
  return new OAuthError('invalid_client', 'introspection needs an authentication', { status: 401 })
}

async function introspectRefreshToken(
  ctx: PartContext,
  client: Client,
  text: string,
): Promise<object | undefined> {
  const found = await findGrantOfToken(ctx, client, text)
  if (found?.worth !== 'current') return undefined
  const { living } = found
  const { clientId: client_id, scopes, resource: aud, expires: exp } = living.grant
  const own = await getServer(ctx.service).settings.openid?.toAccessClaims(ctx, client, living)
  const sub = own?.sub ?? living.user.id
  return { active: true, client_id, sub, aud, exp, scope: scopes.join(' ') }
}

async function introspectAccessToken(
  ctx: PartContext,
  client: Client,
  text: string,
): Promise<object | undefined> {
  const payload = await verifyOwn(ctx, text, 'at+jwt')
  const { introspects } = client
  const isForIt = introspects !== undefined && isSameResource(String(payload?.['aud']), introspects)
  if (!payload || !(isForIt || payload['client_id'] === client.id)) return undefined
  return { active: true, token_type: 'Bearer', ...payload }
}
