import { createAuth } from '@latchkey/core'
import { email } from '@latchkey/core/providers/email'
import { storage } from './database.ts'
import { mailer } from './mailer.ts'
import { theme } from './theme.ts'

export const auth = createAuth({
  serviceUrl: process.env.SERVICE_URL,
  secret: process.env.AUTH_SECRET ?? '',
  storage,
  providers: [email({ mailer, from: process.env.AUTH_EMAIL_FROM ?? '' })],
  theme,
  callbacks: {
    // What pages and clients see of a session: what you add here is typed everywhere.
    session: ({ session }) => session,
  },
})
