import { generateKeyPairSync } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { listen } from '@latchkey/test-support/listen'
import { Provider } from 'oidc-provider'
import type { Configuration } from 'oidc-provider'
import { Browser } from '@latchkey/testing/browser'

/** A fault of the next requests: returns true if it has answered in place of the provider. */
type Fault = (request: IncomingMessage, response: ServerResponse) => boolean | void

/** An OpenID provider at a path of a loopback origin, at which users sign in and consent automatically. */
export interface AuthorizationServer {
  readonly issuer: string
  /** The user of the next sign-ins; undefined cancels. */
  account: string | undefined
  /** Every request since the last {@link AuthorizationServer.clearRequests}, as `POST /op/token`. */
  readonly requests: string[]
  readonly clearRequests: () => void
  readonly countRequests: (request: string) => number
  fault: Fault | undefined
  /** What a request waits for. */
  hold: ((request: IncomingMessage) => Promise<unknown> | undefined) | undefined
  /** Signs in with a new browser, and returns the URL outside of the server that it is redirected to. */
  readonly follow: (url: string) => Promise<string>
  /** Enters a user code with a new browser; `abort` refuses. */
  readonly enterCode: (
    verificationUri: string,
    userCode: string,
    choice?: 'confirm' | 'abort',
  ) => Promise<void>
  readonly stop: () => Promise<void>
}

export const clientId = 'my-tool'
export const api = 'https://api.example.com/'

/** Starts the server. Refresh tokens of public clients rotate, and a second use ends the grant, as by default. */
export async function startAuthorizationServer(
  overrides: Partial<Configuration> = {},
): Promise<AuthorizationServer> {
  const { origin, stop } = await listen((request, response) => void handle(request, response))
  const requests: string[] = []
  const self: AuthorizationServer = {
    issuer: `${origin}/op`,
    account: 'alice',
    requests,
    clearRequests: () => requests.splice(0),
    countRequests: (request) => requests.filter((made) => made === request).length,
    fault: undefined,
    hold: undefined,
    follow: (url) => followOut(origin, url),
    enterCode: (...how) => enterCode(origin, ...how),
    stop,
  }
  const provider = createProvider(self, overrides)
  const callback = provider.callback()
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url?.split('?')[0] ?? ''
    requests.push(`${request.method} ${path}`)
    if (self.fault?.(request, response) === true) return
    await self.hold?.(request)
    // RFC 8414 §3.1 inserts the path of the issuer, which the provider does not know.
    const inserted = '/.well-known/oauth-authorization-server'
    if (path === `${inserted}/op`) request.url = `/op${inserted}`
    Object.assign(request, { originalUrl: request.url })
    request.url = request.url?.replace(/^\/op/, '')
    if (!path.startsWith('/op/interaction/')) return callback(request, response)
    return interact(provider, self, request, response)
  }
  return self
}

function createProvider(
  { issuer }: AuthorizationServer,
  overrides: Partial<Configuration>,
): Provider {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwk = { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'a' }
  return new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        redirect_uris: ['http://127.0.0.1/callback', 'com.example.app:/callback'],
        grant_types: [
          'authorization_code',
          'refresh_token',
          'urn:ietf:params:oauth:grant-type:device_code',
        ],
        response_types: ['code'],
      },
    ],
    jwks: { keys: [jwk] as never },
    cookies: { keys: ['a key for the cookies of the provider'] },
    claims: { openid: ['sub'], profile: ['name'] },
    conformIdTokenClaims: false,
    findAccount: (_, sub) => ({
      accountId: sub,
      claims: async () => ({ sub, name: `Person ${sub}` }),
    }),
    interactions: { url: (_, interaction) => `${issuer}/interaction/${interaction.uid}` },
    features: {
      devInteractions: { enabled: false },
      deviceFlow: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => [],
        getResourceServerInfo: (_, resource) => ({
          scope: 'notes',
          audience: resource,
          accessTokenFormat: 'jwt',
        }),
      },
    },
    ttl: { Session: 600, Interaction: 600, Grant: 600, AccessToken: 600, DeviceCode: 600 },
    ...overrides,
  })
}

/** Signs the user in, consents to everything, or cancels. */
async function interact(
  provider: Provider,
  { account }: AuthorizationServer,
  ...[request, response]: Parameters<ReturnType<Provider['callback']>>
): Promise<void> {
  const { params, prompt } = await provider.interactionDetails(request, response)
  const { scope, resource } = params as { scope: string; resource?: string }
  const finish = (result: object, merge = false): Promise<void> =>
    provider.interactionFinished(request, response, result as never, {
      mergeWithLastSubmission: merge,
    })
  if (account === undefined) return finish({ error: 'access_denied' })
  if (prompt.name === 'login') return finish({ login: { accountId: account } })
  const grant = new provider.Grant({ accountId: account, clientId })
  grant.addOIDCScope(scope)
  if (resource !== undefined) grant.addResourceScope(resource, 'notes')
  return finish({ consent: { grantId: await grant.save() } }, true)
}

async function followOut(origin: string, url: string): Promise<string> {
  const browser = new Browser((request) => fetch(request), origin)
  const last = await browser.follow(await browser.visit(url), (next) => next.origin !== origin)
  const location = last.headers.get('location')
  if (location === null) throw new Error(await last.text())
  return location
}

async function enterCode(
  origin: string,
  verificationUri: string,
  userCode: string,
  choice: 'confirm' | 'abort' = 'confirm',
): Promise<void> {
  const browser = new Browser((request) => fetch(request), origin)
  const page = await (await browser.visit(verificationUri)).text()
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)?.[1] ?? ''
  const fields = { xsrf, user_code: userCode }
  const confirmation = await (await browser.post(verificationUri, fields)).text()
  if (!confirmation.includes('op.deviceConfirmForm')) throw new Error(confirmation)
  const posted = await browser.post(verificationUri, { ...fields, [choice]: 'yes' })
  await (await browser.follow(posted)).text()
}

/** Lets the provider process the request, and loses its reply. */
export function loseReply(request: IncomingMessage, response: ServerResponse): void {
  const end = response.end.bind(response)
  response.end = (() => {
    request.socket.destroy()
    return end
  }) as never
}

/** Answers in place of the provider. */
export function answer(response: ServerResponse, status: number, body: object): true {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  return true
}
