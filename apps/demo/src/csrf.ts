import { timingSafeEqual } from 'node:crypto'
import type { Auth } from '@latchkey/core'

/** The CSRF token of a browser, and the cookie that belongs to it if it is new. */
export interface CsrfToken {
  readonly value: string
  readonly cookies: readonly string[]
}

/** Returns the service's CSRF token for a browser, for forms of the application and of the service. */
export async function readCsrfToken(auth: Auth, request: Request): Promise<CsrfToken> {
  const headers = { cookie: request.headers.get('cookie') ?? '' }
  const url = new URL(`${auth.basePath}/csrf`, request.url)
  const response = await auth.handle(new Request(url, { headers }))
  const { csrfToken }: { readonly csrfToken?: unknown } = await response.json()
  return { value: String(csrfToken), cookies: response.headers.getSetCookie() }
}

/**
 * Returns whether a posted form came from a page of this origin, as the service itself checks its own (I-17):
 * the headers that a page cannot set, and the token, whose other half is in the browser's cookie.
 */
export async function isOwnForm(auth: Auth, request: Request): Promise<boolean> {
  const { origin } = new URL(request.url)
  const site = request.headers.get('sec-fetch-site') ?? 'same-origin'
  if ((request.headers.get('origin') ?? origin) !== origin) return false
  if (!['same-origin', 'none'].includes(site)) return false
  const fields = new URLSearchParams(await request.text())
  const { value } = await readCsrfToken(auth, request)
  return isEqual(fields.get('csrfToken') ?? '', value)
}

function isEqual(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
