import type { Grant, GrantChanges } from '@latchkey/core'
import { sha256 } from '@latchkey/core/capability'
import type { Service } from '@latchkey/core/capability'
import { AuthError } from '@latchkey/core/capability/options'
import { getGrantStorage, parseGrantData } from '../grant.ts'
import type { GrantData } from '../grant.ts'
import { CODE_LIFETIME } from '../tokens/code.ts'
import { parseDevice } from './device-data.ts'
import type { DeviceData } from './device-data.ts'

/** Seconds in which a code can be entered and approved. */
export const DEVICE_LIFETIME = 600
/** Seconds between two requests for tokens, and that each request before its time adds (RFC 8628 §3.5). */
export const INTERVAL = 5
/** Seconds for which a client is still told that its request has ended. */
export const TOLD_LIFETIME = 600

/** How often a grant may change while one request reads it: the client asks for tokens all the time. */
const MAX_TRIES = 5

/** A grant that a device has asked for. */
export interface DeviceRequest {
  readonly grant: Grant
  readonly data: GrantData
  readonly device: DeviceData
}

/** Returns the id of the grant of a device code: 132 bits of its hash, in the form of the other ids. */
export async function toDeviceId(deviceCode: string): Promise<string> {
  return (await sha256(deviceCode)).slice(0, 22)
}

/** Returns the request of a grant; undefined if no device has asked for it. */
export function toDeviceRequest(grant: Grant): DeviceRequest | undefined {
  const data = parseGrantData(grant.data)
  const device = parseDevice(data?.device)
  return data && device && { grant, data, device }
}

/** Returns whether a request has ended. Its client has as long as for a code to learn that it was approved. */
export function hasEnded({ grant, data }: DeviceRequest, now: number): boolean {
  const { approvedAt = -Infinity } = data
  return Math.max(grant.createdAt + DEVICE_LIFETIME, approvedAt + CODE_LIFETIME) <= now
}

/** Returns the data of a grant with other facts of its request. */
export function withDevice({ data }: DeviceRequest, device: DeviceData): string {
  return JSON.stringify({ ...data, device } satisfies GrantData)
}

/**
 * Changes a request as it is now.
 *
 * @param toChanges Returns undefined if it can no longer be changed so
 * @returns Whether it was changed
 *
 * @throws AuthError `Unavailable` if it changes all the time
 */
export async function changeRequest(
  { service, now }: { readonly service: Service; readonly now: number },
  id: string,
  toChanges: (request: DeviceRequest) => GrantChanges | undefined,
): Promise<boolean> {
  const storage = getGrantStorage(service)
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const found = await storage.getGrantAndUser(id, now)
    const request = found && toDeviceRequest(found.grant)
    const changes = request && toChanges(request)
    if (!request || !changes) return false
    const changed = { changedAt: now, ...changes }
    if (await storage.updateGrant(id, request.grant.version, changed)) return true
  }
  throw new AuthError('Unavailable', 'the device request changes too often')
}
