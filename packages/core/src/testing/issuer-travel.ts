import type { Browser } from './browser.ts'
import type { Issuer } from './issuer.ts'

/** Where a person begins, and with what. */
export interface Departure {
  /** The provider's path segment, with a query where the test has one. Default: `op`. */
  readonly provider?: string
  readonly fields?: Readonly<Record<string, string>>
}

/** The answer to `POST /signin/:provider`, as the issuer or the error page gets it. */
export async function depart(
  browser: Browser,
  { provider = 'op', fields = {} }: Departure = {},
): Promise<URL> {
  const response = await browser.submit(`/signin/${provider}`, fields)
  const location = response.headers.get('location')
  if (response.status !== 302 || location === null) {
    throw new Error(`POST /signin/${provider} answered ${response.status}`)
  }
  return new URL(location)
}

/**
 * A whole sign-in of a person: `POST /signin/:provider`, the issuer, and the return.
 *
 * @example
 *   import type { Browser } from '@latchkey/core/testing/browser'
 *   import type { Issuer } from '@latchkey/core/testing/issuer'
 *   import { travel } from '@latchkey/core/testing/issuer-travel'
 *
 *   declare const browser: Browser, issuer: Issuer
 *   const response = await travel(browser, issuer, { provider: 'company' })
 *
 * @returns The answer of the callback
 */
export async function travel(
  browser: Browser,
  issuer: Issuer,
  departure: Departure = {},
): Promise<Response> {
  return browser.visit(issuer.authorize(await depart(browser, departure)).href)
}
