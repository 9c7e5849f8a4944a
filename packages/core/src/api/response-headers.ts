import type { Context } from '../context.ts'
import { toSetCookieLines } from '../http/set-cookie.ts'
import type { CookieChange } from '../http/set-cookie.ts'

/** Returns the headers with which a response of the application changes cookies; often none. */
export function toHeaders(ctx: Context, changes: readonly CookieChange[]): Headers {
  const lines = toSetCookieLines(ctx.cookies, changes)
  const headers = new Headers(lines.map((line) => ['set-cookie', line]))
  if (lines.length > 0) headers.set('cache-control', 'private, no-store')
  return headers
}
