import { platform } from '#crypto'
import { fromBase64url, toBase64 } from '../crypto/encoding.ts'
import { lazy } from '../lib/lazy.ts'
import type { Theme } from './theme.ts'

/**
 * Returns the Content-Security-Policy of a page.
 *
 * @param html The page. Default: one without a script
 */
export type Policy = (origin: string, html?: string) => Promise<string>

/**
 * Creates the Content-Security-Policy of the pages by the service's origin (I-10): one style sheet,
 * named by its hash, and images of `data:`: the logo, and the empty icon, without which browsers request one. Chromium applies `form-action` to the
 * redirects after a form post too, so it allows every https URL, and http URLs if the origin is http.
 * A page that has the script is allowed exactly this one, and requests to its own origin (I-56.7).
 * The hash is computed for the first page.
 */
export function createPolicy(theme: Theme, script?: string): Policy {
  const getHash = lazy(() => hash(theme.style))
  return async (origin, html = '') => {
    const forms = origin.startsWith('https:') ? "'self' https:" : "'self' https: http:"
    const hasScript = script !== undefined && html.includes(script)
    const scripts = hasScript
      ? `script-src 'sha256-${await hash(script)}'; connect-src 'self'; `
      : ''
    return (
      `default-src 'none'; style-src 'sha256-${await getHash()}'; img-src data:; ${scripts}` +
      `form-action ${forms}; base-uri 'none'; frame-ancestors 'none'`
    )
  }
}

async function hash(text: string): Promise<string> {
  return toBase64(fromBase64url(await platform.hash(text)))
}
