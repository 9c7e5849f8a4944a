import assert from 'node:assert/strict'
import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import type {
  OAuthClientInformationMixed,
  OAuthClientProvider,
  OAuthDiscoveryState,
  OAuthTokens,
} from '@modelcontextprotocol/client'
import { allow } from './person.ts'
import { callback } from './service.ts'
import type { Service } from './service.ts'

/** What the client keeps, and where it sends its user. */
interface Kept {
  client?: OAuthClientInformationMixed
  discovery?: OAuthDiscoveryState
  tokens?: OAuthTokens
  url?: URL
  verifier?: string
}

function createProvider(kept: Kept): OAuthClientProvider {
  return {
    redirectUrl: callback,
    clientMetadata: { client_name: 'Notes', redirect_uris: [callback] },
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void (kept.client = client),
    discoveryState: () => kept.discovery,
    saveDiscoveryState: (discovery) => void (kept.discovery = discovery),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    redirectToAuthorization: (url) => void (kept.url = url),
    codeVerifier: () => kept.verifier ?? '',
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
  }
}

/** The client of version 2 of the SDK of the Model Context Protocol, which registers itself at the server that a 401 names. */
export async function mcpClient(service: Service): Promise<void> {
  const kept: Kept = {}
  const provider = createProvider(kept)
  await assert.rejects(connect(service, provider), UnauthorizedError)
  const answer = await allow(service, kept.url ?? '')
  await createTransport(service, provider).finishAuth(answer.searchParams)
  await call(service, provider)
  const refreshToken = kept.tokens?.refresh_token
  // A 401 makes it refresh, and ask again.
  kept.tokens = { ...kept.tokens, access_token: 'expired', token_type: 'Bearer' }
  await call(service, provider)
  assert.notEqual(kept.tokens.refresh_token, refreshToken)
}

function createTransport(
  { resource }: Service,
  authProvider: OAuthClientProvider,
): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(resource), { authProvider })
}

async function connect(service: Service, provider: OAuthClientProvider): Promise<Client> {
  const client = new Client({ name: 'counterpart', version: '1' })
  await client.connect(createTransport(service, provider))
  return client
}

async function call(service: Service, provider: OAuthClientProvider): Promise<void> {
  const client = await connect(service, provider)
  const { content } = await client.callTool({ name: 'whoami' })
  assert.deepEqual(content, [{ type: 'text', text: await service.findUserId() }])
  await client.close()
}
