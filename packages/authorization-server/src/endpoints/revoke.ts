import { OAuthError } from '../oauth-error.ts'
import { authenticateClient } from './authenticate-client.ts'
import { endGrant } from './end-grant.ts'
import { findGrantOfToken } from './find-grant-of-token.ts'
import type { Endpoint } from './program.ts'

/**
 * The revocation endpoint (RFC 7009). A refresh token ends its grant; an access token lives on for its minutes. Tokens of other
 * clients, and unknown ones, are answered alike (§2.2).
 */
export const answerRevocation: Endpoint = async (ctx, parameters) => {
  const text = parameters.get('token')
  const client = await authenticateClient(ctx, parameters)
  if (text === undefined) throw new OAuthError('invalid_request', 'token is missing')
  const found = await findGrantOfToken(ctx, client, text)
  // A token of another time line says nothing about this grant.
  if (found && found.worth !== 'other') await endGrant(ctx, found.living)
  return { status: 200 }
}
