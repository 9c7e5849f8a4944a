import { base, origin } from './service.ts'
import type { Browser } from './browser.ts'
import type { Site } from './cookie-jar.ts'
import { checkAnswer } from './invariants.ts'
import { getSessionOf, learnSessions } from './sessions.ts'
import type { Delivery, Reply, Visit } from './messages.ts'
import type { World } from './world.ts'

/** Sends a request; its reply does not arrive by itself. */
export async function send(world: World, browser: Browser, asked: Visit): Promise<Reply> {
  const request = toRequest(world, browser, asked)
  const cookie = request.headers.get('cookie') ?? ''
  const previousId = asked.proves && (await getSessionOf(world, cookie))?.id
  world.counts.requests += 1
  const response = await world.auth.handle(request, { clientIp: () => browser.ip })
  const { status, headers } = response
  const text = await response.text()
  const { url, error } = readOutcome(headers, text)
  world.tell(
    `  ${request.method} ${asked.path.replace(base, '')} of browser ${browser.id}: ${status}${url === undefined ? '' : ` to ${url}`}${error === undefined ? '' : ` (${error})`}`,
  )
  const answer = { visit: asked, status, headers, text, url, error, cookie, previousId }
  checkAnswer(world, answer)
  return { ...answer, began: await learnSessions(world, browser, answer) }
}

/** Gives a reply to its browser. */
export function deliver(world: World, browser: Browser, reply: Reply): void {
  const { headers, began, previousId, visit: request, status } = reply
  const { now } = world.ports
  for (const line of headers.getSetCookie()) browser.jar.store(line, new URL(origin), now)
  const ended = began ? previousId : status === 200 ? request.ends : undefined
  if (ended !== undefined) rememberEnded(world, browser, ended)
}

/** Notes that a browser has been told that a session has ended: it keeps the newest eight (I-37.3). */
function rememberEnded(world: World, browser: Browser, id: string): void {
  const isShort = world.has('revocation')
  browser.ended.delete(id)
  browser.ended.set(id, world.ports.now + (isShort ? 120 : 3600))
  const [oldest] = browser.ended.keys()
  if (browser.ended.size > 8 && oldest !== undefined) browser.ended.delete(oldest)
}

/** Sends a request and gives its reply to the browser. */
export async function visit(world: World, browser: Browser, request: Visit): Promise<Reply> {
  const reply = await send(world, browser, request)
  deliver(world, browser, reply)
  return reply
}

/** Sends a request whose reply may be lost, late or repeated; returns the reply that arrives now, if one does. */
export async function sendAs(
  world: World,
  browser: Browser,
  request: Visit,
  delivery: Delivery,
): Promise<{ readonly reply: Reply; readonly hasArrived: boolean }> {
  const reply = await send(world, browser, request)
  if (delivery === 'lost') return { reply, hasArrived: false }
  if (delivery === 'late') {
    world.held.push({ browser, reply })
    return { reply, hasArrived: false }
  }
  if (delivery === 'arrives') {
    deliver(world, browser, reply)
    return { reply, hasArrived: true }
  }
  const { proves, ...again } = request
  // If the storage fails before anything is used up, the flow is kept (I-21.4).
  const isKept = world.isUnclear && !reply.began
  const proof = proves && (proves.isRepeatable || isKept) ? { proves } : {}
  const second = await send(world, browser, { ...again, ...proof, cookie: reply.cookie })
  deliver(world, browser, second)
  return { reply: second, hasArrived: true }
}

/** Returns a CSRF token for a form of a browser. */
export async function getCsrfToken(world: World, browser: Browser): Promise<string> {
  const { text } = await visit(world, browser, { path: '/csrf', accepts: 'json' })
  return (JSON.parse(text) as { readonly csrfToken?: string }).csrfToken ?? ''
}

/** Adds the CSRF token of a browser to a form. */
export async function toForm(world: World, browser: Browser, request: Visit): Promise<Visit> {
  const csrfToken = await getCsrfToken(world, browser)
  return { ...request, form: { csrfToken, ...request.form } }
}

/** Posts a form of the service's own page, and gives the reply to the browser. */
export async function submit(world: World, browser: Browser, request: Visit): Promise<Reply> {
  return visit(world, browser, await toForm(world, browser, request))
}

function toRequest(world: World, { jar }: Browser, options: Visit): Request {
  const { path, form, accepts = 'html', site = 'same-origin', isBare, cookie } = options
  const url = new URL(path.startsWith('/') ? base + path : path)
  const method = form ? 'POST' : 'GET'
  const headers = new Headers({
    accept: accepts === 'json' ? 'application/json' : 'text/html',
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  })
  const sent = cookie ?? jar.getHeader(url, world.ports.now, { site, method })
  if (sent !== '') headers.set('cookie', sent)
  if (!isBare) headers.set('sec-fetch-site', site)
  if (!isBare && !form) headers.set('sec-fetch-dest', accepts === 'json' ? 'empty' : 'document')
  if (!isBare && form) headers.set('origin', origins[site])
  return new Request(url, {
    method,
    headers,
    ...(form && { body: new URLSearchParams({ ...form }) }),
  })
}

/** The pages that send requests. */
const origins: Readonly<Record<Site, string>> = {
  none: origin,
  'same-origin': origin,
  'same-site': 'https://sub.app.example',
  'cross-site': 'https://mallory.example',
}

function readOutcome(headers: Headers, text: string): Pick<Reply, 'url' | 'error'> {
  const json = headers.get('content-type')?.includes('json') ? parseObject(text) : {}
  const url = headers.get('location') ?? (typeof json['url'] === 'string' ? json['url'] : undefined)
  const inUrl = url === undefined ? null : new URL(url, base).searchParams.get('error')
  const error = json['error'] ?? inUrl
  return { url, error: typeof error === 'string' ? error : undefined }
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text)
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
