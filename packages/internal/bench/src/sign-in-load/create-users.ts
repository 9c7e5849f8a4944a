import assert from 'node:assert/strict'
import { scrypt } from '@latchkey/passwords/scrypt'
import { readCsrfToken, readJson } from '../contenders/checks.ts'
import { basePath } from '../contenders/contender.ts'
import type { Answer } from '../contenders/contender.ts'
import { createLatchkeyPasswords, createPasswordUser } from '../contenders/latchkey-passwords.ts'
import { createPost, Visitor } from '../contenders/visitor.ts'
import { toServed } from '../served.ts'
import type { ServedUsers } from '../served.ts'

/** A service with users, and requests to it. */
type LoadedService = Omit<ServedUsers, 'url'> & { readonly answer: Answer }

const PASSWORD = 'four words that differ'

/** Creates a service whose users have passwords, hashed with its own scrypt. The first user has signed in. */
export async function createUsers(origin: string, users: number): Promise<LoadedService> {
  const hasher = scrypt()
  const { answer, storage } = await createLatchkeyPasswords(hasher, origin)
  // One hash for all users: as many hashes would take minutes.
  const data = JSON.stringify({ hash: await hasher.hash(PASSWORD) })
  const emails = Array.from({ length: users }, (_, i) => `user-${i}@mail.example`)
  for (const email of emails) await createPasswordUser(storage, email, data)
  const base = origin + basePath
  const visitor = new Visitor(answer, base)
  const csrfToken = await readCsrfToken(visitor)
  const toForm = (email: string): string =>
    String(new URLSearchParams({ csrfToken, callbackUrl: origin, email, password: PASSWORD }))
  const requests = emails.map((email) => {
    const init = createPost(base, visitor.cookie, toForm(email))
    return toServed(new Request(`${base}/signin/passwords`, init), 302)
  })
  const reader = new Visitor(answer, base, visitor.cookies)
  await reader.post('/signin/passwords', toForm('user-0@mail.example'))
  const session = await readJson(await reader.get('/session'))
  assert.partialDeepStrictEqual(session, { user: { email: 'user-0@mail.example' } })
  const read = new Request(`${base}/session`, { headers: { cookie: reader.cookie } })
  return { answer, signIns: await Promise.all(requests), session: await toServed(read, 200) }
}
