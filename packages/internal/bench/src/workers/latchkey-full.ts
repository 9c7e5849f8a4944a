import { createAuth } from '@latchkey/core'
import type { Auth } from '@latchkey/core'
import { email } from '@latchkey/core/providers/email'
import { github } from '@latchkey/core/providers/github'
import { google } from '@latchkey/core/providers/google'
import { cloudflare } from '@latchkey/mail/cloudflare'
import type { SendEmail } from '@latchkey/mail/cloudflare'
import { d1Storage } from '@latchkey/storage-sql/d1'
import type { D1 } from '@latchkey/storage-sql/d1'
import type { Env, Host } from './env.ts'

/** The variables, secrets and bindings of the Worker with email and a database. */
interface FullEnv extends Env {
  readonly DB: D1
  readonly MAIL: SendEmail
  readonly AUTH_EMAIL_FROM: string
}

let auth: Auth | undefined

const worker = {
  fetch(request: Request, env: FullEnv, host: Host): Promise<Response> {
    auth ??= createAuth({
      serviceUrl: env.SERVICE_URL,
      secret: env.AUTH_SECRET,
      storage: d1Storage(env.DB),
      providers: [
        github({ clientId: env.AUTH_GITHUB_ID, clientSecret: env.AUTH_GITHUB_SECRET }),
        google({ clientId: env.AUTH_GOOGLE_ID, clientSecret: env.AUTH_GOOGLE_SECRET }),
        email({ mailer: cloudflare(env.MAIL), from: env.AUTH_EMAIL_FROM }),
      ],
    })
    return auth.handle(request, { waitUntil: (promise) => host.waitUntil(promise) })
  },
}

// oxlint-disable-next-line import/no-default-export -- workerd takes the handlers from the default export
export { worker as default }
