import { github } from '@latchkey/core/providers/github'
import {
  defineProvider,
  getClientIp,
  readClientIpHeader,
  readConfig,
  readEmail,
  readEnvironment,
  readText,
} from '@latchkey/environment'
import type { ProviderRow } from '@latchkey/environment'
import { consoleMailer } from '@latchkey/mail/console'
import { smtp } from '@latchkey/mail/smtp'
import { createNextAuth } from '@latchkey/next'
import type { NextAuth } from '@latchkey/next'
import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'

// In the order of the sign-in page. Each is offered once its variables are set: `npx latchkey providers`.
const providers: readonly ProviderRow[] = [defineProvider('github', github)]

let clientIpHeader: string | undefined

// The function does not run in `next build`, which so needs no secret.
export const latchkey: NextAuth = createNextAuth(
  async () => {
    const { path, header, ...config } = readEnvironment(process.env, (variables) => {
      const server = readText(variables, 'AUTH_EMAIL_SERVER')
      const email = readEmail(variables, {
        variable: 'AUTH_EMAIL_SERVER',
        isRequested: server !== undefined,
        // `console` prints the emails: for development only.
        createMailer: () => (server === 'console' ? consoleMailer() : smtp(server ?? '')),
      })
      const file = readText(variables, 'AUTH_DATABASE') ?? 'latchkey.sqlite'
      return {
        ...readConfig(variables, { providers, email }),
        path: file,
        header: readClientIpHeader(variables),
      }
    })
    clientIpHeader = header
    // PostgreSQL, MySQL and others: see @latchkey/storage-sql.
    const storage = nodeSqliteStorage(path)
    await storage.migrate()
    return { ...config, storage }
  },
  // Behind a reverse proxy, AUTH_CLIENT_IP_HEADER names the header that the proxy sets.
  { clientIp: (headers) => getClientIp(headers, clientIpHeader) },
)

export const { auth, handlers } = latchkey
