import {
  authorizationServer,
  clientDocuments,
  dynamicRegistration,
  introspection,
  openId,
  openIdLogout,
  privateKeyJwt,
  programs,
} from '@latchkey/authorization-server'
import type { ClientOptions } from '@latchkey/authorization-server'
import { publicFetch } from '@latchkey/authorization-server/node'
import { protectedResource } from '@latchkey/authorization-server/resource'
import { createAuth } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { outbox } from '@latchkey/core/outbox'
import { credentials } from '@latchkey/core/providers/credentials'
import { serveHandler } from '@latchkey/test-support/listen'
import { getFreePort } from '@latchkey/test-support/servers'
import { apiTokens } from '@latchkey/tokens'
import { generateTokenKey } from '@latchkey/tokens/token-key'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { exportJWK, generateKeyPair } from 'jose'

/** What {@link serveCounterparts} serves, on a port of 127.0.0.1. */
export interface Service {
  readonly issuer: string
  /** An MCP server, which is the resource of the tokens. */
  readonly resource: string
  /** The id of the user, once they have signed in. */
  readonly findUserId: () => Promise<string | undefined>
  /** The requests that were answered: method, path, status. */
  readonly requests: string[]
  readonly close: () => Promise<void>
}

/** The user of the service, who is created when they first sign in. */
export const user = { name: 'alice', password: 'correct horse battery staple' }
export const scope = 'notes:read'
/** What a client asks for that signs its user in, and refreshes. */
export const openIdScope: string = `${scope} openid profile offline_access`
/** Where programs in this process say that they wait: they are given the URL, and nothing is opened. */
export const callback = 'http://127.0.0.1:33418/callback'
export const secret = 'the secret of a client, of more than 32 characters: 100 % & +'
export const clientKey = await generateKeyPair('ES256')

/** Where Apache answers. */
export const apache = `http://localhost:${await getFreePort()}`
/** Where users go who have signed out. */
export const signedOut = 'http://127.0.0.1:33418/signed-out'

const redirectUris = ['http://127.0.0.1/callback', 'http://localhost/callback']
/** A client for each way to authenticate. */
const clients: readonly ClientOptions[] = [
  { id: 'public', name: 'Public', redirectUris, postLogoutRedirectUris: [signedOut] },
  {
    id: 'basic: 1',
    name: 'Basic',
    redirectUris,
    secret,
    postLogoutRedirectUris: [signedOut],
    backchannelLogoutUri: `${apache}/callback?logout=backchannel`,
  },
  { id: 'post', name: 'Post', redirectUris, secret, authentication: 'client_secret_post' },
  {
    id: 'key',
    name: 'Key',
    redirectUris,
    jwks: { keys: [{ ...(await exportJWK(clientKey.publicKey)), alg: 'ES256' }] },
  },
]

/** Serves an authorization server, and an MCP server that accepts its tokens. */
export async function serveCounterparts(): Promise<Service> {
  const { origin, stop } = await serveHandler((request) => answer(request))
  const issuer = `${origin}/api/auth`
  const resource = `${origin}/mcp`
  const auth = createService(origin, resource)
  const answerMcp = createMcpServer(resource, issuer)
  const requests: string[] = []
  const answer = async (request: Request): Promise<Response> => {
    const mcp = await answerMcp(request)
    const response = mcp ?? (await (programs(auth, request) ?? auth.handle(request)))
    requests.push(`${request.method} ${new URL(request.url).pathname} ${response.status}`)
    return response
  }
  return {
    issuer,
    resource,
    requests,
    findUserId: async () => (await auth.users.list()).users[0]?.id,
    close: stop,
  }
}

// oxlint-disable-next-line typescript/explicit-function-return-type -- inferred from the capabilities
function createService(origin: string, resource: string) {
  return createAuth({
    serviceUrl: origin,
    secret: 'a secret of thirty-two bytes or more',
    storage: memoryStorage(),
    session: { strategy: 'storage' },
    outbox: outbox({ deliver: () => undefined, events: [] }),
    providers: [
      credentials({
        fields: { name: { label: 'Name' }, password: { label: 'Password', type: 'password' } },
        authorize: ({ name, password }) =>
          name === user.name && password === user.password ? { id: name, name } : null,
      }),
    ],
    use: [
      apiTokens({ keys: signingKeys, audience: origin }),
      authorizationServer({
        resources: { [resource]: { scopes: { [scope]: { en: 'Read your notes' } } } },
        clients,
        clientMetadata: clientDocuments({ fetch: publicFetch() }),
        registration: dynamicRegistration(),
        assertions: privateKeyJwt(),
        introspection: introspection(),
        openid: openId({ logout: openIdLogout() }),
      }),
    ],
  })
}

const signingKeys = [await generateTokenKey(), await generateTokenKey('RS256')]

/** An MCP server whose tool says which user calls it; a GET answers the same to other clients. */
function createMcpServer(
  resource: string,
  issuer: string,
): (request: Request) => Promise<Response | undefined> {
  const { respond, authorize } = protectedResource({ resource, issuer, scopes: [scope] })
  return async (request) => {
    if (new URL(request.url).pathname !== new URL(resource).pathname) return respond(request)
    const token = await authorize(request, [scope])
    if (token instanceof Response) return token
    if (request.method === 'GET') return Response.json({ sub: token.sub })
    const server = new McpServer({ name: 'notes', version: '1' })
    server.registerTool('whoami', {}, () => ({ content: [{ type: 'text', text: token.sub }] }))
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    await server.connect(transport)
    return transport.handleRequest(request)
  }
}
