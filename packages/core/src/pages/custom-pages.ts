import { ConfigurationError } from '../lib/errors.ts'
import { checkKind } from '../lib/kind.ts'
import { checkKnownNames } from '../lib/known-names.ts'
import type { ServiceUrl } from '../http/base-url.ts'

/** Pages that replace the built-in ones: absolute http(s) URLs, or paths on the service's origin. */
export interface PagesOptions {
  /** Offers the providers; the query has `callbackUrl` and, after a failure, `error`. */
  readonly signIn?: string
  /** Asks whether to sign out. */
  readonly signOut?: string
  /** Shows an error that no further attempt corrects; the query has `error`. */
  readonly error?: string
  /** Asks to open the email that was sent. */
  readonly verifyRequest?: string
  /** With `confirmation()`: where a signed-in user proves again who they are. */
  readonly confirm?: string
  /**
   * With `secondFactor()`: where users prove their second factor, with the ids of their methods as
   * `methods`, divided by spaces.
   */
  readonly secondFactor?: string
  /**
   * Where the first sign-in of a new user leads, with the return URL as `callbackUrl`. On another
   * origin `callbacks.redirect` must allow it.
   */
  readonly newUser?: string
}

/**
 * Checks the option `pages`.
 *
 * @throws ConfigurationError if a page is unknown, not an http(s) URL, or a route of the service
 */
export function resolvePages(
  pages: PagesOptions = {},
  { origin, basePath }: ServiceUrl,
): PagesOptions {
  const own = origin ?? 'http://localhost'
  checkKnownNames('pages', pages, pageNames)
  for (const [name, page] of Object.entries(pages)) {
    checkKind(`pages.${name}`, page, 'a string')
    if (page === undefined) continue
    const url = page ? URL.parse(page, own) : null
    if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
      throw new ConfigurationError(`pages.${name}`, 'must be an http(s) URL or a path')
    }
    if (url.origin === own && `${url.pathname}/`.startsWith(`${basePath}/`)) {
      throw new ConfigurationError(`pages.${name}`, 'must not be a route of the service itself')
    }
  }
  return pages
}

const pageNames: readonly string[] = [
  'signIn',
  'signOut',
  'error',
  'verifyRequest',
  'confirm',
  'secondFactor',
  'newUser',
]
