import type { Auth, HandleOptions } from '@latchkey/core'
import { Hono } from 'hono'
import { readCsrfToken, isOwnForm } from './csrf.ts'
import { renderEditorsPage } from './editors-page.ts'
import { renderHomePage } from './home-page.ts'
import { renderLookPage, renderLooksPage } from './looks-page.ts'
import { languageNames, lookStyles, looks as themes } from './looks.ts'
import { renderMailboxPage } from './mailbox-page.ts'
import type { ReceivedMail } from './mailbox.ts'
import { html, pageHeaders, renderPage } from './page.ts'
import { renderTrafficPage } from './traffic-page.ts'
import { playScene, scenes } from './scenes.ts'
import { createTraffic } from './traffic.ts'
import type { Traffic } from './traffic.ts'

/** The parts of the demonstration that its pages show. */
export interface ApplicationOptions {
  /** The emails that were received, newest first. Default: none */
  readonly mails?: readonly ReceivedMail[]
  /** Whether the service has account pages. Default: false */
  readonly hasAccount?: boolean
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
    hasAccount = false,
    traffic = createTraffic(),
    looks = {},
  }: ApplicationOptions = {},
): Hono<{ Bindings: HandleOptions }> {
  const app = new Hono<{ Bindings: HandleOptions }>()
  app.all(`${auth.basePath}/*`, ({ req, env }) =>
    traffic.record(req.raw, () => auth.handle(req.raw, env)),
  )
  app.get('/', ({ req }) => showHome(auth, req.raw, hasAccount))
  app.get('/mailbox', () => new Response(renderMailboxPage(mails), { headers: pageHeaders }))
  app.get('/traffic', ({ req }) => showTraffic(auth, req.raw, traffic))
  app.post('/traffic/clear', ({ req }) =>
    withOwnForm(auth, req.raw, async () => {
      traffic.clear()
      return '/traffic'
    }),
  )
  app.get('/looks', () => new Response(renderLooksPage(), { headers: pageHeaders }))
  app.get('/looks.css', () => new Response(lookStyles, { headers: { 'content-type': 'text/css' } }))
  app.get('/looks/:look', ({ req }) => {
    const name = req.param('look')
    const theme = getOwn(themes, name)
    return theme ? new Response(renderLookPage(name, theme), { headers: pageHeaders }) : notFound()
  })
  app.get('/looks/:look/:language/:scene', ({ req }) => showScene(req.raw.url, req.param()))
  app.get('/looks/:look/:language', ({ req }) => {
    const { look: name, language } = req.param()
    const look = getOwn(looks, name)
    return look ? showLook(look, req.raw, language) : notFound()
  })
  app.get('/editors', ({ req }) => showEditors(auth, req.raw))
  return app
}

async function showHome(auth: Auth, request: Request, hasAccount: boolean): Promise<Response> {
  const { session, headers } = await auth.getSession(request)
  return toPage(renderHomePage(session, auth.basePath, hasAccount), headers)
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

/** Shows a picture of a page or an email: nothing in it can be sent, and only this application can frame it. */
async function showScene(
  url: string,
  { look, language, scene }: Readonly<Record<'look' | 'language' | 'scene', string>>,
): Promise<Response> {
  const [theme, played] = [getOwn(themes, look)?.theme, getOwn(scenes, scene)]
  if (!theme || !played || !Object.hasOwn(languageNames, language)) return notFound()
  const shown = await playScene(played, new URL(url).origin, language, theme)
  const policy = shown.headers.get('content-security-policy') ?? ''
  const headers = {
    ...pageHeaders,
    'content-security-policy': `${policy.replace("frame-ancestors 'none'", "frame-ancestors 'self'")}; sandbox`,
  }
  // A picture takes no focus, whichever state it shows.
  return new Response((await shown.text()).replaceAll(' autofocus', ''), { headers })
}

function getOwn<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined
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

/** Adds the page headers to the headers of `auth.getSession`, which have the cookie of a renewed session. */
function toPage(page: string, headers: Headers, cookies: readonly string[] = []): Response {
  for (const [name, value] of Object.entries(pageHeaders)) headers.set(name, value)
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(page, { headers })
}

function redirect(location: string): Response {
  return new Response(null, { status: 303, headers: { location } })
}

async function showTraffic(auth: Auth, request: Request, traffic: Traffic): Promise<Response> {
  const csrf = await readCsrfToken(auth, request)
  const page = renderTrafficPage(traffic.exchanges, auth.basePath, csrf.value)
  return toPage(page, new Headers(), csrf.cookies)
}

type FormAction = () => Promise<string>

/** Performs the action of a form that came from this application, and redirects; any other is refused. */
async function withOwnForm(auth: Auth, request: Request, action: FormAction): Promise<Response> {
  if (!(await isOwnForm(auth, request)))
    return new Response(renderRefusal(), { status: 403, headers: pageHeaders })
  return redirect(await action())
}

function renderRefusal(): string {
  return renderPage(
    'This page has expired',
    html`<h1>This page has expired</h1>
      <p role="alert">Go back, and try again.</p>
      <a class="button" href="/">Back</a>`,
  )
}
