import { platform } from '#crypto'
import { fromBase64url, toBase64 } from '../crypto/encoding.ts'
import { lazy } from '../lib/lazy.ts'
import type { Theme } from './theme.ts'

/**
 * Creates the Content-Security-Policy of the pages by the service's origin (I-10): one style sheet,
 * named by its hash, and images of `data:` if the logo is one. Chromium applies `form-action` to the
 * redirects after a form post too, so it allows every https URL, and http URLs if the origin is http.
 * The hash is computed for the first page.
 */
export function createPolicy(theme: Theme): (origin: string) => Promise<string> {
  const getHash = lazy(async () => toBase64(fromBase64url(await platform.hash(theme.style))))
  const images = theme.brand?.hasImage ? 'img-src data:; ' : ''
  return async (origin) => {
    const forms = origin.startsWith('https:') ? "'self' https:" : "'self' https: http:"
    return (
      `default-src 'none'; style-src 'sha256-${await getHash()}'; ${images}` +
      `form-action ${forms}; base-uri 'none'; frame-ancestors 'none'`
    )
  }
}
