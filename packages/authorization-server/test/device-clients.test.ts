import { createNativeClient } from '@latchkey/client/native'
import { createTestClock } from '@latchkey/testing'
import type { Browser } from '@latchkey/testing/browser'
import * as oauth from 'oauth4webapi'
import { expect, test } from 'vitest'
import { approve, poll, tool, withDevice } from './support/device.ts'
import { browseAs, issuer, origin, readError, serve } from './support/server.ts'
import type { TestServer } from './support/server.ts'

/** A request without a body may say so. */
type Init = Omit<RequestInit, 'body'> & { readonly body?: BodyInit | null | undefined }

/** Sends the requests of a client to a server. */
const sendTo =
  ({ send }: TestServer) =>
  (url: string, { body = null, ...init }: Init): Promise<Response> =>
    send(url.slice(origin.length), { ...init, body })

/** Signs a command line in; the user acts before its second request for tokens. */
async function signInByDevice(
  server: TestServer,
  act: (browser: Browser, userCode: string) => Promise<unknown>,
): Promise<readonly (string | undefined)[]> {
  const clock = createTestClock()
  const browser = await browseAs(server)
  const send = sendTo(server)
  let [userCode, text, turn] = ['', '', 0]
  const native = createNativeClient({
    issuer,
    clientId: tool.id,
    tokens: {
      get: async () => text,
      set: async (tokens) => void (text = tokens),
      delete: async () => void (text = ''),
    },
    clock: {
      ...clock.runtime,
      schedule: (milliseconds, callback) =>
        clock.runtime.schedule(milliseconds, () => {
          server.wait(milliseconds / 1000)
          callback()
        }),
    },
    async fetch(url, init) {
      if (url.endsWith('/token') && ++turn === 2) await act(browser, userCode)
      return send(url, init)
    },
  })
  await clock.settle(native.signInByDevice({ show: (shown) => void (userCode = shown.userCode) }))
  return [await native.getAccessToken(), text]
}

test('a command line of @latchkey/client signs in by a device code (I-68, I-71.5)', async () => {
  const server = serve({ server: withDevice })
  const [token = '', kept] = await signInByDevice(server, approve)
  const [, payload = ''] = token.split('.')
  expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
    client_id: 'tool',
  })
  expect(kept).toContain('refreshToken')
  const denied = signInByDevice(serve({ server: withDevice }), (browser, userCode) =>
    approve(browser, userCode, { decision: 'deny' }),
  )
  await expect(denied).rejects.toMatchObject({ error: 'access_denied' })
})

test('oauth4webapi understands every answer (I-68)', async () => {
  const server = serve({ server: withDevice })
  const options = { [oauth.customFetch]: sendTo(server) }
  const discovered = await oauth.discoveryRequest(new URL(issuer), {
    ...options,
    algorithm: 'oauth2',
  })
  const as = await oauth.processDiscoveryResponse(new URL(issuer), discovered)
  const client = { client_id: tool.id }
  const none = oauth.None()
  const scope = 'notes:read'
  const asked = await oauth.deviceAuthorizationRequest(as, client, none, { scope }, options)
  const device = await oauth.processDeviceAuthorizationResponse(as, client, asked)
  expect(device).toMatchObject({ expires_in: 600, interval: 5 })
  const redeem = async (): Promise<oauth.TokenEndpointResponse> => {
    const { device_code: code } = device
    const reply = await oauth.deviceCodeGrantRequest(as, client, none, code, options)
    return oauth.processDeviceCodeResponse(as, client, reply)
  }
  await expect(redeem()).rejects.toMatchObject({ error: 'authorization_pending' })
  await expect(redeem()).rejects.toMatchObject({ error: 'slow_down' })
  await approve(await browseAs(server), device.user_code)
  expect(await redeem()).toMatchObject({ scope, token_type: 'bearer' })
  await expect(redeem()).rejects.toMatchObject({ error: 'invalid_grant' })
  expect(await readError(await poll(server, device.device_code))).toEqual([400, 'invalid_grant'])
})
