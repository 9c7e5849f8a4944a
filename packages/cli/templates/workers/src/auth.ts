import { createAuth } from '@latchkey/core'
import { email } from '@latchkey/core/providers/email'
import { openStorage } from './database.ts'
import type { Env } from './env.ts'
import { createMailer } from './mailer.ts'
import { theme } from './theme.ts'

export function createService(env: Env) {
  return createAuth({
    serviceUrl: env.SERVICE_URL,
    secret: env.AUTH_SECRET ?? '',
    storage: openStorage(env),
    providers: [email({ mailer: createMailer(env), from: env.AUTH_EMAIL_FROM ?? '' })],
    theme,
    callbacks: {
      // What pages and clients see of a session: what you add here is typed everywhere.
      session: ({ session }) => session,
    },
  })
}
