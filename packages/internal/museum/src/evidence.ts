import type { SessionUser } from './subject.ts'

/** Describes a response: the status, and where it redirects. */
export function describeResponse({ status, headers }: Response): string {
  const location = headers.get('location')
  return location === null ? `status ${status}` : `status ${status}, location ${location}`
}

/** Describes who is signed in. */
export function describeUser(user: SessionUser | undefined): string {
  return user === undefined ? 'no session' : `a session of ${user.email ?? user.id}`
}

/**
 * Returns the origins that a response leads a browser to: where it redirects, and the return URL of the page there; none if
 * it does not redirect.
 */
export function getTargetOrigins(response: Response, base: string): readonly string[] {
  const location = response.headers.get('location')
  if (location === null) return []
  const target = new URL(location, base)
  const next = target.searchParams.get('callbackUrl')
  return [target.origin, ...(next === null ? [] : [new URL(next, base).origin])]
}
