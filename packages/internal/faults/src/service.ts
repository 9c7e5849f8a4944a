/** One process of the service under test: `node service.ts`, configured by environment variables. */
import { createServer } from 'node:http'
import { createAuth } from '@latchkey/core'
import { email } from '@latchkey/core/providers/email'
import { createListener } from '@latchkey/node'
import { passport } from '../../../core/test/support/passport.ts'
import { openStorage } from './open-storage.ts'

const { SERVICE_URL = '', DATABASE = '', DRIVER = '', MAIL_URL = '', PORT = '' } = process.env

const auth = createAuth({
  serviceUrl: SERVICE_URL,
  secret: 'the secret of all processes of the service under test',
  storage: await openStorage(DRIVER, DATABASE),
  providers: [
    // The email and the passport are one user's.
    passport({
      linkByVerifiedEmail: true,
      identify: (name) => ({
        profile: { name, email: `${name}@example.test`, emailVerified: true, image: null },
      }),
    }),
    email({
      linkByVerifiedEmail: true,
      from: 'service@example.test',
      mailer: {
        async send({ to, text }) {
          const response = await fetch(MAIL_URL, { method: 'POST', body: `${to.address}\n${text}` })
          if (!response.ok) throw new Error(`the mailbox answered ${response.status}`)
        },
      },
    }),
  ],
  session: { update: ({ token, data }) => ({ ...token, data: Number(data) }) },
  callbacks: {
    session: ({ session, token }) => ({ ...session, data: token['data'] ?? 0, id: token.sub }),
  },
  // All clients come from one IP address.
  limits: {
    startsPerClient: { times: 1_000_000, window: 60 },
    callbacksPerClient: { times: 1_000_000, window: 60 },
    mailsPerClient: { times: 1_000_000, window: 600 },
    mailsPerAddress: { times: 1_000_000, window: 600 },
  },
  logger: { error: () => undefined, warn: () => undefined },
})

const listener = createListener(async (request, options) => {
  const { pathname, searchParams } = new URL(request.url)
  if (pathname !== '/revoke') return auth.handle(request, options)
  try {
    await auth.sessions.revokeAll(searchParams.get('user') ?? '')
    return new Response(null, { status: 204 })
  } catch {
    return new Response(null, { status: 503 })
  }
})

createServer(listener).listen(Number(PORT), '127.0.0.1', () => console.log('ready'))
