import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readJson } from '../contenders/checks.ts'
import type { Task } from '../contenders/contender.ts'
import type { Visitor } from '../contenders/visitor.ts'
import { resource } from '../workers/resources.ts'

/** What signs access tokens. */
export const algorithms = ['EdDSA', 'ES256', 'RS256'] as const
export type Algorithm = (typeof algorithms)[number]

export const redirectUri = 'https://client.example/callback'

/** An authorization server, and how a public client reaches it. */
export interface AuthorizationServer {
  /** The browser of a user who is signed in, and need not consent. */
  readonly visitor: Visitor
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  readonly clientId: string
  readonly scope: string
}

interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

/** Grants that are refreshed in turn: no two requests at a time are of one grant. */
const GRANTS = 16

/** Creates the work of refreshing an access token. Each refresh sends the refresh token of the last one of its grant. */
export async function createRefreshTask(server: AuthorizationServer): Promise<Task> {
  const grants: Task['run'][] = []
  while (grants.length < GRANTS) grants.push(await createGrant(server))
  let next = 0
  return {
    run: () => (grants[next++ % GRANTS] as Task['run'])(),
    check: async ({ status }) => assert.equal(status, 200),
  }
}

/** Returns a function that refreshes, and checks that both tokens are new. */
async function createGrant(server: AuthorizationServer): Promise<Task['run']> {
  const client = { client_id: server.clientId, resource }
  const post = (fields: Readonly<Record<string, string>>): Promise<Response> =>
    server.visitor.post(server.tokenEndpoint, String(new URLSearchParams({ ...client, ...fields })))
  let held = (await readJson(await post(await authorize(server)))) as Tokens
  return async () => {
    const response = await post({ grant_type: 'refresh_token', refresh_token: held.refresh_token })
    const tokens = (await readJson(response)) as Tokens
    assert.notEqual(tokens.access_token, held.access_token)
    assert.notEqual(tokens.refresh_token, held.refresh_token)
    held = tokens
    return response
  }
}

/** Sends the user to the authorization endpoint, and returns the parameters that redeem the code. */
async function authorize(server: AuthorizationServer): Promise<Readonly<Record<string, string>>> {
  const verifier = randomBytes(32).toString('base64url')
  const query = new URLSearchParams({
    client_id: server.clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    resource,
    scope: server.scope,
    state: 'a-state-of-the-client',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  })
  const { headers } = await server.visitor.get(`${server.authorizationEndpoint}?${query}`)
  const code = new URL(headers.get('location') ?? '').searchParams.get('code') ?? ''
  return {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  }
}
