import type { Browser } from './browser.ts'
import type { Issuer } from './issuer.ts'

/** How a sign-in begins. */
export interface SignInOptions {
  /** The provider's path segment, with or without a query. Default: `op` */
  readonly provider?: string
  /** Form fields of `POST /signin/:provider`. */
  readonly fields?: Readonly<Record<string, string>>
}

/**
 * Begins a sign-in with `POST /signin/:provider`.
 *
 * @returns The URL that the service redirects to: the issuer, or the page of an error
 * @throws Error if the response is not a redirect
 */
export async function beginSignIn(
  browser: Browser,
  { provider = 'op', fields = {} }: SignInOptions = {},
): Promise<URL> {
  const response = await browser.submit(`/signin/${provider}`, fields)
  const location = response.headers.get('location')
  if (response.status !== 302 || location === null) {
    throw new Error(`expected status 302 from POST /signin/${provider}, found ${response.status}`)
  }
  return new URL(location)
}

/**
 * Signs a user in: `POST /signin/:provider`, the issuer, and the callback.
 *
 * @example
 *   import type { Browser } from '@latchkey/testing/browser'
 *   import type { Issuer } from '@latchkey/testing/issuer'
 *   import { signInAtIssuer } from '@latchkey/testing/issuer-sign-in'
 *
 *   declare const browser: Browser, issuer: Issuer
 *   const response = await signInAtIssuer(browser, issuer, { provider: 'company' })
 *
 * @returns The response of the callback
 * @throws Error if the authorization request is invalid
 */
export async function signInAtIssuer(
  browser: Browser,
  issuer: Issuer,
  options: SignInOptions = {},
): Promise<Response> {
  return browser.visit(issuer.authorize(await beginSignIn(browser, options)).href)
}
