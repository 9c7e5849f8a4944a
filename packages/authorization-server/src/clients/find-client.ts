import type { Context } from '@latchkey/core/capability'
import type { PartContext } from '../parts.ts'
import type { Server } from '../server.ts'
import type { Settings } from '../settings.ts'
import type { Client } from './client.ts'

/**
 * Returns the client of an authorization request. Only here a metadata document is fetched.
 *
 * @param isKept Whether the request waits in this browser: its document was counted. Default: false
 */
export async function findClient(
  ctx: Context,
  { settings }: Server,
  id: string,
  isKept: boolean = false,
): Promise<Client | undefined> {
  const { clientMetadata, assertions } = settings
  const known = await findOwn(ctx, settings, id)
  return known ?? (await clientMetadata?.find(ctx, id, assertions !== undefined, isKept))
}

/** Returns the client of a request of a program. Nothing is fetched. */
export async function findClientOfToken(
  ctx: PartContext & { readonly server: Server },
  id: string,
  parameters: ReadonlyMap<string, string>,
): Promise<Client | undefined> {
  const { settings } = ctx.server
  const known = await findOwn(ctx, settings, id)
  return known ?? (await settings.clientMetadata?.findOfToken(ctx, id, parameters))
}

/** Returns a client that the service itself keeps. */
export async function findOwn(
  ctx: Pick<PartContext, 'service' | 'now'>,
  { clients, storedClients, registration }: Settings,
  id: string,
): Promise<Client | undefined> {
  const known = clients.get(id) ?? (await storedClients?.find(ctx, id))
  return known ?? (await registration?.find(ctx, id))
}
