import assert from 'node:assert/strict'
import { basePath, createTask } from './contender.ts'
import type { Answer, Task, Tasks } from './contender.ts'
import { checkAuthorizationUrl, checkMailSession, checkSession, readJson } from './checks.ts'
import { toCallbackUrl } from './identity-provider.ts'
import type { Mailbox } from './mailbox.ts'
import { createPost, Visitor } from './visitor.ts'

/** A service with the REST interface of next-auth v4: Latchkey or @auth/core. */
export interface RestService {
  readonly origin: string
  readonly answer: Answer
}

/** The service, with a browser that is signed out and has its CSRF token. */
interface VisitedService extends RestService {
  readonly base: string
  readonly visitor: Visitor
  readonly csrfToken: string
}

/**
 * Creates the work on a service that keeps its sessions in cookies.
 *
 * @param noSession The body of `GET /session` without a session
 */
export async function createCookieTasks(service: RestService, noSession: string): Promise<Tasks> {
  const visited = await visit(service)
  const { answer, visitor } = visited
  const get = (path: string, check: Task['check'], cookie?: string): Task =>
    createTask(answer, () => createGet(visited.base + path, cookie), check)
  return {
    session: get('/session', checkSession, await signIn(visited)),
    noSession: get('/session', (response) => checkBody(response, noSession)),
    csrf: get('/csrf', (response) => checkSameToken(response, visited), visitor.cookie),
    newCsrf: get('/csrf', checkNewToken),
    providers: get('/providers', (response) => checkProviders(response, visited), visitor.cookie),
    signInPage: get('/signin', (response) => checkForms(response, visited), visitor.cookie),
    start: createStartTask(visited),
    signIn: createSignInTask(visited),
  }
}

/** Creates the work on a service that keeps its sessions in a database, and sends email. */
export async function createStoredTasks(service: RestService, mailbox: Mailbox): Promise<Tasks> {
  const visited = await visit(service)
  const cookie = await signIn(visited)
  const session = (): Request => createGet(`${visited.base}/session`, cookie)
  return {
    storedSession: createTask(service.answer, session, checkSession),
    storedSignIn: createSignInTask(visited),
    mail: {
      run: () => requestMail(visited, createVisitor(visited), mailbox.createRecipient()),
      check: async ({ status }) => assert.equal(status, 302),
    },
    mailSignIn: { run: () => signInByMail(visited, mailbox), check: checkMailSession },
  }
}

async function visit(service: RestService): Promise<VisitedService> {
  const base = service.origin + basePath
  const visitor = new Visitor(service.answer, base)
  const { csrfToken } = (await readJson(await visitor.get('/csrf'))) as { csrfToken: string }
  return { ...service, base, visitor, csrfToken }
}

/** Creates a browser that has the CSRF token already. */
function createVisitor({ answer, base, visitor }: VisitedService): Visitor {
  return new Visitor(answer, base, visitor.cookies)
}

/** Returns the cookies of a browser that has signed in through GitHub. */
async function signIn(visited: VisitedService): Promise<string> {
  const visitor = createVisitor(visited)
  await runSignIn(visited, visitor)
  return visitor.cookie
}

function createSignInTask(visited: VisitedService): Task {
  return { run: () => runSignIn(visited, createVisitor(visited)), check: checkSession }
}

/** Signs in through GitHub and returns the answer of `GET /session`. */
async function runSignIn(visited: VisitedService, visitor: Visitor): Promise<Response> {
  const redirect = await visitor.post('/signin/github', toForm(visited))
  await visitor.get(toCallbackUrl(redirect.headers.get('location') ?? ''))
  return visitor.get('/session')
}

function requestMail(
  visited: VisitedService,
  visitor: Visitor,
  recipient: string,
): Promise<Response> {
  const form = `${toForm(visited)}&email=${encodeURIComponent(recipient)}`
  return visitor.post('/signin/email', form)
}

/** Follows the link in the browser that requested it, and returns the answer of `GET /session`. */
async function signInByMail(visited: VisitedService, mailbox: Mailbox): Promise<Response> {
  const visitor = createVisitor(visited)
  const recipient = mailbox.createRecipient()
  await requestMail(visited, visitor, recipient)
  await visitor.get(mailbox.take(recipient))
  return visitor.get('/session')
}

function createStartTask(visited: VisitedService): Task {
  const { answer, base, visitor } = visited
  const init = createPost(base, visitor.cookie, toForm(visited))
  const request = (): Request => new Request(`${base}/signin/github`, init)
  return createTask(answer, request, async (response) => {
    assert.equal(response.status, 302)
    assert.notEqual(response.headers.getSetCookie().length, 0)
    checkAuthorizationUrl(response.headers.get('location'), `${base}/callback/github`)
  })
}

function toForm({ csrfToken, origin }: VisitedService): string {
  return `csrfToken=${csrfToken}&callbackUrl=${encodeURIComponent(origin)}`
}

function createGet(url: string, cookie?: string): Request {
  return new Request(url, cookie === undefined ? {} : { headers: { cookie } })
}

async function checkBody(response: Response, body: string): Promise<void> {
  assert.equal(JSON.stringify(await readJson(response)), body)
}

async function checkSameToken(response: Response, { csrfToken }: VisitedService): Promise<void> {
  assert.deepEqual(response.headers.getSetCookie(), [])
  assert.deepEqual(await readJson(response), { csrfToken })
}

async function checkNewToken(response: Response): Promise<void> {
  const { csrfToken } = (await readJson(response)) as { csrfToken: string }
  assert.match(csrfToken, /^[\w-]{40,}$/)
  assert.ok(response.headers.getSetCookie().some((line) => line.includes(csrfToken)))
}

async function checkProviders(response: Response, { base }: VisitedService): Promise<void> {
  assert.partialDeepStrictEqual(await readJson(response), {
    github: { id: 'github', callbackUrl: `${base}/callback/github` },
    google: { id: 'google', signinUrl: `${base}/signin/google` },
  })
}

async function checkForms(response: Response, { base, csrfToken }: VisitedService): Promise<void> {
  assert.equal(response.status, 200)
  const html = await response.text()
  for (const provider of ['github', 'google']) {
    assert.ok(html.includes(`action="${base}/signin/${provider}"`), `no form for ${provider}`)
  }
  assert.ok(html.includes(csrfToken), 'no CSRF token of this browser')
}
