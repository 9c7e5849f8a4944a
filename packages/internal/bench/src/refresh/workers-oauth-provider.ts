import { registerHooks } from 'node:module'
import { ORIGIN } from '../contenders/contender.ts'
import type { Answer, Task } from '../contenders/contender.ts'
import { Visitor } from '../contenders/visitor.ts'
import { resource } from '../workers/resources.ts'
import { createRefreshTask, redirectUri } from './client.ts'

const workers = 'data:text/javascript,export class WorkerEntrypoint {}'
registerHooks({
  resolve: (name, context, next) =>
    name === 'cloudflare:workers' ? { url: workers, shortCircuit: true } : next(name, context),
})
const { OAuthAuthorizationServer } = await import('@cloudflare/workers-oauth-provider')

/** Sets up Cloudflare's library with its KV namespace in memory. Its access tokens are random, and nothing signs them. */
export async function createWorkersOAuthProvider(): Promise<Task> {
  const values = new Map<string, string>()
  const env = {
    OAUTH_KV: {
      get: async (key: string): Promise<unknown> => JSON.parse(values.get(key) ?? 'null'),
      put: async (key: string, value: string) => void values.set(key, value),
    },
  }
  const options = { issuer: ORIGIN, resources: [resource], scopesSupported: ['notes'] }
  const server = new OAuthAuthorizationServer<typeof env>(options)
  const api = server.getOAuthApi(env)
  const client = { redirectUris: [redirectUri], tokenEndpointAuthMethod: 'none' }
  const { clientId } = await api.createClient(client)
  const answer: Answer = async (request) => {
    if (request.method === 'POST') return server.fetch(request, env, host)
    const { redirectTo } = await api.completeAuthorization({
      request: await api.parseAuthRequest(request),
      userId: 'ada',
      metadata: {},
      scope: ['notes'],
      props: {},
      revokeExistingGrants: false,
    })
    return Response.redirect(redirectTo)
  }
  return createRefreshTask({
    visitor: new Visitor(answer, ORIGIN),
    authorizationEndpoint: '/authorize',
    tokenEndpoint: '/oauth/token',
    clientId,
    scope: 'notes',
  })
}

const host = { waitUntil: () => undefined, passThroughOnException: () => undefined }
