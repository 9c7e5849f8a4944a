import assert from 'node:assert/strict'
import { scrypt } from '@latchkey/passwords/scrypt'
import { createBetterAuthPasswords } from '../contenders/better-auth.ts'
import { readCsrfToken, readJson } from '../contenders/checks.ts'
import { basePath } from '../contenders/contender.ts'
import type { Answer } from '../contenders/contender.ts'
import { createLatchkeyPasswords, createPasswordUser } from '../contenders/latchkey-passwords.ts'
import { createPost, Visitor } from '../contenders/visitor.ts'
import { toServed } from '../served.ts'
import type { ServedRequest, ServedUsers } from '../served.ts'

/** A service with users, and requests to it. */
type LoadedService = Omit<ServedUsers, 'url'> & { readonly answer: Answer }

const PASSWORD = 'four words that differ'

/** Creates a service whose users have passwords, hashed with the service's own scrypt. */
export async function createLatchkey(origin: string, users: number): Promise<LoadedService> {
  const hasher = scrypt()
  const { answer, storage } = await createLatchkeyPasswords(hasher, origin)
  // One hash for all users: as many hashes would take minutes.
  const data = JSON.stringify({ hash: await hasher.hash(PASSWORD) })
  const emails = createEmails(users)
  for (const email of emails) await createPasswordUser(storage, email, data)
  const base = origin + basePath
  const visitor = new Visitor(answer, base)
  const csrfToken = await readCsrfToken(visitor)
  const requests = emails.map((email) => {
    const form = { csrfToken, callbackUrl: origin, email, password: PASSWORD }
    const init = createPost(base, visitor.cookie, String(new URLSearchParams(form)))
    return toServed(new Request(`${base}/signin/passwords`, init), 302)
  })
  return withSession(answer, origin, await Promise.all(requests), '/session')
}

/** The same with better-auth. */
export async function createBetterAuth(origin: string, users: number): Promise<LoadedService> {
  const { answer, context } = await createBetterAuthPasswords(false, undefined, origin)
  const { internalAdapter, password: hasher } = await context
  const password = await hasher.hash(PASSWORD)
  const emails = createEmails(users)
  for (const email of emails) {
    const user = { email, name: 'Ada Lovelace' }
    const { id: userId } = await internalAdapter.createUser(user, { method: 'email-password' })
    const account = { userId, accountId: userId, providerId: 'credential', password }
    await internalAdapter.linkAccount(account)
  }
  const requests = emails.map((email) => {
    const init = createPost(origin, '', { email, password: PASSWORD })
    return toServed(new Request(`${origin}${basePath}/sign-in/email`, init), 200)
  })
  return withSession(answer, origin, await Promise.all(requests), '/get-session')
}

function createEmails(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `user-${i}@mail.example`)
}

/** Signs the first user in, and adds the request that reads the session. */
async function withSession(
  answer: Answer,
  origin: string,
  signIns: readonly ServedRequest[],
  path: string,
): Promise<LoadedService> {
  const [first] = signIns
  assert.ok(first, 'expected at least one user')
  const { method, headers, body, status } = first
  const signedIn = await answer(new Request(origin + first.path, { method, headers, body }))
  assert.equal(signedIn.status, status)
  const cookies = signedIn.headers.getSetCookie().map((line) => line.split(';', 1).join())
  const init = { headers: { cookie: cookies.join('; ') } }
  const request = new Request(`${origin}${basePath}${path}`, init)
  const session = await readJson(await answer(request))
  assert.partialDeepStrictEqual(session, { user: { email: 'user-0@mail.example' } })
  return { answer, signIns, session: await toServed(request, 200) }
}
