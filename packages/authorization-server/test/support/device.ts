import { deviceFlow } from '@latchkey/authorization-server'
import type { AuthorizationServerOptions, ClientOptions } from '@latchkey/authorization-server'
import type { Browser } from '@latchkey/testing/browser'
import { readForm } from './server.ts'
import type { TestServer } from './server.ts'

/** A command line that gets tokens by a code. */
export const tool: ClientOptions = {
  id: 'tool',
  name: 'Notes <tool>',
  redirectUris: [],
  grants: ['device', 'refresh_token'],
  deviceScopes: ['notes:read', 'notes:write'],
}

export const withDevice: Partial<AuthorizationServerOptions> = {
  device: deviceFlow(),
  clients: [tool],
}

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

/** What a device is given. */
export interface DeviceCodes {
  readonly device_code: string
  readonly user_code: string
  readonly verification_uri: string
  readonly verification_uri_complete: string
  readonly expires_in: number
  readonly interval: number
}

/** Asks for a code. */
export async function askForCode(
  { post }: Pick<TestServer, 'post'>,
  over: Readonly<Record<string, string>> = {},
  headers: Record<string, string> = {},
): Promise<DeviceCodes> {
  const response = await post('/oauth/device-code', { client_id: tool.id, ...over }, headers)
  const body: unknown = await response.json()
  if (response.status !== 200) throw new Error(`${response.status}: ${JSON.stringify(body)}`)
  return body as DeviceCodes
}

/** Asks for the tokens of a device code. */
export function poll(
  { post }: Pick<TestServer, 'post'>,
  code: string,
  over: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const fields = { grant_type: deviceGrant, client_id: tool.id, device_code: code, ...over }
  return post('/oauth/token', fields)
}

/** Posts a code that the user types. */
export function enter(browser: Browser, code: string): Promise<Response> {
  return browser.submit('/device', { user_code: code })
}

/** Enters a code, and answers the page that asks. */
export async function approve(
  browser: Browser,
  code: string,
  over: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const asked = await enter(browser, code)
  if (asked.status !== 200) throw new Error(`${asked.status}: ${await asked.text()}`)
  return browser.post('/device', { ...(await readForm(asked)), decision: 'allow', ...over })
}
