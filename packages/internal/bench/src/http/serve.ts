/** A separate process: serves a contender, or as many users with passwords, until its parent disconnects. */
import { createListener, listen } from '@latchkey/node'
import { scrypt } from '@latchkey/passwords/scrypt'
import { BASE, ORIGIN } from '../contenders/contender.ts'
import type { Task } from '../contenders/contender.ts'
import { cookieContenders } from '../contenders/contenders.ts'
import type { ContenderName } from '../contenders/contenders.ts'
import { installIdentityProvider } from '../contenders/identity-provider.ts'
import type { Visitor } from '../contenders/visitor.ts'
import { createSubject, PASSWORD } from '../timing/subject.ts'
import { servedIds } from './load.ts'
import type { Served, ServedRequest } from './load.ts'

const [kind, argument = ''] = process.argv.slice(2)
const { answer, ...served } = await (kind === 'contender'
  ? createContender(argument as ContenderName)
  : createUsers(Number(argument)))
if (!answer) throw new Error(`${argument} answers no single request`)
await listen(
  // Without the client's IP address: the peers have no limits per client.
  createListener((request) => answer(request)),
  { host: '127.0.0.1', port: Number(new URL(ORIGIN).port) },
)
process.on('disconnect', () => process.exit())
process.send?.(served)

type Service = Served & { readonly answer: Task['answer'] | undefined }

async function createContender(name: ContenderName): Promise<Service> {
  installIdentityProvider()
  const tasks = await cookieContenders[name]()
  const requests: Served['requests'] = {}
  for (const id of servedIds) {
    const { request, run, check } = tasks[id] ?? {}
    if (!request || !run || !check) continue
    const response = await run()
    const { status } = response
    await check(response)
    requests[id] = await describe(request(), status)
  }
  return { answer: tasks.session?.answer, requests, signIns: [] }
}

async function createUsers(count: number): Promise<Service> {
  const { register, submit, answer: handle } = await createSubject(scrypt())
  const emails = Array.from({ length: count }, (_, i) => `user-${i}@mail.example`)
  // One after the other: the queue of hashes has an end.
  const browsers: Visitor[] = []
  for (const email of emails) browsers.push(await register(email))
  const headers = { cookie: browsers[0]?.cookie ?? '' }
  return {
    answer: handle,
    requests: { session: await describe(new Request(`${BASE}/session`, { headers }), 200) },
    signIns: await Promise.all(
      emails.map((email) => describe(submit({ email, password: PASSWORD }), 302)),
    ),
  }
}

async function describe(request: Request, status: number): Promise<ServedRequest> {
  const { method, headers } = request
  const path = new URL(request.url).pathname
  return { path, method, headers: Object.fromEntries(headers), body: await request.text(), status }
}
