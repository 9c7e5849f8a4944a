/** Two authorization servers with the same clients and resources: this one, and oidc-provider. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { introspection, openId } from '@latchkey/authorization-server'
import type { ClientOptions } from '@latchkey/authorization-server'
import { Browser } from '@latchkey/testing/browser'
import { Provider, errors } from 'oidc-provider'
import type { Configuration } from 'oidc-provider'
import { browseAs, mail, notes, origin, serve } from './server.ts'

export const redirectUri = 'https://client.example/cb'
export const secret = 'a secret of at least thirty-two characters'

/** The clients of both servers, by their ids: how they authenticate. */
const clients = {
  public: 'none',
  basic: 'client_secret_basic',
  posting: 'client_secret_post',
} as const

export type ClientId = keyof typeof clients

/** The scope of each resource. */
const scopes: Readonly<Record<string, string>> = { [notes]: 'notes', [mail]: 'mail' }

/** A server, reached by the URLs of its metadata. */
export interface Side {
  readonly metadataUrl: string
  readonly metadata: Readonly<Record<string, unknown>>
  /** A browser in which the user has signed in. */
  readonly browser: Browser
  /** A browser in which no user has. */
  readonly stranger: Browser
  /** Sends a request to an endpoint, or to another URL of the server. */
  readonly send: (url: string, init?: RequestInit) => Promise<Response>
  /** Lets time pass, if the server has a clock of the test. */
  readonly wait: (seconds: number) => void
  readonly stop: () => Promise<void>
}

/** Starts this server. Users consent automatically. */
export async function startOwn(): Promise<Side> {
  const all = Object.entries(clients).map(([id, authentication]): ClientOptions => {
    const isPublic = authentication === 'none'
    const client = { id, name: id, redirectUris: [redirectUri], authentication }
    return { ...client, ...(!isPublic && { secret }) }
  })
  const server = serve({
    server: {
      clients: all,
      resources: {
        [notes]: { scopes: { notes: { en: 'Notes' } } },
        [mail]: { scopes: { mail: { en: 'Mail' } } },
      },
      introspection: introspection(),
      openid: openId(),
      consent: () => 'granted',
      limits: {
        authorizationsPerClient: false,
        requestsPerClient: false,
        failuresPerClient: false,
        reusesPerGrant: false,
      },
    },
  })
  const send: Side['send'] = (url, init) => server.send(url.slice(origin.length), init)
  const metadataUrl = `${origin}/.well-known/oauth-authorization-server/api/auth`
  return {
    metadataUrl,
    metadata: await readMetadata(await send(metadataUrl)),
    browser: await browseAs(server),
    stranger: server.browse(),
    send,
    wait: server.wait,
    stop: async () => undefined,
  }
}

/** Starts oidc-provider. Users sign in and consent automatically. */
export async function startCounterpart(): Promise<Side> {
  const http = createServer()
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const provider = new Provider(url, configuration)
  const callback = provider.callback()
  http.on('request', (request, response) => {
    if (request.url?.startsWith('/interaction/')) void interact(provider, request, response)
    else void callback(request, response)
  })
  const send: Side['send'] = (target, init) => fetch(target, { ...init, redirect: 'manual' })
  const metadataUrl = `${url}/.well-known/oauth-authorization-server`
  return {
    metadataUrl,
    metadata: await readMetadata(await send(metadataUrl)),
    browser: new Browser((request) => fetch(request), url),
    stranger: new Browser((request) => fetch(request), url),
    send,
    wait: () => undefined,
    stop: async () => {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}

async function readMetadata(response: Response): Promise<Readonly<Record<string, unknown>>> {
  const body: Record<string, unknown> = await response.json()
  return body
}

const configuration: Configuration = {
  clients: Object.entries(clients).map(([client_id, token_endpoint_auth_method]) => ({
    client_id,
    ...(token_endpoint_auth_method !== 'none' && { client_secret: secret }),
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method,
  })),
  clientAuthMethods: Object.values(clients),
  responseTypes: ['code'],
  scopes: [],
  cookies: { keys: ['a key for the cookies of the provider'] },
  pkce: { required: () => true },
  issueRefreshToken: (_, client) => client.grantTypeAllowed('refresh_token'),
  rotateRefreshToken: true,
  expiresWithSession: () => false,
  findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
  interactions: { url: (_, { uid }) => `/interaction/${uid}` },
  features: {
    devInteractions: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    introspection: {
      enabled: true,
      allowedPolicy: (_, client, token) =>
        client.clientAuthMethod !== 'none' && token.clientId === client.clientId,
    },
    revocation: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => notes,
      useGrantedResource: () => true,
      getResourceServerInfo: (_, resource) => {
        const scope = scopes[resource]
        if (scope === undefined) throw new errors.InvalidTarget()
        return { scope, audience: resource, accessTokenFormat: 'opaque' }
      },
    },
  },
  ttl: {
    Session: 600,
    Interaction: 600,
    Grant: 600,
    AccessToken: 600,
    RefreshToken: 600,
    AuthorizationCode: 60,
  },
}

async function interact(
  provider: Provider,
  ...[request, response]: Parameters<ReturnType<Provider['callback']>>
): Promise<void> {
  const { params, prompt, grantId } = await provider.interactionDetails(request, response)
  if (prompt.name === 'login') {
    return provider.interactionFinished(request, response, { login: { accountId: 'alice' } })
  }
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId)
  const clientId = String(params['client_id'])
  const grant = known ?? new provider.Grant({ accountId: 'alice', clientId })
  grant.addOIDCScope('openid')
  for (const [resource, scope] of Object.entries(scopes)) grant.addResourceScope(resource, scope)
  const consent = { grantId: await grant.save() }
  const options = { mergeWithLastSubmission: true }
  return provider.interactionFinished(request, response, { consent }, options)
}
