import { clientDocuments } from '@latchkey/authorization-server'
import { protectedResource } from '@latchkey/authorization-server/resource'
import { UnauthorizedError, auth } from '@modelcontextprotocol/sdk/client/auth.js'
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type { OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { expect, test } from 'vitest'
import { allow, browseAs, issuer, keys, origin, serve } from './support/server.ts'
import type { TestServer } from './support/server.ts'

const mcp = 'https://mcp.example/mcp'
const id = 'https://claude.example/oauth/metadata.json'
const callback = 'http://localhost:33418/callback'
const publicKeys = keys.map((key) =>
  Object.fromEntries(Object.entries(key).filter(([name]) => name !== 'd')),
)
const resource = protectedResource({
  resource: mcp,
  issuer,
  jwks: { keys: publicKeys },
  scopes: ['notes:read'],
})

/** An MCP server whose tool says which user calls it. */
async function answerMcp(request: Request): Promise<Response> {
  const metadata = resource.respond(request)
  if (metadata) return metadata
  const token = await resource.authorize(request, ['notes:read'])
  if (token instanceof Response) return token
  const server = new McpServer({ name: 'notes', version: '1' })
  server.registerTool('whoami', {}, () => ({ content: [{ type: 'text', text: token.sub }] }))
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  return transport.handleRequest(request)
}

/** What an MCP client keeps, and where it sends its user. */
function createProvider(): {
  readonly provider: OAuthClientProvider
  readonly kept: { tokens?: OAuthTokens; url?: URL; verifier: string }
} {
  const kept: { tokens?: OAuthTokens; url?: URL; verifier: string } = { verifier: '' }
  const provider: OAuthClientProvider = {
    redirectUrl: callback,
    clientMetadataUrl: id,
    clientMetadata: { client_name: 'Claude', redirect_uris: [callback] },
    clientInformation: () => ({ client_id: id }),
    saveClientInformation: () => undefined,
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    redirectToAuthorization: (url) => void (kept.url = url),
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier,
    invalidateCredentials: () => void delete kept.tokens,
  }
  return { provider, kept }
}

function serveMcp(): { readonly server: TestServer; readonly fetch: typeof globalThis.fetch } {
  const document = {
    client_id: id,
    client_name: 'Claude',
    redirect_uris: [callback],
    grant_types: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_method: 'none',
  }
  const server = serve({
    server: {
      resources: { [mcp]: { scopes: { 'notes:read': { en: 'Read your notes' } } } },
      clientMetadata: clientDocuments({ fetch: async () => Response.json(document) }),
    },
  })
  const route = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init)
    const { pathname, search, origin: asked } = new URL(request.url)
    if (asked === new URL(mcp).origin) return answerMcp(request)
    expect(asked).toBe(origin)
    return server.send(pathname + search, { ...init })
  }
  return { server, fetch: route }
}

test('the client of the MCP SDK finds the server, signs its user in, calls a tool, and refreshes', async () => {
  const { server, fetch } = serveMcp()
  const { provider, kept } = createProvider()
  const connect = async (): Promise<Client> => {
    const client = new Client({ name: 'claude', version: '1' })
    const transport = new StreamableHTTPClientTransport(new URL(mcp), {
      authProvider: provider,
      fetch,
    })
    await client.connect(transport)
    return client
  }
  await expect(connect()).rejects.toThrow(UnauthorizedError)
  expect(kept.url?.href.startsWith(`${issuer}/authorize?`)).toBe(true)
  expect(kept.url?.searchParams.get('resource')).toBe(mcp)
  const browser = await browseAs(server)
  const target = (kept.url?.href ?? '').slice(issuer.length)
  const answer = await allow(browser, target)
  expect(answer.href.startsWith(`${callback}?code=`)).toBe(true)
  const authorizationCode = answer.searchParams.get('code') ?? ''
  const iss = answer.searchParams.get('iss') ?? ''
  const options = { serverUrl: mcp, authorizationCode, iss, fetchFn: fetch }
  expect(await auth(provider, options)).toBe('AUTHORIZED')
  const [user] = (await server.auth.users.list()).users
  const client = await connect()
  const called = await client.callTool({ name: 'whoami' })
  expect(called.content).toEqual([{ type: 'text', text: user?.id }])

  // Several processes of a client refresh simultaneously, as Codex does.
  const before = kept.tokens?.refresh_token ?? ''
  const processes = Array.from({ length: 20 }, () => createProvider())
  for (const each of processes)
    each.kept.tokens = { ...kept.tokens, access_token: '', token_type: '' }
  const results = await Promise.all(
    processes.map((each) => auth(each.provider, { serverUrl: mcp, fetchFn: fetch })),
  )
  expect(new Set(results)).toEqual(new Set(['AUTHORIZED']))
  const successors = new Set(processes.map((each) => each.kept.tokens?.refresh_token))
  expect(successors.size).toBe(1)
  expect([...successors]).not.toEqual([before])

  // The user takes the permission away: the next refresh asks again.
  await server.auth.grants.removeAll({ userId: user?.id ?? '', clientId: id })
  const [last] = processes
  if (last) last.kept.tokens = { ...last.kept.tokens, access_token: '', token_type: '' }
  const again = last && (await auth(last.provider, { serverUrl: mcp, fetchFn: fetch }))
  expect(again).toBe('REDIRECT')
})
