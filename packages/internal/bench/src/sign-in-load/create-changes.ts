import assert from 'node:assert/strict'
import { readCsrfToken } from '../contenders/checks.ts'
import { basePath } from '../contenders/contender.ts'
import type { Answer } from '../contenders/contender.ts'
import {
  CLIENT_IP,
  createLatchkeyPasswords,
  createPasswordUser,
} from '../contenders/latchkey-passwords.ts'
import { createSlowHasher } from '../contenders/slow-hasher.ts'
import { createPost, Visitor } from '../contenders/visitor.ts'
import { toServed } from '../served.ts'
import type { ServedChanges, ServedRequest } from '../served.ts'

const PASSWORD = 'four words that differ'
const addresses = ['192.0.2.1', '192.0.2.2', '192.0.2.3']
/** Requests from each IP address: as many as the limit of sign-ins begun by one client allows. */
const CHANGES = 55

/** Creates a service with a user who signs in, and a user for each round who changes the password. */
export async function createChanges(
  origin: string,
  rounds: number,
): Promise<Omit<ServedChanges, 'url'> & { readonly answer: Answer }> {
  const base = origin + basePath
  const hasher = createSlowHasher(100)
  const { answer, storage } = await createLatchkeyPasswords(hasher, origin)
  const data = JSON.stringify({ hash: await hasher.hash(PASSWORD) })

  const signIn = async (email: string): Promise<Visitor> => {
    await createPasswordUser(storage, email, data)
    const visitor = new Visitor(answer, base)
    const form = { csrfToken: await readCsrfToken(visitor), email, password: PASSWORD }
    const { status } = await visitor.post('/signin/passwords', String(new URLSearchParams(form)))
    assert.equal(status, 302)
    return visitor
  }
  const createRequest = (cookie: string, ip: string, fields: object): Promise<ServedRequest> => {
    const content = String(new URLSearchParams({ ...fields }))
    const request = new Request(`${base}/signin/passwords`, createPost(base, cookie, content))
    request.headers.set(CLIENT_IP, ip)
    return toServed(request, 302)
  }

  const email = 'alice@mail.example'
  const alice = await signIn(email)
  // Without a session the request can be repeated: a sign-in ends the session before it, with its CSRF token.
  const signOut = new URLSearchParams({ csrfToken: await readCsrfToken(alice) })
  await alice.post('/signout', String(signOut))
  const known = { csrfToken: await readCsrfToken(alice), email, password: PASSWORD }
  const changes: (readonly ServedRequest[])[] = []
  for (let round = 0; round < rounds; round++) {
    const mallory = await signIn(`mallory-${round}@mail.example`)
    const csrfToken = await readCsrfToken(mallory)
    const requests = addresses.flatMap((ip) =>
      Array.from({ length: CHANGES }, (_, i) => {
        const password = `${PASSWORD} from ${ip} ${i}`
        return createRequest(mallory.cookie, ip, { csrfToken, action: 'change', password })
      }),
    )
    changes.push(await Promise.all(requests))
  }
  return {
    answer,
    session: await toServed(new Request(`${base}/providers`), 200),
    signIn: await createRequest(alice.cookie, '198.51.100.1', known),
    changes,
  }
}
