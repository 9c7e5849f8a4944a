import type { Limit } from '@latchkey/core'
import { checkOwnOrigin } from '@latchkey/core/capability'
import {
  ConfigurationError,
  checkKnownNames,
  createOwnLimits,
  isSecureUrl,
} from '@latchkey/core/capability/options'
import { postDevice, showDevice, showDeviceAgain } from './device/approve.ts'
import { USER_CODE } from './device/pages.ts'
import { answerDeviceRequest } from './endpoints/device-code.ts'
import { redeemDeviceCode } from './endpoints/redeem-device-code.ts'
import type { DeviceFlow } from './parts.ts'

/** The limits of {@link deviceFlow}. */
export interface DeviceFlowLimits {
  /** Device codes asked for from one IP address. Default: 60 in 600 seconds */
  readonly deviceRequestsPerClient?: Limit | false
  /** Wrong user codes typed in one session. Default: 5 in 3600 seconds */
  readonly wrongCodesPerSession?: Limit | false
  /** Wrong user codes typed from one IP address. Default: 20 in 3600 seconds */
  readonly wrongCodesPerClient?: Limit | false
  /** Wrong user codes typed by all together. Default: 1000 in 3600 seconds */
  readonly wrongCodesInAll?: Limit | false
}

/** The options of {@link deviceFlow}. */
export interface DeviceFlowOptions {
  /**
   * A short https URL for users to type, which the application redirects to the page `/device`, with its query. Default: the page
   */
  readonly verificationUri?: string
  /** How often codes may be asked for, and typed wrong; `false` turns a limit off. */
  readonly limits?: DeviceFlowLimits
}

const OPTION = 'deviceFlow'
const defaultLimits = {
  deviceRequestsPerClient: { times: 60, window: 600 },
  wrongCodesPerSession: { times: 5, window: 3600 },
  wrongCodesPerClient: { times: 20, window: 3600 },
  wrongCodesInAll: { times: 1000, window: 3600 },
}

/**
 * Lets clients with the grant `device` get tokens by a code that a user enters at the page `/device` (RFC 8628): the option `device`,
 * for command lines and televisions.
 *
 * @example
 *   import { authorizationServer, deviceFlow } from '@latchkey/authorization-server'
 *
 *   const server = authorizationServer({
 *     resources: { 'https://api.example.com/notes': { scopes: { read: { en: 'Read your notes' } } } },
 *     clients: [
 *       { id: 'tool', name: 'Tool', redirectUris: [], grants: ['device'], deviceScopes: ['read'] },
 *     ],
 *     device: deviceFlow(),
 *   })
 *
 * @throws ConfigurationError `deviceFlow.…`
 */
export function deviceFlow(options: DeviceFlowOptions = {}): DeviceFlow {
  checkKnownNames(OPTION, options, ['verificationUri', 'limits'])
  const { verificationUri } = options
  checkVerificationUri(verificationUri)
  const limits = createOwnLimits(`${OPTION}.limits`, defaultLimits, options.limits)
  return {
    fields: [USER_CODE],
    routes: [
      { method: 'GET', path: '/device', action: showDevice },
      {
        method: 'POST',
        path: '/device',
        // A page of trustedOrigins must not approve for the user.
        gates: [async (ctx) => checkOwnOrigin(ctx, 'device')],
        action: (ctx, input) => postDevice(ctx, input, limits),
        onError: { show: showDeviceAgain },
      },
    ],
    authorize: (ctx, client, parameters) =>
      answerDeviceRequest(ctx, client, parameters, {
        verificationUri: verificationUri ?? `${ctx.issuer}/device`,
        limit: limits.deviceRequestsPerClient,
      }),
    redeem: redeemDeviceCode,
  }
}

function checkVerificationUri(uri: string | undefined): void {
  const url = uri === undefined ? undefined : URL.parse(uri)
  if (uri === undefined || (url && isSecureUrl(url) && !/[?#\s]/.test(uri))) return
  const problem = 'must be an https URL without a query and a fragment'
  throw new ConfigurationError(`${OPTION}.verificationUri`, problem)
}
