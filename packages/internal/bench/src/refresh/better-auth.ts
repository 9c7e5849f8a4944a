import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { getAuthTables } from 'better-auth/db'
import { jwt } from 'better-auth/plugins/jwt'
import { baseOptions, toService } from '../contenders/better-auth.ts'
import type { Task } from '../contenders/contender.ts'
import { openSignedIn } from '../contenders/tasks.ts'
import { createMcp } from '../workers/mcp.ts'
import { createRefreshTask, redirectUri } from './client.ts'
import type { Algorithm } from './client.ts'

/** Sets up `mcp()` of better-auth. */
export async function createBetterAuth(alg: Algorithm): Promise<Task> {
  const plugins = [jwt({ jwks: { keyPairConfig: { alg } } }), createMcp()]
  const options = { ...baseOptions, plugins }
  const tables: Record<string, { readonly revoked?: unknown }[]> = {}
  for (const name of Object.keys(getAuthTables(options))) tables[name] = []
  const { handler, api } = betterAuth({ ...options, database: memoryAdapter(tables) })
  const visitor = await openSignedIn(toService(handler))
  const { client_id: clientId } = await api.adminCreateOAuthClient({
    headers: { cookie: visitor.cookie },
    body: { redirect_uris: [redirectUri], token_endpoint_auth_method: 'none', skip_consent: true },
  })
  const { run, check } = await createRefreshTask({
    visitor,
    authorizationEndpoint: '/oauth2/authorize',
    tokenEndpoint: '/oauth2/token',
    clientId,
    scope: 'notes offline_access',
  })
  return {
    async run() {
      // This storage reads every row: those of earlier refreshes would make it slower and slower.
      tables['oauthRefreshToken'] = tables['oauthRefreshToken']?.filter((row) => !row.revoked) ?? []
      return run()
    },
    check,
  }
}
