import type { Grant } from '@latchkey/core'
import type { GrantData } from '../grant.ts'
import type { Settings } from '../settings.ts'
import type { Client } from './client.ts'
import { getShownHost } from './redirect-uri.ts'

/**
 * Returns what users read as the name of a client. Anyone can choose the name of one that is not configured: its host stands
 * beside the name, and before one that looks like the name of a client of the configuration.
 */
export function getShownName(settings: Settings, client: Client): string {
  const { name, isOpen } = client
  if (!isOpen) return name
  const host = getOwnHost(client)
  return isAlike(settings, name) ? `${host} (${name})` : `${name} (${host})`
}

/** Of a part that is no longer there, only grants are left: their clients count as alike. */
function isAlike({ clients, clientMetadata, registration }: Settings, name: string): boolean {
  const { foldName } = clientMetadata ?? registration ?? {}
  if (!foldName) return true
  return [...clients.values()].some((each) => foldName(each.name) === foldName(name))
}

/** Returns the host of a client's document, or, if it has registered itself, everywhere it can lead: the first may be another's. */
function getOwnHost({ id, redirectUris }: Client): string {
  if (URL.canParse(id)) return getShownHost(id)
  return [...new Set(redirectUris.map(getShownHost))].join(', ')
}

/** Returns the name of the client of a grant; its id if nothing is known of it. */
export function getGrantName(
  settings: Settings,
  { clientId }: Grant,
  { client, clientName }: Pick<GrantData, 'client' | 'clientName'>,
): string {
  const held = settings.clients.get(clientId) ?? client
  return held ? getShownName(settings, held) : (clientName ?? clientId)
}

/**
 * Returns what an email calls a client: the name that the application has given it, or the host of its document, and nothing that
 * others choose.
 */
export function getReportedName(clientId: string, name: string | undefined): string {
  return name ?? (URL.canParse(clientId) ? getShownHost(clientId) : clientId)
}
