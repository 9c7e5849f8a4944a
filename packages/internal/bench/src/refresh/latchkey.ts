import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { authorizationServer } from '@latchkey/authorization-server'
import { createAuth } from '@latchkey/core'
import { confirmation } from '@latchkey/core/confirmation'
import { memoryStorage } from '@latchkey/core/memory'
import { github } from '@latchkey/core/providers/github'
import { apiTokens } from '@latchkey/tokens'
import { generateTokenKey } from '@latchkey/tokens/token-key'
import { BASE, client, ORIGIN, secret } from '../contenders/contender.ts'
import type { Task } from '../contenders/contender.ts'
import { createRestService, openSignedIn } from '../contenders/tasks.ts'
import { resource, resources } from '../workers/resources.ts'
import { createRefreshTask, redirectUri } from './client.ts'
import type { Algorithm } from './client.ts'

/** Sets up Latchkey with its storage in memory. A refresh token is not answered again, so that each refresh is a rotation. */
export async function createLatchkey(alg: Algorithm): Promise<Task> {
  const auth = createAuth({
    serviceUrl: ORIGIN,
    secret,
    storage: memoryStorage(),
    providers: [github(client)],
    use: [
      confirmation({ maxAge: 0 }), // GitHub does not say when its user signed in
      apiTokens({ keys: [await generateTokenKey(alg)], audience: 'https://api.example' }),
      authorizationServer({
        resources,
        clients: [{ id: 'bench', name: 'Bench', redirectUris: [redirectUri] }],
        consent: () => 'granted',
        reuseSeconds: 0,
      }),
    ],
  })
  const answer = (request: Request): Promise<Response> =>
    auth.programs(request) ?? auth.handle(request)
  return createRefreshTask({
    visitor: await openSignedIn(await createRestService(answer, '{}')),
    authorizationEndpoint: '/authorize',
    tokenEndpoint: `${ORIGIN}/oauth/token`,
    clientId: 'bench',
    scope: 'notes',
  })
}

/** Creates the work of signing such an access token, and nothing else. */
export async function createSignature(alg: Algorithm): Promise<Task> {
  const { signer } = apiTokens({ keys: [await generateTokenKey(alg)], audience: 'none' })
  const ids = { iss: BASE, sub: randomUUID(), aud: resource, client_id: 'bench', scope: 'notes' }
  const claims = { ...ids, iat: 1_800_000_000, exp: 1_800_000_600, jti: 'of-twenty-two-letters-' }
  return {
    run: async () => new Response(await signer?.sign(claims, 'at+jwt')),
    check: async (response) => assert.match(await response.text(), /^([\w-]{20,}\.?){3}$/),
  }
}
