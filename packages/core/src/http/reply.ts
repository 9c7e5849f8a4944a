import type { ErrorCode } from '../ports/error-code.ts'
import { getSize } from './set-cookie.ts'
import type { CookieChange } from './set-cookie.ts'

/** The answer of an action, as a value: `page`, `redirect`, `json`, `text` and `withCookies` make it. */
export type Reply = ReplyBody & {
  /** Cookies to set and to delete. */
  readonly cookies: readonly CookieChange[]
  /** Default: `private, no-store` */
  readonly cacheControl?: string
}

/** What a reply sends. */
export type ReplyBody =
  | { readonly kind: 'json'; readonly status: number; readonly body: unknown }
  | {
      readonly kind: 'page'
      readonly status: number
      readonly html: string
      /** Where a form of the page leads by a redirect, if the policy of pages does not allow it. */
      readonly formTarget?: URL | undefined
    }
  | {
      readonly kind: 'text'
      readonly status: number
      readonly text: string
      readonly headers: ReplyHeaders
    }
  | {
      readonly kind: 'redirect'
      readonly status: 302 | 303
      readonly location: string
      /** What JSON mode answers in place of 200: no client must take the reply for a success. */
      readonly refused?: RefusedStep
    }

/** Why a redirect does not count as a success. */
export interface RefusedStep {
  readonly url: string
  readonly error: ErrorCode
  readonly message: string
  readonly status: number
}

/** Headers that a reply adds to the headers of its kind. */
export type ReplyHeaders = Readonly<Record<string, string>>

const none: readonly CookieChange[] = []

/**
 * Replies with JSON.
 *
 * @param body What `JSON.stringify` accepts
 */
export function json(body: unknown, status = 200): Reply {
  return { kind: 'json', status, body, cookies: none }
}

/**
 * Replies with an HTML page. Its Content-Security-Policy forbids scripts, what is on other servers, and styles except `style` of
 * capabilities.
 *
 * @param html The document, as `layout` renders it
 * @param formTarget Where a form of the page leads by a redirect. Default: to https URLs only
 */
export function page(html: string, status = 200, formTarget?: URL): Reply {
  return { kind: 'page', status, html, cookies: none, ...(formTarget && { formTarget }) }
}

/**
 * Replies with plain text.
 *
 * @param headers Additional headers. Default: none
 */
export function text(status: number, sentence: string, headers: ReplyHeaders = {}): Reply {
  return { kind: 'text', status, text: sentence, headers, cookies: none }
}

/**
 * Redirects to an absolute URL, never with a status that repeats a POST. A client that expects JSON receives `{ "url": … }`.
 *
 * @param location An URL that nobody else has chosen: what a request names passes `getReturnUrl` first
 */
export function redirect(location: string, status: 302 | 303 = 302): Reply {
  return { kind: 'redirect', status, location, cookies: none }
}

/** Redirects to a page that asks for more. In JSON mode it is an error. */
export function refuseStep(location: string, refused: RefusedStep): Reply {
  return { kind: 'redirect', status: 302, location, refused, cookies: none }
}

/** Returns a reply with further cookies, which `setCookie`, `clearCookie` and `ctx.getCsrfToken` describe. */
export function withCookies(reply: Reply, cookies: readonly CookieChange[]): Reply {
  return cookies.length === 0 ? reply : { ...reply, cookies: [...reply.cookies, ...cookies] }
}

/** Returns the bytes of a reply's URL and of the cookies that it sets. */
export function getReplySize(reply: Reply): number {
  return getSize(reply.cookies) + (reply.kind === 'redirect' ? reply.location.length : 0)
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
  readonly policy: (html: string, formTarget?: URL) => Promise<string>
  /** Seconds. */
  readonly retryAfter?: number | undefined
  /** What pages of other origins may do with the reply (I-42). */
  readonly origins: ReplyHeaders
}

/** Writes a reply: the only place that sets headers and cookies. */
export async function toResponse(reply: Reply, init: ReplyOptions): Promise<Response> {
  if (reply.kind === 'redirect' && init.isJson) {
    const { status = 200, ...body } = reply.refused ?? { url: reply.location }
    return toResponse(json(body, status), init)
  }
  const { body, headers } = describe(reply)
  Object.assign(headers, init.origins)
  if (reply.cacheControl !== undefined) headers['cache-control'] = reply.cacheControl
  if (init.retryAfter !== undefined) headers['retry-after'] = String(init.retryAfter)
  if (reply.kind === 'page') {
    headers['content-security-policy'] = await init.policy(reply.html, reply.formTarget)
  }
  const response = new Response(init.isHead ? null : body, { status: reply.status, headers })
  if (!init.isHead) for (const line of init.cookies) response.headers.append('set-cookie', line)
  return response
}

/** The body of a response, and its headers as one object, which Node takes faster than a list. */
interface Description {
  readonly body: string | null
  readonly headers: Record<string, string>
}

function describe(reply: Reply): Description {
  switch (reply.kind) {
    case 'redirect':
      return { body: null, headers: { ...common, location: reply.location } }
    case 'json':
      return { body: JSON.stringify(reply.body), headers: { ...common, ...jsonHeaders } }
    case 'text':
      // A response of status 204 must have no body.
      return { body: reply.text || null, headers: { ...common, ...textHeaders, ...reply.headers } }
    case 'page':
      return { body: reply.html, headers: { ...common, ...pageHeaders } }
  }
}

/** The headers of every response (I-10). */
const common = {
  'cache-control': 'private, no-store',
  'x-content-type-options': 'nosniff',
}
const jsonHeaders = { 'content-type': 'application/json; charset=utf-8' }
const textHeaders = { 'content-type': 'text/plain; charset=utf-8' }
const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
}
