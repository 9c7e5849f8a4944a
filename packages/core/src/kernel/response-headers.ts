import type { Context } from './context.ts'
import { writeCookies } from '../http/fit-cookies.ts'
import type { CookieChange } from '../http/set-cookie.ts'

/** Returns the headers with which a response of the application changes cookies; often none. */
export function toHeaders(ctx: Context, changes: readonly CookieChange[]): Headers {
  return toCookieHeaders(writeCookies(ctx, changes))
}

/** Returns the headers with `Set-Cookie` lines: a cache must not hand them to another user. */
export function toCookieHeaders(lines: readonly string[]): Headers {
  const headers = new Headers(lines.map((line) => ['set-cookie', line]))
  if (lines.length > 0) headers.set('cache-control', 'private, no-store')
  return headers
}
