import type { Auth, HandleOptions } from '@latchkey/core'
import { Hono } from 'hono'
import { renderAccountPage, renderRemovalPage } from './account-page.ts'
import type { ListedProvider } from './account-page.ts'
import { readCsrfToken, readOwnForm } from './csrf.ts'
import { renderEditorsPage } from './editors-page.ts'
import { renderHomePage } from './home-page.ts'
import { renderLooksPage } from './looks-page.ts'
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
  /** Whether users and sessions are stored, and the service has account pages. Default: false */
  readonly isStored?: boolean
  /** Whether users can have a second factor. Default: false */
  readonly hasSecondFactor?: boolean
  /** The log of requests and responses. Default: a new log */
  readonly traffic?: Traffic
  /** The service with each theme, by name. Default: none */
  readonly looks?: Readonly<Record<string, Auth>>
}

/** Creates an application of a few pages, with the service mounted at its base path. */
export function createApplication(
  auth: Auth,
  {
    mails = [],
    isStored = false,
    hasSecondFactor = false,
    traffic = createTraffic(),
    looks = {},
  }: ApplicationOptions = {},
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
  app.get('/looks', () => new Response(renderLooksPage(), { headers: pageHeaders }))
  app.get('/looks/:look/:language', ({ req }) => {
    const { look: name, language } = req.param()
    const look = Object.hasOwn(looks, name) ? looks[name] : undefined
    return look ? showLook(look, req.raw, language) : notFound()
  })
  app.get('/editors', ({ req }) => showEditors(auth, req.raw))
  if (!isStored) return app
  app.get('/account', ({ req }) => showAccount(auth, req.raw, hasSecondFactor))
  app.post('/sessions/end', ({ req }) => withOwnForm(auth, req.raw, endSession(auth)))
  app.post('/accounts/unlink', ({ req }) => withOwnForm(auth, req.raw, unlinkAccount(auth)))
  if (!hasSecondFactor) return app
  app.get('/factors/remove', ({ req }) => showRemoval(auth, req.raw))
  app.post('/factors/remove', ({ req }) => withOwnForm(auth, req.raw, removeFactor(auth)))
  return app
}

async function showHome(auth: Auth, request: Request, isStored: boolean): Promise<Response> {
  const { session, headers } = await auth.getSession(request)
  const page = renderHomePage(session, auth.basePath, isStored, readOutcome(request))
  return toPage(page, headers)
}

/** Shows the sign-in page with a theme and in a language, with the browser's cookies: its forms work. */
function showLook(look: Auth, request: Request, language: string): Promise<Response> {
  const { origin } = new URL(request.url)
  const headers = new Headers({ 'accept-language': language, accept: 'text/html' })
  const cookie = request.headers.get('cookie')
  if (cookie !== null) headers.set('cookie', cookie)
  const url = `${origin}${look.basePath}/signin?callbackUrl=${encodeURIComponent('/')}`
  return look.handle(new Request(url, { headers }))
}

function notFound(): Response {
  return new Response('Not found\n', { status: 404 })
}

/** Shows a page to users with a role; who is not signed in is sent to sign in first. */
async function showEditors(auth: Auth, request: Request): Promise<Response> {
  const token = await auth.getToken(request)
  if (!token) return redirect(`${auth.basePath}/signin?callbackUrl=%2Feditors`)
  const role = 'role' in token ? String(token.role) : 'reader'
  const status = role === 'editor' ? 200 : 403
  return new Response(renderEditorsPage(role), { status, headers: pageHeaders })
}

async function showAccount(
  auth: Auth,
  request: Request,
  hasSecondFactor: boolean,
): Promise<Response> {
  const { session, id: sessionId, headers } = await auth.getSession(request)
  const done = readOutcome(request)
  if (!session) return redirect(done === null ? '/' : `/?done=${encodeURIComponent(done)}`)
  const [accounts, sessions, factors, providers, csrf] = await Promise.all([
    auth.accounts.list(session.user.id),
    auth.sessions.list(session.user.id),
    hasSecondFactor ? auth.factors.list(session.user.id) : undefined,
    listProviders(auth, request),
    readCsrfToken(auth, request),
  ])
  const { basePath } = auth
  const lists = { accounts, sessions, factors, providers }
  const stored = { ...lists, sessionId, basePath, csrfToken: csrf.value }
  return toPage(renderAccountPage(stored, done), headers, csrf.cookies)
}

/** Asks before an authenticator app is removed, after a recent proof with both factors. */
async function showRemoval(auth: Auth, request: Request): Promise<Response> {
  const recent = await auth.requireRecent(request, { factors: 2 })
  if (recent instanceof Response) return recent
  const id = new URL(request.url).searchParams.get('id') ?? ''
  const csrf = await readCsrfToken(auth, request)
  return toPage(renderRemovalPage(id, csrf.value), recent.headers, csrf.cookies)
}

function readOutcome(request: Request): string | null {
  return new URL(request.url).searchParams.get('done')
}

/** Adds the page headers to the headers of `auth.getSession`, which have the cookie of a renewed session. */
function toPage(page: string, headers: Headers, cookies: readonly string[] = []): Response {
  for (const [name, value] of Object.entries(pageHeaders)) headers.set(name, value)
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(page, { headers })
}

function redirect(location: string): Response {
  return new Response(null, { status: 303, headers: { location } })
}

async function listProviders(auth: Auth, request: Request): Promise<readonly ListedProvider[]> {
  const response = await auth.handle(
    new Request(new URL(`${auth.basePath}/providers`, request.url)),
  )
  const listed: Readonly<Record<string, ListedProvider>> = await response.json()
  return Object.values(listed)
}

async function showTraffic(auth: Auth, request: Request, traffic: Traffic): Promise<Response> {
  const csrf = await readCsrfToken(auth, request)
  const page = renderTrafficPage(traffic.exchanges, auth.basePath, csrf.value)
  return toPage(page, new Headers(), csrf.cookies)
}

type FormAction = (fields: URLSearchParams, request: Request) => Promise<string>

/** Performs the action of a form that came from this application, and redirects; any other is refused. */
async function withOwnForm(auth: Auth, request: Request, action: FormAction): Promise<Response> {
  const fields = await readOwnForm(auth, request)
  if (!fields) return new Response(renderRefusal(), { status: 403, headers: pageHeaders })
  return redirect(await action(fields, request))
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
    return `/account?done=${hasEnded ? 'ended' : 'unknown'}`
  }
}

function unlinkAccount(auth: Auth): FormAction {
  return async (fields, request) => {
    const { session } = await auth.getSession(request, { renew: false })
    if (!session) return '/'
    const provider = fields.get('provider') ?? ''
    const providerAccountId = fields.get('providerAccountId') ?? ''
    return `/account?done=${await auth.accounts.unlink(session.user.id, { provider, providerAccountId })}`
  }
}

/** The id comes from the form: `remove` removes a factor of this user only. */
function removeFactor(auth: Auth): FormAction {
  return async (fields, request) => {
    const id = fields.get('id') ?? ''
    const recent = await auth.requireRecent(request, { factors: 2, renew: false })
    // The page asks for the proof, and shows the form again.
    if (recent instanceof Response) return `/factors/remove?id=${encodeURIComponent(id)}`
    const userId = recent.session?.user.id ?? ''
    return `/account?done=${await auth.factors.remove(userId, { type: 'totp', id })}`
  }
}
