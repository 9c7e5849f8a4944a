import assert from 'node:assert/strict'
import { scrypt } from '@latchkey/passwords/scrypt'
import type { PasswordHasher } from '@latchkey/passwords'
import { readJson } from '../contenders/checks.ts'
import { createBetterAuthPasswords } from '../contenders/better-auth-passwords.ts'
import type { BetterAuthPasswords } from '../contenders/better-auth-passwords.ts'
import { cheapHasher } from '../contenders/cheap-hasher.ts'
import { basePath, ORIGIN } from '../contenders/contender.ts'
import { createLatchkeyPasswords } from '../contenders/latchkey-passwords.ts'
import type { LatchkeyPasswords } from '../contenders/latchkey-passwords.ts'
import { createPost, Visitor } from '../contenders/visitor.ts'
import { PASSWORD, WRONG_PASSWORD } from './subject.ts'
import type { TimedSubject } from './subject.ts'

/** The hashers to choose from: the same cheap one for all, or each service's own scrypt. */
export type HasherName = 'cheap' | 'scrypt'

const base = ORIGIN + basePath

/** Creates the services that are compared. */
export async function createSubjects(name: HasherName): Promise<TimedSubject[]> {
  const hasher = name === 'cheap' ? cheapHasher : undefined
  const strict = await createBetterAuthSubject('better-auth', { hasher, verifiesEmails: true })
  const byDefault = await createBetterAuthSubject('better-auth, defaults', {
    hasher,
    verifiesEmails: false,
  })
  return [
    await createLatchkeySubject(hasher ?? scrypt()),
    strict,
    { ...byDefault, actions: byDefault.actions.filter(({ id }) => id === 'register') },
  ]
}

async function createLatchkeySubject(hasher: PasswordHasher): Promise<TimedSubject> {
  const service = await createLatchkeyPasswords(hasher)
  const { answer, mailbox } = service
  const visitor = new Visitor(answer, base)
  const { csrfToken } = (await readJson(await visitor.get('/csrf'))) as { csrfToken: string }
  const toForm = (fields: Readonly<Record<string, string>>): string =>
    String(new URLSearchParams({ csrfToken, callbackUrl: ORIGIN, ...fields }))
  const submit = (fields: Readonly<Record<string, string>>): Request =>
    new Request(`${base}/signin/passwords`, createPost(base, visitor.cookie, toForm(fields)))
  return {
    title: 'Latchkey',
    answer,
    mailbox,
    register: (email) =>
      registerAtLatchkey(service, new Visitor(answer, base, visitor.cookies), {
        email,
        csrfToken,
      }),
    actions: [
      { id: 'signIn', createRequest: (email) => submit({ email, password: WRONG_PASSWORD }) },
      { id: 'forgot', createRequest: (email) => submit({ email, action: 'forgot' }) },
      { id: 'register', createRequest: (email) => submit({ email, action: 'register' }) },
    ],
  }
}

async function registerAtLatchkey(
  { mailbox }: LatchkeyPasswords,
  visitor: Visitor,
  { email, csrfToken }: { readonly email: string; readonly csrfToken: string },
): Promise<void> {
  const form = { csrfToken, action: 'register', email }
  await visitor.post('/signin/passwords', String(new URLSearchParams(form)))
  const { searchParams } = new URL(mailbox.take(email))
  const choice = new URLSearchParams([...searchParams, ['csrfToken', csrfToken]])
  choice.set('password', PASSWORD)
  const response = await visitor.post('/callback/passwords', String(choice))
  assert.equal(response.status, 302)
}

async function createBetterAuthSubject(
  title: string,
  options: Parameters<typeof createBetterAuthPasswords>[0],
): Promise<TimedSubject> {
  const service = await createBetterAuthPasswords(options)
  const { answer, mailbox } = service
  return {
    title,
    answer,
    mailbox,
    register: (email) => registerAtBetterAuth(service, email),
    actions: [
      {
        id: 'signIn',
        createRequest: (email) => post('/sign-in/email', { email, password: WRONG_PASSWORD }),
      },
      {
        id: 'forgot',
        createRequest: (email) => post('/request-password-reset', { email, redirectTo: '/reset' }),
      },
      { id: 'register', createRequest: signUp, storesUser: true },
    ],
  }
}

function signUp(email: string): Request {
  const user = { email, name: 'Ada Lovelace', password: PASSWORD }
  return post('/sign-up/email', { ...user, callbackURL: '/' })
}

function post(path: string, content: object): Request {
  return new Request(base + path, createPost(base, '', content))
}

async function registerAtBetterAuth(
  { answer, mailbox, context }: BetterAuthPasswords,
  email: string,
): Promise<void> {
  assert.equal((await answer(signUp(email))).status, 200)
  const { emailAndPassword } = (await context).options
  if (emailAndPassword?.requireEmailVerification !== true) return
  const { status } = await answer(new Request(mailbox.take(email)))
  assert.equal(status, 302)
}
