import { limitClient } from '@latchkey/core/capability'
import type { OwnLimit } from '@latchkey/core/capability'
import { AuthError } from '@latchkey/core/capability/options'
import { describeBrowser } from '@latchkey/core/capability/pages'
import { readAccess } from '../browser/request.ts'
import type { Client } from '../clients/client.ts'
import { DEVICE_LIFETIME, INTERVAL, TOLD_LIFETIME, toDeviceId } from '../device/device-request.ts'
import { createUserCode, formatUserCode, toUserCodeKey } from '../device/user-code.ts'
import { getGrantStorage } from '../grant.ts'
import type { GrantData } from '../grant.ts'
import { OAuthError } from '../oauth-error.ts'
import type { PartContext } from '../parts.ts'
import { getServer } from '../server.ts'

/** Codes that may be in use already: 20^8 are possible. */
const MAX_TRIES = 5
/** Characters of an IP address that are kept. */
const MAX_IP = 64

/** What is configured of the device authorization endpoint. */
interface DeviceEndpoint {
  readonly verificationUri: string
  readonly limit: OwnLimit
}

/** The device authorization endpoint (RFC 8628 §3.1), for an authenticated client. */
export async function answerDeviceRequest(
  ctx: PartContext,
  client: Client,
  parameters: ReadonlyMap<string, string>,
  { verificationUri, limit }: DeviceEndpoint,
): Promise<object> {
  if (!client.grants.includes('device')) {
    throw new OAuthError('unauthorized_client', 'the client may not use this grant type')
  }
  const { settings } = getServer(ctx.service)
  const { origin } = new URL(ctx.issuer)
  const access = readAccess(settings, parameters, origin, client.deviceScopes)
  await limitClient(ctx, limit)
  const deviceCode = ctx.server.random(32)
  const userCode = await createRequest(ctx, client, { ...access, deviceCode })
  return {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: verificationUri,
    verification_uri_complete: `${verificationUri}?user_code=${userCode}`,
    expires_in: DEVICE_LIFETIME,
    interval: INTERVAL,
  }
}

/** What a device asks for. */
interface Asked {
  readonly resource: string
  readonly scopes: readonly string[]
  readonly deviceCode: string
}

/** Stores a request, and returns the code that its user enters. */
async function createRequest(
  { service, server, options, userAgent, now }: PartContext,
  { id: clientId, name: clientName }: Client,
  { resource, scopes, deviceCode }: Asked,
): Promise<string> {
  const ip = options.clientIp?.()?.slice(0, MAX_IP)
  const device = { interval: INTERVAL, ip, browser: describeBrowser(userAgent) }
  const nowhere = { redirectUri: '', namesUri: false, challenge: '' }
  const data: GrantData = { ...nowhere, asked: scopes, advances: [], clientName, device }
  const grant = {
    id: await toDeviceId(deviceCode),
    userId: null,
    clientId,
    resource,
    scopes,
    authenticatedAt: null,
    methods: [],
    counter: 0,
    createdAt: now,
    changedAt: now,
    expires: now + DEVICE_LIFETIME + TOLD_LIFETIME,
    data: JSON.stringify(data),
  }
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const code = createUserCode((bytes) => service.runtime.random(bytes))
    const key = await toUserCodeKey(server.mac, code)
    if (await getGrantStorage(service).createGrant({ ...grant, key })) return formatUserCode(code)
  }
  throw new AuthError('Unavailable', 'no code is free')
}
