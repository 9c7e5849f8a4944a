import { createAuth } from '@latchkey/core'
import type { Auth } from '@latchkey/core'
import { github } from '@latchkey/core/providers/github'
import {
  defineProvider,
  nameVariables,
  readClientIpHeader,
  readConfig,
  readEmail,
  readEnvironment,
  readText,
} from '@latchkey/environment'
import type { ProviderRow } from '@latchkey/environment'
import { consoleMailer } from '@latchkey/mail/console'
import { smtp } from '@latchkey/mail/smtp'
import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'

// In the order of the sign-in page. Each is offered once its variables are set: `npx latchkey providers`.
const providers: readonly ProviderRow[] = [defineProvider('github', github)]

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

// PostgreSQL, MySQL and others: see @latchkey/storage-sql.
const storage = nodeSqliteStorage(path)
await storage.migrate()

export const auth: Auth = nameVariables(() => createAuth({ ...config, storage }))

/** The header in which a reverse proxy sends the client's IP address; undefined without a proxy. */
export const clientIpHeader: string | undefined = header
