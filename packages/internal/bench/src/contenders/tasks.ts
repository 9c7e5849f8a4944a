import assert from 'node:assert/strict'
import { BASE, createTask, ORIGIN } from './contender.ts'
import type { Answer, Task, Tasks } from './contender.ts'
import { checkAuthorizationUrl, checkMailSession, checkSession, readCsrfToken } from './checks.ts'
import { readJson } from './checks.ts'
import { toCallbackUrl } from './identity-provider.ts'
import type { Mailbox } from './mailbox.ts'
import { createPost, Visitor } from './visitor.ts'

/** What a browser posts: a form, or an object as JSON. */
type Post = readonly [path: string, content: string | object]

/** A service, and how browsers talk to it. */
export interface Service {
  readonly answer: Answer
  readonly sessionPath: string
  /** The body of the session without a session. */
  readonly noSession: string
  /** The cookies of a browser that is signed out. */
  readonly cookies: ReadonlyMap<string, string>
  readonly signIn: Post
  /** Returns the URL of the identity provider from the answer to {@link signIn}. */
  readonly readUrl: (response: Response) => Promise<string>
  readonly toMail: (recipient: string) => Post
}

/** Creates the work on a service that keeps its sessions in cookies. */
export async function createCookieTasks(service: Service): Promise<Tasks> {
  const { answer, noSession, sessionPath, signIn, readUrl } = service
  const [path, content] = signIn
  const init = createPost(BASE, open(service).cookie, content)
  return {
    session: await createSessionTask(service),
    noSession: createGetTask(service, sessionPath, '', async (response) =>
      assert.equal(JSON.stringify(await readJson(response)), noSession),
    ),
    start: createTask(
      answer,
      () => new Request(BASE + path, init),
      async (response) => checkAuthorizationUrl(await readUrl(response), `${BASE}/callback/github`),
    ),
    signIn: { run: () => runSignIn(service, open(service)), check: checkSession },
  }
}

/** Creates the work on a service that keeps its sessions in a database, and sends email. */
export async function createStoredTasks(service: Service, mailbox: Mailbox): Promise<Tasks> {
  const requestMail = (visitor: Visitor, recipient: string): Promise<Response> =>
    visitor.post(...service.toMail(recipient))
  return {
    storedSession: await createSessionTask(service),
    storedSignIn: { run: () => runSignIn(service, open(service)), check: checkSession },
    mail: {
      run: () => requestMail(open(service), mailbox.createRecipient()),
      check: async ({ status }) => assert.ok(status === 200 || status === 302),
    },
    mailSignIn: {
      async run() {
        const visitor = open(service)
        const recipient = mailbox.createRecipient()
        await requestMail(visitor, recipient)
        await visitor.get(mailbox.take(recipient))
        return visitor.get(service.sessionPath)
      },
      check: checkMailSession,
    },
  }
}

/** Returns how browsers talk to a service with the REST interface of next-auth v4, and their CSRF token. */
export async function createRestService(
  answer: Answer,
  noSession: string,
): Promise<Service & { readonly csrfToken: string }> {
  const visitor = new Visitor(answer, BASE)
  const csrfToken = await readCsrfToken(visitor)
  const form = `csrfToken=${csrfToken}&callbackUrl=${encodeURIComponent(ORIGIN)}`
  return {
    answer,
    csrfToken,
    noSession,
    sessionPath: '/session',
    cookies: visitor.cookies,
    signIn: ['/signin/github', form],
    readUrl: async ({ headers }) => headers.get('location') ?? '',
    toMail: (email) => ['/signin/email', `${form}&email=${encodeURIComponent(email)}`],
  }
}

/** Creates the work that only services with the REST interface of next-auth v4 can do, and the work of all. */
export async function createRestTasks(answer: Answer, noSession: string): Promise<Tasks> {
  const service = await createRestService(answer, noSession)
  const { csrfToken } = service
  const { cookie } = open(service)
  return {
    ...(await createCookieTasks(service)),
    csrf: createGetTask(service, '/csrf', cookie, async (response) => {
      assert.deepEqual(response.headers.getSetCookie(), [])
      assert.deepEqual(await readJson(response), { csrfToken })
    }),
    newCsrf: createGetTask(service, '/csrf', '', async (response) => {
      const { csrfToken: token } = (await readJson(response)) as { csrfToken: string }
      assert.ok(response.headers.getSetCookie().some((line) => line.includes(token)))
    }),
    providers: createGetTask(service, '/providers', cookie, async (response) =>
      assert.partialDeepStrictEqual(await readJson(response), {
        github: { id: 'github', callbackUrl: `${BASE}/callback/github` },
        google: { id: 'google', signinUrl: `${BASE}/signin/google` },
      }),
    ),
    signInPage: createGetTask(service, '/signin', cookie, async (response) => {
      const html = await response.text()
      for (const text of [`action="${BASE}/signin/github"`, `${BASE}/signin/google`, csrfToken]) {
        assert.ok(html.includes(text), `the page lacks ${text}`)
      }
    }),
  }
}

function open({ answer, cookies }: Service): Visitor {
  return new Visitor(answer, BASE, cookies)
}

function createGetTask(
  { answer }: Service,
  path: string,
  cookie: string,
  check: Task['check'],
): Task {
  const init = cookie === '' ? {} : { headers: { cookie } }
  return createTask(answer, () => new Request(BASE + path, init), check)
}

async function createSessionTask(service: Service): Promise<Task> {
  const { cookie } = await openSignedIn(service)
  return createGetTask(service, service.sessionPath, cookie, checkSession)
}

/** Returns the browser of a user who has signed in through GitHub. */
export async function openSignedIn(service: Service): Promise<Visitor> {
  const visitor = open(service)
  await runSignIn(service, visitor)
  return visitor
}

/** Signs in through GitHub and returns the session. */
async function runSignIn(
  { signIn, readUrl, sessionPath }: Service,
  visitor: Visitor,
): Promise<Response> {
  const started = await visitor.post(...signIn)
  await visitor.get(toCallbackUrl(await readUrl(started)))
  return visitor.get(sessionPath)
}
