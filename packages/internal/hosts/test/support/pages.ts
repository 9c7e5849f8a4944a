import { Browser } from '@latchkey/testing/browser'
import { expect } from 'vitest'
import type { RunningHost } from '../../src/hosts.ts'

/** Signs alice in, in a new browser. */
async function signIn(host: RunningHost, query = ''): Promise<Browser> {
  const browser = new Browser(host.send, host.base)
  const begun = await browser.submit(`/signin/passport${query}`)
  await browser.visit(begun.headers.get('location') ?? '')
  return browser
}

/** Expects a page that greets only users who have signed in: `toVisitor` checks the answer to others. */
export async function expectGreeting(
  host: RunningHost,
  path: string,
  toVisitor: (response: Response) => unknown,
): Promise<void> {
  const page = new URL(path, host.base).href
  await toVisitor(await new Browser(host.send, host.base).visit(page))
  const text = await (await (await signIn(host)).visit(page)).text()
  expect(text).toMatch(/Hello, (?:<!-- -->)?Person alice/)
}

/** Expects a page that leads visitors to the sign-in page. */
export function expectGuarded(host: RunningHost): Promise<void> {
  return expectGreeting(host, '/account', ({ status, headers }) =>
    expect([status, headers.get('location')]).toEqual([302, '/api/auth/signin']),
  )
}

/** Expects a page to set the cookie of a session that it renews (I-35). */
export async function expectRenewal(host: RunningHost, path: string): Promise<void> {
  const browser = await signIn(host, '?login_hint=due')
  const { headers } = await browser.visit(new URL(path, host.base).href)
  expect(headers.getSetCookie()).toEqual([
    expect.stringMatching(/^latchkey\.session=[\w-]{43}; Max-Age=\d+;/),
  ])
}
