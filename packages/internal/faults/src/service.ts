/** One process of the service under test: `node service.ts`, configured by environment variables. */
import { createServer } from 'node:http'
import { createAuth } from '@latchkey/core'
import type { Provider } from '@latchkey/core'
import { email } from '@latchkey/core/providers/email'
import { createListener } from '@latchkey/node'
import { openStorage } from './open-storage.ts'

const { SERVICE_URL = '', DATABASE = '', DRIVER = '', MAIL_URL = '', PORT = '' } = process.env

const storage = await openStorage(DRIVER, DATABASE)

/** Signs in the subject that the callback names, without a protocol. */
const passport: Provider = {
  id: 'passport',
  name: 'Passport',
  type: 'oauth',
  // The email and the passport are one user's.
  linkByVerifiedEmail: true,
  async begin({ state, redirectUri }) {
    const redirect = new URL(redirectUri)
    redirect.searchParams.set('state', state ?? '')
    return { redirect, flow: {} }
  },
  async finish({ params }) {
    const subject = params.get('code') ?? ''
    const address = `${subject}@example.test`
    const profile = { name: subject, email: address, emailVerified: true, image: null }
    return { subject, profile, emailProven: true, tokens: {}, claims: {} }
  },
}

const auth = createAuth({
  serviceUrl: SERVICE_URL,
  secret: 'the secret of all processes of the service under test',
  storage,
  providers: [
    passport,
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
