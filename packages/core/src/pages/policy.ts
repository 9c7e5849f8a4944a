import { utf8 } from '../encoding.ts'
import { lazy } from '../lazy.ts'

/**
 * The Content-Security-Policy of the pages (I-10): nothing but the one style sheet, named by its
 * hash. Chromium applies `form-action` to the redirects after a form post too, so a sign-in form has
 * to be allowed to end at any https address, and on an http origin at an http one.
 */
export function createPolicy(style: string): (origin: string) => Promise<string> {
  const hash = lazy(() => sha256Base64(style))
  return async (origin) => {
    const forms = origin.startsWith('https:') ? "'self' https:" : "'self' https: http:"
    return (
      `default-src 'none'; style-src 'sha256-${await hash()}'; ` +
      `form-action ${forms}; base-uri 'none'; frame-ancestors 'none'`
    )
  }
}

async function sha256Base64(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', utf8(text)))
  return btoa(String.fromCharCode(...digest))
}
