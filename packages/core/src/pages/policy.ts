import { sha256, toBase64 } from '../crypto/encoding.ts'

/**
 * Creates the Content-Security-Policy of the pages by the service's origin (I-10): one style sheet,
 * named by its hash. Chromium applies `form-action` to the redirects after a form post too, so it
 * allows every https URL, and http URLs if the origin is http.
 */
export function createPolicy(style: string): (origin: string) => string {
  const hash = toBase64(sha256(style))
  return (origin) => {
    const forms = origin.startsWith('https:') ? "'self' https:" : "'self' https: http:"
    return (
      `default-src 'none'; style-src 'sha256-${hash}'; ` +
      `form-action ${forms}; base-uri 'none'; frame-ancestors 'none'`
    )
  }
}
