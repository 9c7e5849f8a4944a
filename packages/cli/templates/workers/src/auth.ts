import { createAuth } from '@latchkey/core'
import type { Auth } from '@latchkey/core'
import { github } from '@latchkey/core/providers/github'
import {
  defineProvider,
  nameVariables,
  readConfig,
  readEmail,
  readEnvironment,
  readText,
} from '@latchkey/environment'
import type { ProviderRow } from '@latchkey/environment'
import { cloudflare } from '@latchkey/mail/cloudflare'
import type { SendEmail } from '@latchkey/mail/cloudflare'
import { consoleMailer } from '@latchkey/mail/console'
import { d1Storage } from '@latchkey/storage-sql/d1'
import type { D1 } from '@latchkey/storage-sql/d1'

/** The bindings of the Worker, and its variables beside them. */
export interface Env extends Readonly<Record<string, unknown>> {
  readonly DB: D1
  readonly MAIL: SendEmail
}

// In the order of the sign-in page. Each is offered once its variables are set: `npx latchkey providers`.
const providers: readonly ProviderRow[] = [defineProvider('github', github)]

let auth: Auth | undefined

/** Returns the service, which is created once for each isolate. */
export function getAuth(env: Env): Auth {
  return (auth ??= createService(env))
}

function createService(env: Env): Auth {
  const config = readEnvironment(env, (variables) => {
    const server = readText(variables, 'AUTH_EMAIL_SERVER')
    const email = readEmail(variables, {
      variable: 'AUTH_EMAIL_SERVER',
      // `console` prints the emails: for development only.
      createMailer: () => (server === 'console' ? consoleMailer() : cloudflare(env.MAIL)),
    })
    return readConfig(variables, { providers, email })
  })
  return nameVariables(() => createAuth({ ...config, storage: d1Storage(env.DB) }))
}
