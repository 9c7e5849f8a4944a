import type { Limit, Limiter } from '@latchkey/core'
import { Browser } from '@latchkey/testing/browser'
import { expect } from 'vitest'
import { base, beginSignIn, toCallbackUrl } from './service.ts'
import type { TestService } from './service.ts'

/** A limit of one request in ten minutes. */
export const once: Limit = { times: 1, window: 600 }

/** Creates a browser whose host reports an IP address. */
export function createBrowserAt<Session>(
  { auth }: Pick<TestService<Session>, 'auth'>,
  ip: string | undefined,
): Browser {
  return new Browser((request) => auth.handle(request, { clientIp: () => ip }), base)
}

/** Creates a browser at an IP address with one cookie of another browser. */
export function createThief(
  service: Pick<TestService<unknown>, 'auth'>,
  { cookies }: Pick<Browser, 'cookies'>,
  { cookie, ip }: { readonly cookie: string; readonly ip: string },
): Browser {
  const value = cookies.get(cookie)
  if (value === undefined) throw new Error(`expected the cookie ${cookie}`)
  const thief = createBrowserAt(service, ip)
  thief.cookies.set(cookie, value)
  return thief
}

/** Expects a cookie in a response that knows a browser for 400 days, and does not show a name. */
export function expectKnownCookie({ headers }: Response, cookie: string, name: string): void {
  const line = headers.getSetCookie().find((set) => set.startsWith(cookie)) ?? ''
  expect(line).toMatch(/; Max-Age=34560000; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
  const [, value = ''] = /=([^;]*)/.exec(line) ?? []
  expect(value.length).toBeGreaterThan(100)
  expect(value.length).toBeLessThan(500)
  expect(Buffer.from(value, 'base64url').toString()).not.toContain(name)
}

/** Begins a sign-in and sends a callback without a subject, which is counted and refused. */
export async function sendCallback(browser: Browser): Promise<Response> {
  return browser.visit(toCallbackUrl(await beginSignIn(browser), ''))
}

/** The arguments of one `take`. */
export interface Taken {
  readonly key: string
  readonly limit: Limit
}

/** Creates a limiter that records its calls and never refuses. */
export function createRecordingLimiter(): { readonly limiter: Limiter; readonly taken: Taken[] } {
  const taken: Taken[] = []
  const limiter: Limiter = {
    async take(key, limit) {
      taken.push({ key, limit })
      return 0
    },
  }
  return { limiter, taken }
}
