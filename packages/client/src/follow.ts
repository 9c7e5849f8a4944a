import type { Failure, TransportResult } from './transport.ts'

/** The result of a sign-in or sign-out: the URL to continue at, or the failure. */
export type Result = { readonly ok: true; readonly url: string } | Failure

/** Converts a response to a result, and navigates to its URL if `redirect` is set. */
export function follow(response: TransportResult, redirect: boolean): Result {
  const result: Result = response.ok ? { ok: true, url: response.body['url'] as string } : response
  const { url } = result
  if (!redirect || !url) return result
  location.href = url
  // With a hash, the browser may scroll instead of loading the page.
  if (url.includes('#')) location.reload()
  return result
}

/** Navigates to the page that asks to confirm, if the request needs it: other failures are shown on this page. */
export function followConfirmation<F extends Failure>(failure: F, redirect: boolean): F {
  follow(failure, redirect && failure.error === 'ConfirmationRequired')
  return failure
}
