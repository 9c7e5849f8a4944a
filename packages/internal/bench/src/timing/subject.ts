import assert from 'node:assert/strict'
import { cheapHasher } from '../contenders/cheap-hasher.ts'
import { readCsrfToken } from '../contenders/checks.ts'
import { basePath, ORIGIN } from '../contenders/contender.ts'
import type { Answer } from '../contenders/contender.ts'
import { createLatchkeyPasswords } from '../contenders/latchkey-passwords.ts'
import type { Mailbox } from '../contenders/mailbox.ts'
import { createPost, Visitor } from '../contenders/visitor.ts'

type Fields = Readonly<Record<string, string>>

/** A service whose answers about known and unknown email addresses are compared. */
export interface TimedSubject {
  readonly answer: Answer
  readonly mailbox: Mailbox
  /** Creates a request of a visitor. */
  readonly submit: (fields: Fields) => Request
  /** Stores a user with this email address and a password, as a visitor does. */
  readonly register: (email: string) => Promise<void>
}

/** The fields of each action, without the email address, in the order of the table. */
export const actions: Readonly<Record<string, Fields>> = {
  'sign in, wrong password': { password: 'four words of another' },
  'ask for a reset link': { action: 'forgot' },
  register: { action: 'register' },
}

const base = ORIGIN + basePath

/** Creates the service, with a cheap hasher. */
export async function createSubject(): Promise<TimedSubject> {
  const { answer, mailbox } = await createLatchkeyPasswords(cheapHasher)
  const visitor = new Visitor(answer, base)
  const csrfToken = await readCsrfToken(visitor)
  const toForm = (fields: Fields): string =>
    String(new URLSearchParams({ csrfToken, callbackUrl: ORIGIN, ...fields }))
  return {
    answer,
    mailbox,
    submit: (fields) =>
      new Request(`${base}/signin/passwords`, createPost(base, visitor.cookie, toForm(fields))),
    async register(email) {
      const browser = new Visitor(answer, base, visitor.cookies)
      await browser.post('/signin/passwords', toForm({ action: 'register', email }))
      const fields = Object.fromEntries(new URL(mailbox.take(email)).searchParams)
      const form = toForm({ ...fields, password: 'four words that differ' })
      assert.equal((await browser.post('/callback/passwords', form)).status, 302)
    },
  }
}
