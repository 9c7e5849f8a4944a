/** What an action answers; {@link respond} alone turns it into a `Response`. */
export type Reply =
  | {
      readonly kind: 'json'
      readonly status: number
      readonly body: unknown
      readonly headers?: ReplyHeaders
    }
  | {
      readonly kind: 'page'
      readonly status: number
      readonly html: string
      readonly headers?: ReplyHeaders
    }
  | {
      readonly kind: 'text'
      readonly status: number
      readonly text: string
      readonly headers?: ReplyHeaders
    }
  | { readonly kind: 'redirect'; readonly status: 302 | 303; readonly location: string }

type ReplyHeaders = readonly (readonly [string, string])[]

export function json(body: unknown, status = 200): Reply {
  return { kind: 'json', status, body }
}

export function page(html: string, status = 200): Reply {
  return { kind: 'page', status, html }
}

export function text(status: number, sentence: string, headers: ReplyHeaders = []): Reply {
  return { kind: 'text', status, text: sentence, headers }
}

/** To an absolute address. 302 and 303 alone: never a status that repeats a POST elsewhere (I-11). */
export function redirect(location: string, status: 302 | 303 = 302): Reply {
  return { kind: 'redirect', status, location }
}

/** What {@link respond} needs to know besides the reply. */
export interface ReplyContext {
  /** `Set-Cookie` lines. */
  readonly cookies: Iterable<string>
  /** A HEAD request: no body, and nothing is set (I-5). */
  readonly head: boolean
  /** JSON mode (I-6): a redirect becomes 200 with its address. */
  readonly json: boolean
  /** The Content-Security-Policy of a page. */
  readonly policy: () => string
  /** Seconds. */
  readonly retryAfter?: number | undefined
}

/** The only place where headers and cookies are written. */
export function respond(reply: Reply, context: ReplyContext): Response {
  if (reply.kind === 'redirect' && context.json)
    return respond(json({ url: reply.location }), context)
  const headers: [string, string][] = [
    ['cache-control', 'private, no-store'],
    ['x-content-type-options', 'nosniff'],
  ]
  if (context.retryAfter !== undefined) headers.push(['retry-after', String(context.retryAfter)])
  const body = describe(reply, headers, context)
  if (!context.head) for (const line of context.cookies) headers.push(['set-cookie', line])
  return new Response(context.head ? null : body, { status: reply.status, headers })
}

function describe(reply: Reply, headers: [string, string][], context: ReplyContext): string | null {
  if (reply.kind === 'redirect') {
    headers.push(['location', reply.location])
    return null
  }
  for (const [name, value] of reply.headers ?? []) headers.push([name, value])
  switch (reply.kind) {
    case 'json':
      headers.push(['content-type', 'application/json; charset=utf-8'])
      return JSON.stringify(reply.body)
    case 'text':
      headers.push(['content-type', 'text/plain; charset=utf-8'])
      return reply.text
    case 'page':
      headers.push(
        ['content-type', 'text/html; charset=utf-8'],
        ['content-security-policy', context.policy()],
        ['referrer-policy', 'same-origin'],
        ['cross-origin-opener-policy', 'same-origin'],
      )
      return reply.html
  }
}
