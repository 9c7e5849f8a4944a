import { AuthError } from '@latchkey/core/capability/options'
import type { Client } from '../clients/client.ts'
import {
  INTERVAL,
  hasEnded,
  toDeviceId,
  toDeviceRequest,
  withDevice,
} from '../device/device-request.ts'
import type { DeviceRequest } from '../device/device-request.ts'
import { findLivingGrant, getGrantStorage } from '../grant.ts'
import { OAuthError } from '../oauth-error.ts'
import type { PartContext, ProgramReply } from '../parts.ts'
import { getServer } from '../server.ts'
import { endIfRepeated, issueFirstTokens } from './first-tokens.ts'
import type { ProgramContext } from './program.ts'
import { checkResource } from './tokens.ts'

/** How often a grant may change while one request reads it. */
const MAX_TRIES = 5
/** Seconds by which a request may be early: times are whole seconds, and timers are not exact. */
const TOLERANCE = 1

/** Exchanges a device code for tokens, once, after its user has approved it (RFC 8628 §3.4). */
export async function redeemDeviceCode(
  part: PartContext,
  client: Client,
  parameters: ReadonlyMap<string, string>,
): Promise<ProgramReply> {
  const code = parameters.get('device_code')
  if (code === undefined) throw new OAuthError('invalid_request', 'device_code is missing')
  const id = await toDeviceId(code)
  const ctx = { ...part, server: getServer(part.service) }
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const request = await findRequest(ctx, client, id)
    checkResource(ctx, request.grant, parameters)
    const reply = await redeemOnce(ctx, client, request)
    if (reply) return reply
  }
  throw new AuthError('Unavailable', 'the device request changes too often')
}

async function findRequest(
  { service, now }: PartContext,
  client: Client,
  id: string,
): Promise<DeviceRequest> {
  const found = await getGrantStorage(service).getGrantAndUser(id, now)
  const request = found && toDeviceRequest(found.grant)
  if (request?.grant.clientId !== client.id) throw invalidCode()
  return request
}

/** Returns undefined if the grant has changed since it was read. */
async function redeemOnce(
  ctx: ProgramContext,
  client: Client,
  request: DeviceRequest,
): Promise<ProgramReply | undefined> {
  const { grant, data, device } = request
  if (device.isDenied) throw new OAuthError('access_denied', 'the request was denied')
  if (data.redeemedAt === undefined && hasEnded(request, ctx.now)) {
    throw new OAuthError('expired_token', 'the device code has ended')
  }
  if (grant.userId === null) return refuseWaiting(ctx, request)
  const living = await findLivingGrant(ctx, grant.id)
  if (!living) throw invalidCode()
  if (living.data.redeemedAt === undefined) return issueFirstTokens(ctx, client, living)
  await endIfRepeated(ctx, living)
  throw invalidCode()
}

/** RFC 8628 §3.5 */
async function refuseWaiting(ctx: PartContext, request: DeviceRequest): Promise<undefined> {
  const { grant, device } = request
  const { polledAt, interval } = device
  const isEarly = polledAt !== undefined && ctx.now - polledAt < interval - TOLERANCE
  const next = { ...device, polledAt: ctx.now, interval: interval + (isEarly ? INTERVAL : 0) }
  const isStored = await getGrantStorage(ctx.service).updateGrant(grant.id, grant.version, {
    changedAt: ctx.now,
    data: withDevice(request, next),
  })
  if (!isStored) return undefined
  if (isEarly) throw new OAuthError('slow_down', 'the device asks too often')
  throw new OAuthError('authorization_pending', 'the user has not decided yet')
}

function invalidCode(): OAuthError {
  return new OAuthError('invalid_grant', 'the device code is not valid for this request')
}
