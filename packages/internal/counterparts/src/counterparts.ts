import { conformance } from './conformance.ts'
import { mcpClient } from './mcp-client.ts'
import { mcpRemote } from './mcp-remote.ts'
import { modAuthOpenidc } from './mod-auth-openidc.ts'
import { oauth4webapi } from './oauth4webapi.ts'
import { oidcClientTs } from './oidc-client-ts.ts'
import { openidClient } from './openid-client.ts'
import type { Service } from './service.ts'

/**
 * Lets a program of others do all it can: sign a user in, call with the token, refresh it, and sign out.
 *
 * @throws Error what the program reports, or an AssertionError
 */
export type Counterpart = (service: Service) => Promise<void>

/** The programs, by their package, or by their name if a system has them. */
export const counterparts: Readonly<Record<string, Counterpart>> = {
  oauth4webapi,
  'openid-client': openidClient,
  '@modelcontextprotocol/client': mcpClient,
  '@modelcontextprotocol/conformance': conformance,
  'mcp-remote': mcpRemote,
  mod_auth_openidc: modAuthOpenidc,
  'oidc-client-ts': oidcClientTs,
}
