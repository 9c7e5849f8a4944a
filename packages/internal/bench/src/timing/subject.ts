import assert from 'node:assert/strict'
import { createAuth } from '@latchkey/core'
import { confirmation } from '@latchkey/core/confirmation'
import { passwords } from '@latchkey/passwords'
import type { PasswordHasher } from '@latchkey/passwords'
import { betterSqlite3Storage } from '@latchkey/storage-sql/better-sqlite3'
import { sqlFactors } from '@latchkey/storage-sql/factors'
import Database from 'better-sqlite3'
import { readCsrfToken } from '../contenders/checks.ts'
import { BASE, ORIGIN, secret } from '../contenders/contender.ts'
import type { Answer } from '../contenders/contender.ts'
import { Mailbox } from '../contenders/mailbox.ts'
import { createPost, Visitor } from '../contenders/visitor.ts'
import { cheapHasher } from './cheap-hasher.ts'

type Fields = Readonly<Record<string, string>>

/** A service whose answers about known and unknown email addresses are compared. */
export interface TimedSubject {
  readonly answer: Answer
  readonly mailbox: Mailbox
  /** Creates a request of a visitor. */
  readonly submit: (fields: Fields) => Request
  /** Stores a user with this email address and a password, as a visitor does, whose browser is then signed in. */
  readonly register: (email: string) => Promise<Visitor>
}

/** Of every user. */
export const PASSWORD = 'four words that differ'

/** The fields of each action, without the email address, in the order of the table. */
export const actions: Readonly<Record<string, Fields>> = {
  'sign in, wrong password': { password: 'four words of another' },
  'ask for a reset link': { action: 'forgot' },
  register: { action: 'register' },
}

/** Creates the service. */
export async function createSubject(hasher: PasswordHasher = cheapHasher): Promise<TimedSubject> {
  const { answer, mailbox } = await createService(hasher)
  const visitor = new Visitor(answer, BASE)
  const csrfToken = await readCsrfToken(visitor)
  const toForm = (fields: Fields): string =>
    String(new URLSearchParams({ csrfToken, callbackUrl: ORIGIN, ...fields }))
  return {
    answer,
    mailbox,
    submit: (fields) =>
      new Request(`${BASE}/signin/passwords`, createPost(BASE, visitor.cookie, toForm(fields))),
    async register(email) {
      const browser = new Visitor(answer, BASE, visitor.cookies)
      await browser.post('/signin/passwords', toForm({ action: 'register', email }))
      const fields = Object.fromEntries(new URL(mailbox.take(email)).searchParams)
      const form = toForm({ ...fields, password: PASSWORD })
      assert.equal((await browser.post('/callback/passwords', form)).status, 302)
      return browser
    },
  }
}

/** Sets up Latchkey with passwords, without limits per email address. */
async function createService(
  hasher: PasswordHasher,
): Promise<Pick<TimedSubject, 'answer' | 'mailbox'>> {
  const storage = betterSqlite3Storage(new Database(':memory:'), { factors: sqlFactors() })
  await storage.migrate()
  const mailbox = new Mailbox()
  const { handle } = createAuth({
    serviceUrl: ORIGIN,
    secret,
    storage,
    // A limit would end a measurement of thousands of requests.
    limits: { mailsPerAddress: false, credentialsPerName: false },
    session: { strategy: 'storage' },
    use: [confirmation()],
    providers: [passwords({ hasher, mailer: mailbox, from: 'bench@app.example' })],
    logger: { error: () => undefined, warn: () => undefined },
  })
  return { answer: (request) => handle(request), mailbox }
}
