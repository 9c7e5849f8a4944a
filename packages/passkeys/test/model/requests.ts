/** How browsers send requests, and how replies arrive. */
import { checkReply } from './invariants.ts'
import { base, origin } from './service.ts'
import { findSessionValue, getSession, learnSessions, observe } from './sessions.ts'
import type { Client, Delivery, Reply, Site, Visit } from './world.ts'

/** The pages that send requests. */
const origins: Readonly<Record<Site, string>> = {
  'same-origin': origin,
  'same-site': 'https://sub.app.example',
  'cross-site': 'https://mallory.example',
}

/** Sends a request; its reply does not arrive by itself. */
export async function send(client: Client, asked: Visit): Promise<Reply> {
  const { world } = client
  const { path, form, accepts = 'html', site = 'same-origin', isBare, cookie: given } = asked
  const isJson = accepts === 'json'
  const replies: Response[] = []
  let cookie = ''
  let previousId: string | undefined
  client.answer = async (request) => {
    cookie = request.headers.get('cookie') ?? ''
    previousId = asked.proves && (await getSession(world, cookie))?.id
    replies.push(await world.auth.handle(request, { clientIp: () => `192.0.2.${client.id}` }))
    return new Response()
  }
  await client.browser.visit(path, {
    crossSite: site === 'cross-site',
    method: form ? 'POST' : 'GET',
    headers: {
      accept: isJson ? 'application/json' : 'text/html',
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      ...(given !== undefined && { cookie: given }),
      ...(!isBare && { 'sec-fetch-site': site }),
      ...(!isBare && !form && { 'sec-fetch-dest': isJson ? 'empty' : 'document' }),
      ...(!isBare && form && { origin: origins[site] }),
    },
    ...(form && { body: new URLSearchParams(form) }),
  })
  const [response = Response.error()] = replies
  const { status, headers } = response
  const text = await response.text()
  const { url, error } = readOutcome(headers, text)
  const led = `${url === undefined ? '' : ` to ${url}`}${error === undefined ? '' : ` (${error})`}`
  world.tell(
    `  ${form ? 'POST' : 'GET'} ${path.replace(base, '')} of browser ${client.id}: ${status}${led}`,
  )
  const reply = { visit: asked, status, headers, text, url, error, cookie, previousId }
  checkReply(world, reply)
  return { ...reply, began: await learnSessions(client, reply) }
}

function readOutcome(headers: Headers, text: string): Pick<Reply, 'url' | 'error'> {
  const isJson = headers.get('content-type')?.includes('json')
  const json = (isJson ? JSON.parse(text) : {}) as {
    readonly url?: string
    readonly error?: string
  }
  const url = headers.get('location') ?? json.url
  const inUrl = url === undefined ? null : new URL(url, base).searchParams.get('error')
  return { url, error: json.error ?? inUrl ?? undefined }
}

/** Gives a reply to its browser. */
async function deliver(client: Client, reply: Reply): Promise<void> {
  const { headers, began, previousId, visit: request, status } = reply
  client.answer = async () => new Response(null, { headers })
  await client.browser.visit('/')
  const ended = began ? previousId : status === 200 ? request.ends : undefined
  if (ended === undefined) return
  // A browser keeps the newest eight (I-37.3).
  client.ended.delete(ended)
  client.ended.set(ended, client.world.ports.now + (client.world.hasRevocation ? 120 : 3600))
  const [oldest = ''] = client.ended.keys()
  if (client.ended.size > 8) client.ended.delete(oldest)
}

/**
 * Gives a browser a reply that was on its way while the browser sent other requests.
 *
 * @throws Error if it ends a newer session, although it neither signs out nor brings another session (I-36.2)
 */
export async function deliverLate(client: Client, reply: Reply): Promise<void> {
  const names = reply.headers.getSetCookie().map((line) => line.slice(0, line.indexOf('=')))
  // What a reply sets was decided before what the browser has received since.
  if (names.includes('__Host-latchkey.ended')) client.ended.clear()
  if (names.some((name) => name.startsWith('__Host-latchkey.known'))) client.known.clear()
  const before = await observe(client)
  await deliver(client, reply)
  const { path, form } = reply.visit
  const isSignOut = path === '/signout' && form !== undefined
  if (!before || isSignOut || findSessionValue(reply.headers) !== undefined) return
  const after = await observe(client)
  if (after?.id !== before.id) client.world.fail(`a late reply of ${path} ends a newer session`)
}

/** Sends a request and gives its reply to the browser. */
export async function visit(client: Client, request: Visit): Promise<Reply> {
  const reply = await send(client, request)
  await deliver(client, reply)
  return reply
}

/** Sends a request whose reply may be lost, late or repeated; returns the last reply, and whether it has arrived. */
export async function sendAs(
  client: Client,
  request: Visit,
  delivery: Delivery,
): Promise<{ readonly reply: Reply; readonly hasArrived: boolean }> {
  const reply = await send(client, request)
  if (delivery === 'late') client.world.held.push({ client, reply })
  if (delivery === 'late' || delivery === 'lost') return { reply, hasArrived: false }
  if (delivery === 'arrives') {
    await deliver(client, reply)
    return { reply, hasArrived: true }
  }
  const { proves, ...again } = request
  // A password proves each time who types it; nothing else works twice.
  const isPassword =
    proves?.factors === 1 && request.form !== undefined && 'password' in request.form
  const isRepeatable = isPassword && !('token' in { ...request.form })
  const proof = proves && isRepeatable ? { proves } : {}
  const second = await send(client, { ...again, ...proof, cookie: reply.cookie })
  await deliver(client, second)
  return { reply: second, hasArrived: true }
}

/** Adds the CSRF token of a browser to a form. */
export async function toForm(client: Client, request: Visit): Promise<Visit> {
  return { ...request, form: { csrfToken: await getCsrfToken(client), ...request.form } }
}

/** Returns the CSRF token of a browser. */
export async function getCsrfToken(client: Client): Promise<string> {
  const { text } = await visit(client, { path: '/csrf', accepts: 'json' })
  return (JSON.parse(text) as { readonly csrfToken?: string }).csrfToken ?? ''
}

/** Posts a form of the service's own page, and gives the reply to the browser. */
export async function submit(client: Client, request: Visit): Promise<Reply> {
  return visit(client, await toForm(client, request))
}
