import assert from 'node:assert/strict'
import { betterAuth } from 'better-auth'
import type { BetterAuthOptions } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { magicLink } from 'better-auth/plugins/magic-link'
import Database from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { basePath, client, createTask, ORIGIN, secret } from './contender.ts'
import type { Answer, Contender, Task, Tasks } from './contender.ts'
import { checkAuthorizationUrl, checkMailSession, checkSession, readJson } from './checks.ts'
import { toCallbackUrl } from './identity-provider.ts'
import { Mailbox } from './mailbox.ts'
import { createPost, Visitor } from './visitor.ts'

/** Sets up better-auth without a database: its sessions are then in encrypted cookies. */
export async function createBetterAuth(origin: string = ORIGIN): Promise<Contender> {
  const answer = createBetterAuthService(origin)
  return { answer, tasks: await createCookieTasks(answer, origin) }
}

/** Sets up better-auth with SQLite in memory, and sign-in by email. */
export async function createStoredBetterAuth(): Promise<Contender> {
  const mailbox = new Mailbox()
  const answer = await createStoredService(ORIGIN, mailbox)
  return { answer, tasks: await createStoredTasks(answer, ORIGIN, mailbox) }
}

/** Creates a service with GitHub, Google and sessions in cookies. */
export function createBetterAuthService(origin: string): Answer {
  return betterAuth(createOptions(origin)).handler
}

async function createStoredService(origin: string, mailbox: Mailbox): Promise<Answer> {
  const dialect = new SqliteDialect({ database: new Database(':memory:') })
  const sendMagicLink = async ({ email, url }: { email: string; url: string }): Promise<void> =>
    mailbox.receive(email, url)
  const options = {
    ...createOptions(origin),
    database: { db: new Kysely<never>({ dialect }), type: 'sqlite' as const },
    plugins: [magicLink({ sendMagicLink })],
  }
  await (await getMigrations(options)).runMigrations()
  return betterAuth(options).handler
}

function createOptions(origin: string): BetterAuthOptions {
  return {
    baseURL: origin,
    basePath,
    secret,
    socialProviders: { github: client, google: client },
    telemetry: { enabled: false },
  }
}

async function createCookieTasks(answer: Answer, origin: string): Promise<Tasks> {
  const base = origin + basePath
  return {
    session: createSessionTask(answer, base, await signIn(answer, base)),
    noSession: createTask(
      answer,
      () => new Request(`${base}/get-session`),
      async (response) => assert.equal(await readJson(response), null),
    ),
    start: createStartTask(answer, base),
    signIn: createSignInTask(answer, base),
  }
}

async function createStoredTasks(answer: Answer, origin: string, mailbox: Mailbox): Promise<Tasks> {
  const base = origin + basePath
  return {
    storedSession: createSessionTask(answer, base, await signIn(answer, base)),
    storedSignIn: createSignInTask(answer, base),
    mail: {
      run: () => requestMail(new Visitor(answer, base), mailbox.createRecipient()),
      check: async (response) => assert.deepEqual(await readJson(response), { status: true }),
    },
    mailSignIn: { run: () => signInByMail(answer, base, mailbox), check: checkMailSession },
  }
}

function createSessionTask(answer: Answer, base: string, cookie: string): Task {
  const request = (): Request => new Request(`${base}/get-session`, { headers: { cookie } })
  return createTask(answer, request, checkSession)
}

function createStartTask(answer: Answer, base: string): Task {
  const init = createPost(base, '', social)
  const request = (): Request => new Request(`${base}/sign-in/social`, init)
  return createTask(answer, request, async (response) => {
    const { url } = (await readJson(response)) as { url: string }
    checkAuthorizationUrl(url, `${base}/callback/github`)
  })
}

const social = { provider: 'github', callbackURL: '/' }

function createSignInTask(answer: Answer, base: string): Task {
  return { run: () => runSignIn(new Visitor(answer, base)), check: checkSession }
}

/** Returns the cookies of a browser that has signed in through GitHub. */
async function signIn(answer: Answer, base: string): Promise<string> {
  const visitor = new Visitor(answer, base)
  await runSignIn(visitor)
  return visitor.cookie
}

/** Signs in through GitHub and returns the answer of `GET /get-session`. */
async function runSignIn(visitor: Visitor): Promise<Response> {
  const started = await visitor.post('/sign-in/social', social)
  const { url } = (await started.json()) as { url: string }
  await visitor.get(toCallbackUrl(url))
  return visitor.get('/get-session')
}

function requestMail(visitor: Visitor, email: string): Promise<Response> {
  return visitor.post('/sign-in/magic-link', { email, callbackURL: '/' })
}

async function signInByMail(answer: Answer, base: string, mailbox: Mailbox): Promise<Response> {
  const visitor = new Visitor(answer, base)
  const recipient = mailbox.createRecipient()
  await requestMail(visitor, recipient)
  await visitor.get(mailbox.take(recipient))
  return visitor.get('/get-session')
}
