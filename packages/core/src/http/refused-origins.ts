import type { Log } from '../lib/log.ts'
import { isFromTrustedOrigin } from './trusted-origins.ts'

/** Origins that are named: a client can send any number of them. */
const MAX_ORIGINS = 20

/** What the warning reads. */
interface AskedContext {
  readonly request: Request
  readonly service: { readonly trustedOrigins: ReadonlySet<string>; readonly log: Log }
  readonly baseUrl: { readonly origin: string }
}

/**
 * Creates the function that warns of a page of another origin that must not read a reply (I-42): its browser
 * names only the origin, and neither the service nor its option. Each origin is named once.
 */
export function createOriginWarning(): (ctx: AskedContext, path: string) => void {
  const named = new Set<string>()
  return ({ request, service, baseUrl }, path) => {
    const origin = request.headers.get('origin')
    if (origin === null || origin === baseUrl.origin) return
    if (isFromTrustedOrigin(service, request)) return
    if (named.has(origin) || named.size >= MAX_ORIGINS) return
    named.add(origin)
    const found = origin.slice(0, 99)
    const reason = service.trustedOrigins.has(origin)
      ? 'its browser says that it is of another site'
      : 'it is not in the option trustedOrigins'
    service.log.warn(`a page of ${found} cannot read ${request.method} ${path}: ${reason}`, {})
  }
}
