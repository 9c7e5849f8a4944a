import type { RecentOptions, SessionToken } from '@latchkey/core'
import { getRequest } from './get-request.ts'
import type { NextService } from './next-service.ts'

/** The options of `requireRecent`. */
export interface RequireRecentOptions extends Omit<RecentOptions, 'renew'> {
  /** Path and query of the page to return to: Next.js does not show them to a page. Default: the origin */
  readonly callbackUrl?: string
}

/** Creates the function `requireRecent` of a service. */
export function createRequireRecent<Session, Token extends SessionToken>(
  getService: () => Promise<NextService<Session, Token>>,
): (options?: RequireRecentOptions) => Promise<Session> {
  return async ({ callbackUrl = '/', ...options } = {}) => {
    const current = await getRequest()
    const service = await getService()
    const request = toNavigation(current, callbackUrl)
    const recent = await service.requireRecent(request, { ...options, renew: false })
    if (!(recent instanceof Response) && recent.session !== null) return recent.session
    const { redirect } = await import('next/navigation.js')
    return redirect(recent.headers.get('location') ?? '/')
  }
}

/**
 * Converts the request of a page to a navigation to its path: with JavaScript, Next.js requests pages and server
 * actions by scripts, which would get 401 and not a redirect.
 */
function toNavigation({ url, headers: current }: Request, callbackUrl: string): Request {
  const headers = new Headers(current)
  headers.set('accept', 'text/html')
  headers.delete('sec-fetch-dest')
  headers.delete('x-requested-with')
  // Several slashes would make the path a URL of another host.
  const path = callbackUrl.replace(/^[/\\]*/, '/')
  return new Request(new URL(url).origin + path, { headers })
}
