import type { Clock } from '@latchkey/core'
import * as oauth from 'oauth4webapi'
import { createDeadline, startTimer } from './native-clock.ts'
import type { Deadline } from './native-clock.ts'
import { NativeError } from './native-error.ts'
import { isLocal, isServerUrl } from './native-options.ts'
import type { NativeConfig } from './native-options.ts'
import { getEndpoint } from './native-server.ts'
import type { Server } from './native-server.ts'
import { toResource } from './native-tokens.ts'

/** What a device shows to its user (RFC 8628 §3.3). */
export interface DevicePrompt {
  /** The code that the user enters, such as `WDJB-MJHT`. */
  readonly userCode: string
  /** The page at which the user enters it. */
  readonly verificationUri: string
  /** The same page with the code in it, for a QR code; undefined if the server has none. */
  readonly verificationUriComplete: string | undefined
  /** Seconds for which the code can be entered. */
  readonly expiresIn: number
}

/** The options of `NativeClient.signInByDevice`. */
export interface DeviceSignInOptions {
  /** Shows the code and the URL. */
  readonly show: (prompt: DevicePrompt) => void | Promise<void>
  /** Ends the sign-in with the code `cancelled`. */
  readonly signal?: AbortSignal
}

/** Signs in by another device, whose browser the user enters a code in (RFC 8628). */
export async function signInByDevice(
  config: NativeConfig,
  server: Server,
  { show, signal }: DeviceSignInOptions,
): Promise<oauth.TokenEndpointResponse> {
  const as = await server.discover()
  getEndpoint(as, 'device_authorization_endpoint')
  const device = await requestDeviceCode(config, server, as, signal)
  const { expires_in: lifetime } = device
  const deadline = createDeadline(config.clock, lifetime * 1000, signal, (cause) =>
    cause === 'caller'
      ? new NativeError('cancelled', 'the sign-in was cancelled')
      : new NativeError('expired', `the user did not enter the code in ${lifetime} seconds`),
  )
  try {
    await show(toPrompt(as, device))
    return await poll(config, server, as, device, deadline)
  } finally {
    deadline.stop()
  }
}

function requestDeviceCode(
  { scope, resource }: NativeConfig,
  { client, request }: Server,
  as: oauth.AuthorizationServer,
  signal: AbortSignal | undefined,
): Promise<oauth.DeviceAuthorizationResponse> {
  const parameters = { ...toResource(resource), ...(scope !== undefined && { scope }) }
  return request(
    'device authorization endpoint',
    async (options) => {
      const none = oauth.None()
      const response = await oauth.deviceAuthorizationRequest(as, client, none, parameters, options)
      return oauth.processDeviceAuthorizationResponse(as, client, response)
    },
    signal,
  )
}

function toPrompt(
  { issuer }: oauth.AuthorizationServer,
  device: oauth.DeviceAuthorizationResponse,
): DevicePrompt {
  const { verification_uri: uri, verification_uri_complete: complete } = device
  for (const url of complete === undefined ? [uri] : [uri, complete]) {
    if (isServerUrl(url, isLocal(issuer))) continue
    throw new NativeError('refused', `expected an https URL as verification_uri of ${issuer}`)
  }
  return {
    userCode: device.user_code,
    verificationUri: uri,
    verificationUriComplete: complete,
    expiresIn: device.expires_in,
  }
}

/** RFC 8628 §3.5 */
async function poll(
  { clock, resource }: NativeConfig,
  { client, request }: Server,
  as: oauth.AuthorizationServer,
  { device_code: code, interval: first = 5 }: oauth.DeviceAuthorizationResponse,
  { signal, aborted }: Deadline,
): Promise<oauth.TokenEndpointResponse> {
  for (let interval = first; ;) {
    await wait(clock, interval * 1000, aborted)
    try {
      return await request(
        'token endpoint',
        async (options) => {
          const additionalParameters = toResource(resource)
          const response = await oauth.deviceCodeGrantRequest(as, client, oauth.None(), code, {
            ...options,
            additionalParameters,
          })
          return oauth.processDeviceCodeResponse(as, client, response)
        },
        signal,
      )
    } catch (thrown) {
      // It says why.
      if (signal.aborted) return aborted
      interval = getNextInterval(interval, thrown)
    }
  }
}

/** Returns seconds. @throws What ends the sign-in */
function getNextInterval(interval: number, thrown: unknown): number {
  if (!(thrown instanceof NativeError)) throw thrown
  if (thrown.error === 'authorization_pending') return interval
  if (thrown.error === 'slow_down') return interval + 5
  // A server that does not respond is asked less and less.
  if (thrown.code === 'unavailable') return interval * 2
  throw thrown
}

function wait(clock: Clock, milliseconds: number, aborted: Promise<never>): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = startTimer(clock, milliseconds, resolve)
    aborted.catch((error: Error) => {
      cancel()
      reject(error)
    })
  })
}
