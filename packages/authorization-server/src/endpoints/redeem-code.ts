import type { Client } from '../clients/client.ts'
import { findLivingGrant, isGrantOf } from '../grant.ts'
import type { LivingGrant } from '../grant.ts'
import { OAuthError } from '../oauth-error.ts'
import type { ProgramReply } from '../parts.ts'
import { CODE_LIFETIME, parseCode } from '../tokens/code.ts'
import { isVerifierOf } from '../tokens/pkce.ts'
import { endIfRepeated, issueFirstTokens } from './first-tokens.ts'
import type { ProgramContext } from './program.ts'
import { checkResource } from './tokens.ts'

/**
 * Exchanges a code for tokens, once (RFC 6749 §4.1.3). Everything is checked before the code is used, so that a wrong request
 * uses up nothing.
 */
export async function redeemCode(
  ctx: ProgramContext,
  client: Client,
  parameters: ReadonlyMap<string, string>,
): Promise<ProgramReply> {
  const living = await findGrantOfCode(ctx, client, parameters)
  checkResource(ctx, living.grant, parameters)
  const { grant, data } = living
  // Who has the verifier has the code from the client itself, or from its device.
  if (data.redeemedAt !== undefined) {
    await endIfRepeated(ctx, living)
    throw invalidCode()
  }
  if (grant.createdAt + CODE_LIFETIME <= ctx.now) throw invalidCode()
  const reply = await issueFirstTokens(ctx, client, living)
  if (!reply) throw invalidCode()
  return reply
}

async function findGrantOfCode(
  ctx: ProgramContext,
  client: Client,
  parameters: ReadonlyMap<string, string>,
): Promise<LivingGrant> {
  const code = parameters.get('code')
  const verifier = parameters.get('code_verifier')
  if (code === undefined) throw new OAuthError('invalid_request', 'code is missing')
  if (verifier === undefined) throw new OAuthError('invalid_request', 'code_verifier is missing')
  const id = await parseCode(ctx.server.mac, code)
  const living = id === undefined ? undefined : await findLivingGrant(ctx, id)
  if (!living || !isGrantOf(living, client)) throw invalidCode()
  const { redirectUri, namesUri, challenge } = living.data
  const given = parameters.get('redirect_uri')
  if (given === undefined ? namesUri : given !== redirectUri) throw invalidCode()
  if (!(await isVerifierOf(challenge, verifier))) throw invalidCode()
  return living
}

function invalidCode(): OAuthError {
  return new OAuthError('invalid_grant', 'the code is not valid for this request')
}
