import { getCauses } from '../lib/log.ts'
import type { Log } from '../lib/log.ts'

/** Decides whether a URL outside the service's own origin may be returned to. */
export type AllowRedirect = (target: { readonly url: URL; readonly origin: string }) => unknown

/** Characters. Longer URLs are dropped: return URLs travel in a cookie. */
const MAX_LENGTH = 2048

/** Which URLs outside the service's own origin may be returned to. */
export interface ReturnRules {
  /** URLs of these origins (I-42). */
  readonly trustedOrigins: ReadonlySet<string>
  /** URLs for which it returns `true`. */
  readonly allow: AllowRedirect | undefined
}

/**
 * Checks a return URL (I-41): an http(s) URL of the service's own origin or of a trusted one, or one for
 * which `allow` returns `true`, re-serialised. Anything else becomes the origin itself, never an error.
 */
export async function toAllowedUrl(
  value: string | undefined,
  origin: string,
  { trustedOrigins, allow }: ReturnRules,
): Promise<string> {
  if (value === undefined || value === origin) return origin
  const url = parse(value, origin)
  if (!url) return origin
  if (url.origin === origin || trustedOrigins.has(url.origin)) return url.href
  return (await allow?.({ url, origin })) === true ? url.href : origin
}

/** What {@link resolveReturnUrl} asks. */
interface RedirectContext {
  readonly service: {
    readonly callbacks: { readonly redirect?: AllowRedirect }
    readonly trustedOrigins: ReadonlySet<string>
    readonly log: Log
  }
  readonly baseUrl: { readonly origin: string }
}

/** Returns a checked return URL. If `callbacks.redirect` throws, the URL is not allowed. */
export async function resolveReturnUrl(
  { service, baseUrl }: RedirectContext,
  value: string | undefined,
): Promise<string> {
  const { trustedOrigins, callbacks } = service
  try {
    return await toAllowedUrl(value, baseUrl.origin, {
      trustedOrigins,
      allow: callbacks.redirect,
    })
  } catch (thrown) {
    service.log.error('callbacks.redirect threw', { causes: getCauses(thrown) })
    return baseUrl.origin
  }
}

function parse(value: string, origin: string): URL | null {
  // URL parsers disagree about backslashes and control characters.
  // oxlint-disable-next-line no-control-regex
  if (value.length > MAX_LENGTH || /[\\\u0000-\u001f\u007f-\u009f]/.test(value)) return null
  const url = URL.parse(value, origin)
  if (!url || url.username || url.password || url.href.length > MAX_LENGTH) return null
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : null
}
