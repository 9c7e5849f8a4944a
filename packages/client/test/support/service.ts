import { createAuth } from '@latchkey/core'
import type { Auth, AuthConfig, DefaultSession, SessionToken } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { credentials } from '@latchkey/core/providers/credentials'
import { email } from '@latchkey/core/providers/email'
import { Mailbox, passport } from './provider.ts'

/** The session of the test service: a note that `session.update` can set. */
export interface TestSession extends DefaultSession {
  readonly note: string | null
}

interface TestToken extends SessionToken {
  readonly note?: string
}

/** The service, and the emails that it sent. */
export interface TestService {
  readonly auth: Auth<TestSession>
  readonly mailbox: Mailbox
}

/** Creates a service with the providers `passport` and `email`. */
export function createTestService(
  overrides: Partial<AuthConfig<TestSession, TestToken>> = {},
): TestService {
  const mailbox = new Mailbox()
  const auth = createAuth<TestSession, TestToken>({
    secret: 'client test secret of at least 32 bytes',
    providers: [passport, email({ mailer: mailbox, from: 'sign-in@app.example' }), members],
    storage: memoryStorage(),
    callbacks: {
      jwt: ({ token }): TestToken => token,
      session: ({ session, token }) => ({ ...session, note: token.note ?? null }),
    },
    ...overrides,
    session: {
      update({ token, data }) {
        if (typeof data !== 'string') throw new TypeError('the note must be a string')
        return { ...token, note: data }
      },
      ...overrides.session,
    },
    logger: { error: () => undefined, warn: () => undefined },
  })
  return { auth, mailbox }
}

/** Signs in any name with one password. */
const members = credentials({
  fields: { username: { label: 'Name' }, password: { label: 'Password', type: 'password' } },
  authorize: ({ username, password }) =>
    password === 'open sesame' ? { id: `id-of-${username}`, name: `Person ${username}` } : null,
})
