import { OAuthError } from '../oauth-error.ts'
import type { Client, GrantType } from '../clients/client.ts'
import { DEVICE_GRANT } from '../metadata.ts'
import type { ProgramReply } from '../parts.ts'
import type { Settings } from '../settings.ts'
import { authenticateClient } from './authenticate-client.ts'
import type { Endpoint, ProgramContext } from './program.ts'
import { redeemCode } from './redeem-code.ts'
import { redeemRefreshToken } from './redeem-refresh-token.ts'

/** Answers a token request of an authenticated client. */
type Redeem = (
  ctx: ProgramContext,
  client: Client,
  parameters: ReadonlyMap<string, string>,
) => Promise<ProgramReply>

const grantTypes = {
  authorization_code: ['authorization_code', redeemCode],
  refresh_token: ['refresh_token', redeemRefreshToken],
} as const satisfies Readonly<Record<string, readonly [GrantType, Redeem]>>

function findGrantType(
  { device }: Settings,
  value: string,
): readonly [GrantType, Redeem] | undefined {
  if (value === DEVICE_GRANT) return device && ['device', device.redeem]
  return isGrantType(value) ? grantTypes[value] : undefined
}

function isGrantType(value: string): value is keyof typeof grantTypes {
  return Object.hasOwn(grantTypes, value)
}

/** The token endpoint (RFC 6749 §3.2). */
export const answerToken: Endpoint = async (ctx, parameters) => {
  const grantType = parameters.get('grant_type')
  if (grantType === undefined) throw new OAuthError('invalid_request', 'grant_type is missing')
  const client = await authenticateClient(ctx, parameters)
  const found = findGrantType(ctx.server.settings, grantType)
  if (!found) {
    throw new OAuthError('unsupported_grant_type', 'the grant type is not supported')
  }
  const [grant, redeem] = found
  if (!client.grants.includes(grant)) {
    throw new OAuthError('unauthorized_client', 'the client may not use this grant type')
  }
  return redeem(ctx, client, parameters)
}
