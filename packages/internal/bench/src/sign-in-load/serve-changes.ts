/** A separate process: serves a user who signs in, and users who change their passwords, until its parent disconnects. */
import { createListener, listen } from '@latchkey/node'
import assert from 'node:assert/strict'
import { readJson } from '../contenders/checks.ts'
import { basePath } from '../contenders/contender.ts'
import type { Answer } from '../contenders/contender.ts'
import {
  CLIENT_IP,
  createLatchkeyPasswords,
  createPasswordUser,
} from '../contenders/latchkey-passwords.ts'
import { createSlowHasher } from '../contenders/slow-hasher.ts'
import { createPost, Visitor } from '../contenders/visitor.ts'
import type { ServedRequest } from '../http/served.ts'
import { toServed } from './create-users.ts'
import type { ServedChanges } from './served-users.ts'

const PASSWORD = 'four words that differ'
const addresses = ['192.0.2.1', '192.0.2.2', '192.0.2.3']
/** Requests from each IP address: as many as the limit of sign-ins begun by one client allows. */
const CHANGES = 55

let answer: Answer = async () => new Response(null, { status: 503 })
const server = await listen(
  createListener((request) => answer(request)),
  { host: '127.0.0.1', port: 0 },
)
const base = server.url + basePath
const hasher = createSlowHasher(100)
const service = await createLatchkeyPasswords(hasher, server.url)
answer = service.answer
const data = JSON.stringify({ hash: await hasher.hash(PASSWORD) })

/** A browser in which a user has signed in. */
interface KnownBrowser {
  readonly visitor: Visitor
  readonly csrfToken: string
}

async function signIn(email: string): Promise<KnownBrowser> {
  await createPasswordUser(service.storage, email, data)
  const visitor = new Visitor(answer, base)
  const csrfToken = await readToken(visitor)
  const form = new URLSearchParams({ csrfToken, email, password: PASSWORD })
  assert.equal((await visitor.post('/signin/passwords', String(form))).status, 302)
  return { visitor, csrfToken: await readToken(visitor) }
}

async function readToken(visitor: Visitor): Promise<string> {
  const { csrfToken } = (await readJson(await visitor.get('/csrf'))) as { csrfToken: string }
  return csrfToken
}

function toRequest(
  browser: KnownBrowser,
  ip: string,
  fields: Readonly<Record<string, string>>,
): Promise<ServedRequest> {
  const form = new URLSearchParams({ csrfToken: browser.csrfToken, ...fields })
  const request = new Request(
    `${base}/signin/passwords`,
    createPost(base, browser.visitor.cookie, String(form)),
  )
  request.headers.set(CLIENT_IP, ip)
  return toServed(request, 302)
}

async function createChanges(round: number): Promise<readonly ServedRequest[]> {
  const browser = await signIn(`mallory-${round}@mail.example`)
  const requests = addresses.flatMap((ip) =>
    Array.from({ length: CHANGES }, (_, i) =>
      toRequest(browser, ip, { action: 'change', password: `${PASSWORD} from ${ip} ${i}` }),
    ),
  )
  return Promise.all(requests)
}

const alice = 'alice@mail.example'
const { visitor, csrfToken } = await signIn(alice)
// Without a session the request can be repeated: a sign-in ends the session before it, with its CSRF token.
await visitor.post('/signout', String(new URLSearchParams({ csrfToken })))
const known = { visitor, csrfToken: await readToken(visitor) }
const ofAlice = await toRequest(known, '198.51.100.1', { email: alice, password: PASSWORD })
const changes: (readonly ServedRequest[])[] = []
for (let round = 0; round < Number(process.argv[2]); round++)
  changes.push(await createChanges(round))
process.on('disconnect', () => process.exit())
process.send?.({
  url: server.url,
  session: { path: `${basePath}/providers`, method: 'GET', headers: {}, body: '', status: 200 },
  signIn: ofAlice,
  changes,
} satisfies ServedChanges)
