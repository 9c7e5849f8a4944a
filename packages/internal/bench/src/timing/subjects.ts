import assert from 'node:assert/strict'
import { createBetterAuthPasswords } from '../contenders/better-auth.ts'
import { cheapHasher } from '../contenders/cheap-hasher.ts'
import { readCsrfToken } from '../contenders/checks.ts'
import { basePath, ORIGIN } from '../contenders/contender.ts'
import type { Answer } from '../contenders/contender.ts'
import { createLatchkeyPasswords } from '../contenders/latchkey-passwords.ts'
import type { Mailbox } from '../contenders/mailbox.ts'
import { createPost, Visitor } from '../contenders/visitor.ts'

/** The actions, in the order of the table. */
type Action = 'sign in, wrong password' | 'ask for a reset link' | 'register'

/** A service whose answers about known and unknown email addresses are compared. */
export interface TimedSubject {
  readonly title: string
  readonly answer: Answer
  readonly mailbox: Mailbox
  /** Create the request of each action that is measured. */
  readonly actions: Readonly<Partial<Record<Action, (email: string) => Request>>>
  /** Whether `register` stores a user, so that an unknown email address serves only once. */
  readonly storesUsers: boolean
  /** Stores a user with this email address and a password, as a visitor does. */
  readonly register: (email: string) => Promise<void>
}

const PASSWORD = 'four words that differ'
const WRONG_PASSWORD = 'four words of another'
const base = ORIGIN + basePath

/** Creates the services that are compared, with the same cheap hasher. */
export async function createSubjects(): Promise<TimedSubject[]> {
  const byDefault = await createBetterAuthSubject('better-auth, defaults', false)
  return [
    await createLatchkeySubject(),
    await createBetterAuthSubject('better-auth', true),
    { ...byDefault, actions: { register: signUp } },
  ]
}

async function createLatchkeySubject(): Promise<TimedSubject> {
  const { answer, mailbox } = await createLatchkeyPasswords(cheapHasher)
  const visitor = new Visitor(answer, base)
  const csrfToken = await readCsrfToken(visitor)
  const toForm = (fields: Readonly<Record<string, string>>): string =>
    String(new URLSearchParams({ csrfToken, callbackUrl: ORIGIN, ...fields }))
  const submit = (fields: Readonly<Record<string, string>>): Request =>
    new Request(`${base}/signin/passwords`, createPost(base, visitor.cookie, toForm(fields)))
  return {
    title: 'Latchkey',
    answer,
    mailbox,
    storesUsers: false,
    actions: {
      'sign in, wrong password': (email) => submit({ email, password: WRONG_PASSWORD }),
      'ask for a reset link': (email) => submit({ email, action: 'forgot' }),
      register: (email) => submit({ email, action: 'register' }),
    },
    async register(email) {
      const browser = new Visitor(answer, base, visitor.cookies)
      await browser.post('/signin/passwords', toForm({ action: 'register', email }))
      const { searchParams } = new URL(mailbox.take(email))
      const choice = { ...Object.fromEntries(searchParams), csrfToken, password: PASSWORD }
      const { status } = await browser.post(
        '/callback/passwords',
        String(new URLSearchParams(choice)),
      )
      assert.equal(status, 302)
    },
  }
}

async function createBetterAuthSubject(
  title: string,
  verifiesEmails: boolean,
): Promise<TimedSubject> {
  const { answer, mailbox } = await createBetterAuthPasswords(verifiesEmails, cheapHasher)
  return {
    title,
    answer,
    mailbox,
    storesUsers: true,
    actions: {
      'sign in, wrong password': (email) =>
        post('/sign-in/email', { email, password: WRONG_PASSWORD }),
      'ask for a reset link': (email) =>
        post('/request-password-reset', { email, redirectTo: '/reset' }),
      register: signUp,
    },
    async register(email) {
      assert.equal((await answer(signUp(email))).status, 200)
      if (!verifiesEmails) return
      assert.equal((await answer(new Request(mailbox.take(email)))).status, 302)
    },
  }
}

function post(path: string, content: object): Request {
  return new Request(base + path, createPost(base, '', content))
}

function signUp(email: string): Request {
  return post('/sign-up/email', { email, name: 'Ada', password: PASSWORD, callbackURL: '/' })
}
