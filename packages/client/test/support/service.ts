import { createAuth } from '@latchkey/core'
import type { Auth, AuthConfig, DefaultSession, SessionToken } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { email } from '@latchkey/core/providers/email'
import { Mailbox, passport } from './provider.ts'

/** What the session of the tests shows. */
export interface TestSession extends DefaultSession {
  readonly note: string | null
}

interface TestToken extends SessionToken {
  readonly note?: string
}

export interface TestService {
  readonly auth: Auth<TestSession>
  readonly mailbox: Mailbox
}

/** A service on loopback, with a passport and e-mail. */
export function createTestService(
  over: Partial<AuthConfig<TestSession, TestToken>> = {},
): TestService {
  const mailbox = new Mailbox()
  const auth = createAuth<TestSession, TestToken>({
    secret: 'the secret of the tests of the client',
    providers: [passport, email({ mailer: mailbox, from: 'sign-in@app.example' })],
    storage: memoryStorage(),
    callbacks: {
      jwt: ({ token }): TestToken => token,
      session: ({ session, token }) => ({ ...session, note: token.note ?? null }),
    },
    ...over,
    session: {
      update({ token, data }) {
        if (typeof data !== 'string') throw new TypeError('a note is a text')
        return { ...token, note: data }
      },
      ...over.session,
    },
    logger: { error: () => undefined, warn: () => undefined },
  })
  return { auth, mailbox }
}
