import { findLivingGrant } from '../grant.ts'
import type { PartContext } from '../parts.ts'
import { parseCode } from '../tokens/code.ts'
import { parseRefreshToken } from '../tokens/refresh-token.ts'
import type { Client } from './client.ts'

/**
 * Returns the client of a request of a program that is known by its document: it is in the grant of the token that the request has,
 * so nothing is fetched. If that grant has ended, the client learns it by `invalid_grant`, and begins again.
 */
export async function findDocumented(
  ctx: PartContext,
  id: string,
  parameters: ReadonlyMap<string, string>,
): Promise<Client> {
  const grantId = await readGrantId(ctx, parameters)
  const living = grantId === undefined ? undefined : await findLivingGrant(ctx, grantId)
  return (living?.grant.clientId === id ? living.data.client : undefined) ?? toUnknown(id)
}

/** A client of which nothing is known here: no grant is its own, because each has its client (`isGrantOf`). */
function toUnknown(id: string): Client {
  const nothing = { name: '', redirectUris: [], secrets: [], jwks: undefined }
  const grants = ['authorization_code', 'refresh_token'] as const
  return { id, ...nothing, grants, method: 'none', isOpen: true }
}

/** The grant that the request redeems also says how its client authenticates: of two tokens, one could stand for the other. */
async function readGrantId(
  { server }: PartContext,
  parameters: ReadonlyMap<string, string>,
): Promise<string | undefined> {
  const names = ['code', 'refresh_token', 'token'].filter((name) => parameters.has(name))
  const [name = ''] = names
  const text = parameters.get(name)
  if (text === undefined || names.length > 1) return undefined
  if (name === 'code') return parseCode(server.mac, text)
  return (await parseRefreshToken(server.mac, text))?.grantId
}
