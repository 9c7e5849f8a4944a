import type { Auth, HandleOptions } from '@latchkey/core'
import { Hono } from 'hono'
import { readCsrfToken, readOwnForm } from './csrf.ts'
import { renderHomePage } from './home-page.ts'
import type { ListedProvider, StoredUser } from './home-page.ts'
import { renderMailboxPage } from './mailbox-page.ts'
import type { ReceivedMail } from './mailbox.ts'
import { html, pageHeaders, renderPage } from './page.ts'
import { renderTrafficPage } from './traffic-page.ts'
import { createTraffic } from './traffic.ts'
import type { Traffic } from './traffic.ts'

/** The parts of the demonstration that its pages show. */
export interface ApplicationOptions {
  /** The emails that were received, newest first. Default: none */
  readonly mails?: readonly ReceivedMail[]
  /** Whether users and sessions are stored. Default: false */
  readonly isStored?: boolean
  /** What travels. Default: a log of its own */
  readonly traffic?: Traffic
}

/** Creates an application of a few pages, with the service mounted at its base path. */
export function createApplication(
  auth: Auth,
  { mails = [], isStored = false, traffic = createTraffic() }: ApplicationOptions = {},
): Hono<{ Bindings: HandleOptions }> {
  const app = new Hono<{ Bindings: HandleOptions }>()
  app.all(`${auth.basePath}/*`, ({ req, env }) =>
    traffic.record(req.raw, () => auth.handle(req.raw, env)),
  )
  app.get('/', ({ req }) => showHome(auth, req.raw, isStored))
  app.get('/mailbox', () => new Response(renderMailboxPage(mails), { headers: pageHeaders }))
  app.get('/traffic', ({ req }) => showTraffic(auth, req.raw, traffic))
  app.post('/traffic/clear', ({ req }) =>
    withOwnForm(auth, req.raw, async () => {
      traffic.clear()
      return '/traffic'
    }),
  )
  if (!isStored) return app
  app.post('/sessions/end', ({ req }) => withOwnForm(auth, req.raw, endSession(auth)))
  app.post('/accounts/unlink', ({ req }) => withOwnForm(auth, req.raw, unlinkAccount(auth)))
  return app
}

async function showHome(auth: Auth, request: Request, isStored: boolean): Promise<Response> {
  const { session, id, headers } = await auth.getSession(request)
  // If the session was renewed, `headers` contains its cookie.
  for (const [name, value] of Object.entries(pageHeaders)) headers.set(name, value)
  const stored =
    session && isStored ? await loadStored(auth, request, session.user.id, id, headers) : undefined
  const done = new URL(request.url).searchParams.get('done')
  return new Response(renderHomePage(session, auth.basePath, stored, done), { headers })
}

/** Loads what the storage has of a user, and appends the cookie of a new CSRF token to `headers`. */
async function loadStored(
  auth: Auth,
  request: Request,
  userId: string,
  sessionId: string | null,
  headers: Headers,
): Promise<StoredUser> {
  const [accounts, sessions, providers, csrf] = await Promise.all([
    auth.accounts.list(userId),
    auth.sessions.list(userId),
    listProviders(auth, request),
    readCsrfToken(auth, request),
  ])
  for (const cookie of csrf.cookies) headers.append('set-cookie', cookie)
  return { accounts, sessions, providers, sessionId, csrfToken: csrf.value }
}

async function listProviders(auth: Auth, request: Request): Promise<readonly ListedProvider[]> {
  const response = await auth.handle(
    new Request(new URL(`${auth.basePath}/providers`, request.url)),
  )
  return Object.values((await response.json()) as Readonly<Record<string, ListedProvider>>)
}

async function showTraffic(auth: Auth, request: Request, traffic: Traffic): Promise<Response> {
  const csrf = await readCsrfToken(auth, request)
  const headers = new Headers(pageHeaders)
  for (const cookie of csrf.cookies) headers.append('set-cookie', cookie)
  return new Response(renderTrafficPage(traffic.exchanges, auth.basePath, csrf.value), { headers })
}

type FormAction = (fields: URLSearchParams, request: Request) => Promise<string>

/** Performs the action of a form that came from this application, and redirects; any other is refused. */
async function withOwnForm(auth: Auth, request: Request, action: FormAction): Promise<Response> {
  const fields = await readOwnForm(auth, request)
  if (!fields) return new Response(renderRefusal(), { status: 403, headers: pageHeaders })
  return new Response(null, { status: 303, headers: { location: await action(fields, request) } })
}

function renderRefusal(): string {
  return renderPage(
    'This page has expired',
    html`<h1>This page has expired</h1>
      <p role="alert">Go back, and try again.</p>
      <a class="button" href="/">Back</a>`,
  )
}

/** The id comes from the form: `revoke` ends a session of this user only. */
function endSession(auth: Auth): FormAction {
  return async (fields, request) => {
    const { session } = await auth.getSession(request, { renew: false })
    if (!session) return '/'
    const hasEnded = await auth.sessions.revoke(session.user.id, fields.get('id') ?? '')
    return `/?done=${hasEnded ? 'ended' : 'unknown'}`
  }
}

function unlinkAccount(auth: Auth): FormAction {
  return async (fields, request) => {
    const { session } = await auth.getSession(request, { renew: false })
    if (!session) return '/'
    const provider = fields.get('provider') ?? ''
    const providerAccountId = fields.get('providerAccountId') ?? ''
    return `/?done=${await auth.accounts.unlink(session.user.id, { provider, providerAccountId })}`
  }
}
