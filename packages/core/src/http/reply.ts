import type { CookieChange } from './set-cookie.ts'

/** The answer of an action, as a value. Only {@link toResponse} makes a `Response` of it. */
export type Reply = ReplyBody & {
  /** Cookies to set and to delete. */
  readonly cookies: readonly CookieChange[]
}

type ReplyBody =
  | { readonly kind: 'json'; readonly status: number; readonly body: unknown }
  | { readonly kind: 'page'; readonly status: number; readonly html: string }
  | {
      readonly kind: 'text'
      readonly status: number
      readonly text: string
      readonly headers: ReplyHeaders
    }
  | { readonly kind: 'redirect'; readonly status: 302 | 303; readonly location: string }

type ReplyHeaders = readonly (readonly [string, string])[]

const none: readonly CookieChange[] = []

/** Replies with JSON. */
export function json(body: unknown, status = 200): Reply {
  return { kind: 'json', status, body, cookies: none }
}

/** Replies with an HTML page. */
export function page(html: string, status = 200): Reply {
  return { kind: 'page', status, html, cookies: none }
}

/** Replies with plain text. */
export function text(status: number, sentence: string, headers: ReplyHeaders = []): Reply {
  return { kind: 'text', status, text: sentence, headers, cookies: none }
}

/** Redirects to an absolute URL, never with a status that repeats a POST (I-11). */
export function redirect(location: string, status: 302 | 303 = 302): Reply {
  return { kind: 'redirect', status, location, cookies: none }
}

/** Adds cookies to a reply. */
export function withCookies(reply: Reply, cookies: readonly CookieChange[]): Reply {
  return cookies.length === 0 ? reply : { ...reply, cookies: [...reply.cookies, ...cookies] }
}

/** How {@link toResponse} writes a reply. */
export interface ReplyOptions {
  /** `Set-Cookie` lines. */
  readonly cookies: readonly string[]
  /** HEAD: no body, no cookies (I-5). */
  readonly isHead: boolean
  /** JSON mode (I-6): a redirect becomes 200 with its URL. */
  readonly isJson: boolean
  /** Returns the Content-Security-Policy of a page. */
  readonly policy: () => Promise<string>
  /** Seconds. */
  readonly retryAfter?: number | undefined
}

/** Writes a reply: the only place that sets headers and cookies. */
export async function toResponse(reply: Reply, init: ReplyOptions): Promise<Response> {
  if (reply.kind === 'redirect' && init.isJson)
    return toResponse(json({ url: reply.location }), init)
  const headers: [string, string][] = [
    ['cache-control', 'private, no-store'],
    ['x-content-type-options', 'nosniff'],
  ]
  if (init.retryAfter !== undefined) headers.push(['retry-after', String(init.retryAfter)])
  const body = describe(reply, headers)
  if (reply.kind === 'page') headers.push(['content-security-policy', await init.policy()])
  if (!init.isHead) for (const line of init.cookies) headers.push(['set-cookie', line])
  return new Response(init.isHead ? null : body, { status: reply.status, headers })
}

function describe(reply: Reply, headers: [string, string][]): string | null {
  switch (reply.kind) {
    case 'redirect':
      headers.push(['location', reply.location])
      return null
    case 'json':
      headers.push(['content-type', 'application/json; charset=utf-8'])
      return JSON.stringify(reply.body)
    case 'text':
      for (const [name, value] of reply.headers) headers.push([name, value])
      headers.push(['content-type', 'text/plain; charset=utf-8'])
      return reply.text
    case 'page':
      headers.push(
        ['content-type', 'text/html; charset=utf-8'],
        ['referrer-policy', 'same-origin'],
        ['cross-origin-opener-policy', 'same-origin'],
      )
      return reply.html
  }
}
