import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { createIdentityProvider } from '@latchkey/app-demo/identity-provider'

/** The OpenID provider of the demonstration, running on this machine. */
export interface IdentityProvider {
  /** The variables of the application that configure it. */
  readonly variables: Readonly<
    Record<'AUTH_OIDC_ISSUER' | 'AUTH_OIDC_ID' | 'AUTH_OIDC_SECRET', string>
  >
  readonly server: Server
}

/** A client for this machine only, so that the secret may be in `.dev.vars.example` too. */
const client = { clientId: 'latchkey-demo', clientSecret: 'only-for-this-machine' }

/**
 * Starts the provider on localhost. Its users are Alice and Bob, with one button each.
 *
 * @param origin The origin of the application
 *
 * @throws Error if the port is taken
 */
export async function startIdentityProvider(
  origin: string,
  port: number,
): Promise<IdentityProvider> {
  const issuer = `http://localhost:${port}`
  const redirectUri = `${origin}/api/auth/callback/oidc`
  const server = createServer(createIdentityProvider(issuer, { ...client, redirectUri }))
  server.listen(port, 'localhost')
  await once(server, 'listening')
  const { clientId, clientSecret } = client
  const variables = {
    AUTH_OIDC_ISSUER: issuer,
    AUTH_OIDC_ID: clientId,
    AUTH_OIDC_SECRET: clientSecret,
  }
  return { variables, server }
}
