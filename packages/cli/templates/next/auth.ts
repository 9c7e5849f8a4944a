import { email } from '@latchkey/core/providers/email'
import { createNextAuth } from '@latchkey/next'
import { clientIp } from './client-ip'
import { openStorage } from './database'
import { createMailer } from './mailer'
import { theme } from './theme'

// The function does not run in `next build`, which therefore needs no variables.
export const latchkey = createNextAuth(
  async () => ({
    serviceUrl: process.env.SERVICE_URL,
    secret: process.env.AUTH_SECRET ?? '',
    storage: await openStorage(),
    providers: [email({ mailer: createMailer(), from: process.env.AUTH_EMAIL_FROM ?? '' })],
    theme,
    callbacks: {
      // What pages and clients see of a session: what you add here is typed everywhere.
      session: ({ session }) => session,
    },
  }),
  { clientIp },
)

export const { auth, handlers } = latchkey
