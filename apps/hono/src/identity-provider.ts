import { createIdentityProvider } from '@latchkey/app-demo/identity-provider'
import { listen } from '@latchkey/node'
import type { RunningServer } from '@latchkey/node'

/** The OpenID provider of the demonstration, running on this machine. */
export interface IdentityProvider {
  /** The variables of the application that configure it. */
  readonly variables: Readonly<
    Record<'AUTH_OIDC_ISSUER' | 'AUTH_OIDC_ID' | 'AUTH_OIDC_SECRET', string>
  >
  readonly server: RunningServer
}

/** A client for this machine only, so that the secret may be in `.dev.vars.example` too. */
const client = { clientId: 'latchkey-demo', clientSecret: 'only-for-this-machine' }

/**
 * Starts the provider on localhost. Its users are Alice and Bob, with one button each.
 *
 * @param origin The origin of the application
 *
 * @throws ConfigurationError `IDP_PORT` if the port is taken
 */
export async function startIdentityProvider(
  origin: string,
  port: number,
): Promise<IdentityProvider> {
  const issuer = `http://localhost:${port}`
  const redirectUri = `${origin}/api/auth/callback/oidc`
  const provider = createIdentityProvider(issuer, { ...client, redirectUri })
  const place = { host: 'localhost', port, portVariable: 'IDP_PORT' }
  const server = await listen(provider, place)
  const { clientId, clientSecret } = client
  const variables = {
    AUTH_OIDC_ISSUER: issuer,
    AUTH_OIDC_ID: clientId,
    AUTH_OIDC_SECRET: clientSecret,
  }
  return { variables, server }
}
