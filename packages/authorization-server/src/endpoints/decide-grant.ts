import { callDecision } from '@latchkey/core/capability'
import { AuthError, isList } from '@latchkey/core/capability/options'
import type { Client } from '../clients/client.ts'
import { toLogoutRows } from '../events.ts'
import type { LivingGrant } from '../grant.ts'
import { OAuthError } from '../oauth-error.ts'
import { endGrant } from './end-grant.ts'
import type { ProgramContext } from './program.ts'

/**
 * Returns the scopes that the application leaves to an access token, before anything is used up. If it refuses, the grant ends.
 *
 * @throws OAuthError `invalid_grant`
 * @throws AuthError `Callback` if the option `grant` throws, or returns something else
 */
export async function decideGrant(
  ctx: ProgramContext,
  { id, name }: Client,
  { grant, data, user }: LivingGrant,
  scopes: readonly string[],
): Promise<readonly string[]> {
  const isFirst = data.redeemedAt === undefined
  const asked = { client: { id, name }, user, resource: grant.resource, scopes, isFirst }
  const answer: unknown = await callDecision('authorizationServer.grant', () =>
    ctx.server.settings.grant(asked),
  )
  if (answer !== false && !isList(answer)) {
    throw new AuthError('Callback', 'authorizationServer.grant must return scopes or false')
  }
  const left = answer === false ? [] : scopes.filter((scope) => answer.includes(scope))
  if (left.length > 0) return left
  await endGrant(ctx, { grant, data }, toLogoutRows(ctx, [{ grant, data }]))
  throw new OAuthError('invalid_grant', 'the application has refused the grant')
}
