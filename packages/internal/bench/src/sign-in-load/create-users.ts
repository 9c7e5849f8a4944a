import assert from 'node:assert/strict'
import { scrypt } from '@latchkey/passwords/scrypt'
import { createBetterAuthPasswords } from '../contenders/better-auth-passwords.ts'
import { readJson } from '../contenders/checks.ts'
import { basePath } from '../contenders/contender.ts'
import type { Answer } from '../contenders/contender.ts'
import { createLatchkeyPasswords, createPasswordUser } from '../contenders/latchkey-passwords.ts'
import { createPost, Visitor } from '../contenders/visitor.ts'
import type { ServedRequest } from '../http/served.ts'
import type { LoadedName, ServedUsers } from './served-users.ts'

/** A service with users, and requests to it. */
export interface LoadedService extends Omit<ServedUsers, 'url'> {
  readonly answer: Answer
}

const PASSWORD = 'four words that differ'

/** Creates a service whose users have passwords, hashed with the service's own scrypt. */
export const createLoadedService: Readonly<
  Record<LoadedName, (origin: string, users: number) => Promise<LoadedService>>
> = {
  latchkey: createLatchkey,
  betterAuth: createBetterAuth,
}

async function createLatchkey(origin: string, users: number): Promise<LoadedService> {
  const hasher = scrypt()
  const { answer, storage } = await createLatchkeyPasswords(hasher, origin)
  // One hash for all users: as many hashes would take minutes.
  const data = JSON.stringify({ hash: await hasher.hash(PASSWORD) })
  const emails = createEmails(users)
  for (const email of emails) await createPasswordUser(storage, email, data)
  const base = origin + basePath
  const visitor = new Visitor(answer, base)
  const { csrfToken } = (await readJson(await visitor.get('/csrf'))) as { csrfToken: string }
  const requests = emails.map((email) => {
    const form = { csrfToken, callbackUrl: origin, email, password: PASSWORD }
    const init = createPost(base, visitor.cookie, String(new URLSearchParams(form)))
    return toServed(new Request(`${base}/signin/passwords`, init), 302)
  })
  const signIns = await Promise.all(requests)
  return { answer, signIns, session: await signIn(answer, origin, signIns, '/session') }
}

async function createBetterAuth(origin: string, users: number): Promise<LoadedService> {
  const { answer, context } = await createBetterAuthPasswords({ verifiesEmails: false, origin })
  const { internalAdapter, password: hasher } = await context
  const password = await hasher.hash(PASSWORD)
  const emails = createEmails(users)
  for (const email of emails) {
    const { id: userId } = await internalAdapter.createUser(
      { email, name: 'Ada Lovelace' },
      { method: 'email-password' },
    )
    const account = { userId, accountId: userId, providerId: 'credential', password }
    await internalAdapter.linkAccount(account)
  }
  const requests = emails.map((email) => {
    const init = createPost(origin, '', { email, password: PASSWORD })
    return toServed(new Request(`${origin}${basePath}/sign-in/email`, init), 200)
  })
  const signIns = await Promise.all(requests)
  return { answer, signIns, session: await signIn(answer, origin, signIns, '/get-session') }
}

function createEmails(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `user-${i}@mail.example`)
}

export async function toServed(request: Request, status: number): Promise<ServedRequest> {
  const { method, headers } = request
  const path = new URL(request.url).pathname
  return { path, method, headers: Object.fromEntries(headers), body: await request.text(), status }
}

/** Signs the first user in, and returns the request that reads the session. */
async function signIn(
  answer: Answer,
  origin: string,
  [first]: readonly ServedRequest[],
  path: string,
): Promise<ServedRequest> {
  assert.ok(first, 'expected at least one user')
  const { method, headers, body, status } = first
  const signedIn = await answer(new Request(origin + first.path, { method, headers, body }))
  assert.equal(signedIn.status, status)
  const cookies = signedIn.headers.getSetCookie().map((line) => line.split(';', 1).join())
  const cookie = cookies.join('; ')
  const url = `${origin}${basePath}${path}`
  const session = await readJson(await answer(new Request(url, { headers: { cookie } })))
  assert.partialDeepStrictEqual(session, { user: { email: 'user-0@mail.example' } })
  return { path: basePath + path, method: 'GET', headers: { cookie }, body: '', status: 200 }
}
