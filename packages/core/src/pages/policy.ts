import { toBase64, sha256 } from '../crypto/encoding.ts'

/**
 * The Content-Security-Policy of the pages (I-10): nothing but the one style sheet, named by its
 * hash. Chromium applies `form-action` to the redirects after a form post too, so a sign-in form has
 * to be allowed to end at any https address, and on an http origin at an http one.
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
