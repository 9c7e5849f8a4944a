import { createAuth } from '@latchkey/core'
import { accountPages } from '@latchkey/account'
import {
  authorizationServer,
  clientDocuments,
  dynamicRegistration,
} from '@latchkey/authorization-server'
import { email } from '@latchkey/core/providers/email'
import { passkeys } from '@latchkey/passkeys'
import { apiTokens } from '@latchkey/tokens'
import { openStorage } from './database.ts'
import type { Env } from './env.ts'
import { createMailer } from './mailer.ts'
import { theme } from './theme.ts'

/** What MCP clients can ask for, as users read it. */
export const scopes = { 'user:read': { en: 'See your name and email address' } }

/** The URL that MCP clients connect to. */
export const getMcpUrl = (env: Env) => `${env.SERVICE_URL}/mcp`

export function createService(env: Env) {
  return createAuth({
    serviceUrl: env.SERVICE_URL,
    secret: env.AUTH_SECRET ?? '',
    storage: openStorage(env),
    providers: [passkeys(), email({ mailer: createMailer(env), from: env.AUTH_EMAIL_FROM ?? '' })],
    theme,
    use: [
      accountPages(),
      apiTokens({ keys: JSON.parse(env.TOKEN_KEYS ?? '[]'), audience: env.SERVICE_URL ?? '' }),
      authorizationServer({
        resources: { [getMcpUrl(env)]: { scopes } },
        // Clients that are known by a URL, as MCP recommends, and older ones, which register themselves.
        clientMetadata: clientDocuments({ fetch: (url, init) => fetch(url, init) }),
        registration: dynamicRegistration(),
      }),
    ],
  })
}
