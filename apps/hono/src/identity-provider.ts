import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { createIdentityProvider } from '../../node/demo/identity-provider.ts'
import type { Settings } from './service.ts'

/** The OpenID provider of the demonstration, running on this machine. */
export interface IdentityProvider {
  /** What the application has to know of it. */
  readonly settings: Settings
  readonly server: Server
}

/** A client of this machine alone: it is in `.dev.vars.example`, too. */
const client = { clientId: 'latchkey-demo', clientSecret: 'of-this-machine-alone' }

/**
 * Starts the provider, where Alice and Bob sign in by a button.
 *
 * @param origin Of the application
 *
 * @throws Error where the port is taken
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
  const settings = {
    AUTH_OIDC_ISSUER: issuer,
    AUTH_OIDC_ID: clientId,
    AUTH_OIDC_SECRET: clientSecret,
  }
  return { settings, server }
}
