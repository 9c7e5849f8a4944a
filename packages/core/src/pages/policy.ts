import { platform } from '#crypto'
import { fromBase64url, toBase64 } from '../crypto/encoding.ts'
import { lazy } from '../lib/lazy.ts'
import { stylesheetLink } from './layout.ts'
import type { Theme } from './theme.ts'

/**
 * Returns the Content-Security-Policy of a page.
 *
 * @param html The page. Default: one without a script
 * @param formTarget Where a form of the page leads by a redirect. Default: to https URLs only
 */
export type Policy = (origin: string, html?: string, formTarget?: URL) => Promise<string>

/**
 * Creates the Content-Security-Policy of the pages by the service's origin (I-10): one style sheet,
 * named by its hash, on pages that link to it the one of `theme.stylesheet`, and images of `data:`: the logo, and the empty icon, without which browsers request one. Chromium applies `form-action` to the
 * redirects after a form post too, so it allows every https URL, and http URLs if the origin is http.
 * A page that has the script is allowed exactly this one, and requests to its own origin (I-56.7).
 * The hash is computed for the first page.
 */
export function createPolicy(theme: Theme, script?: string): Policy {
  const getHash = lazy(() => hash(theme.style))
  const link = stylesheetLink(theme)?.toString()
  return async (origin, html = '', formTarget?: URL) => {
    const own = origin.startsWith('https:') ? "'self' https:" : "'self' https: http:"
    const forms = [own, ...(formTarget ? toSources(formTarget) : [])].join(' ')
    const hasScript = script !== undefined && html.includes(script)
    const scripts = hasScript
      ? `script-src 'sha256-${await hash(script)}'; connect-src 'self'; `
      : ''
    const styles = link !== undefined && html.includes(link) ? ` ${origin}${theme.stylesheet}` : ''
    return (
      `default-src 'none'; style-src 'sha256-${await getHash()}'${styles}; img-src data:; ${scripts}` +
      `form-action ${forms}; base-uri 'none'; frame-ancestors 'none'`
    )
  }
}

/**
 * Returns the source of a URL that is not https: scheme, host and port, or the scheme alone (CSP Level 3 §2.3.1). Only what
 * cannot end a directive is written: the host of a URL may contain a semicolon. An IPv6 address has no source.
 */
function toSources({ protocol, origin }: URL): readonly string[] {
  const source = protocol === 'http:' ? origin : protocol
  const isWritten = protocol === 'http:' ? /^http:\/\/[a-z\d.-]+(:\d+)?$/ : /^[a-z][a-z\d+.-]*:$/
  return protocol !== 'https:' && isWritten.test(source) ? [source] : []
}

async function hash(text: string): Promise<string> {
  return toBase64(fromBase64url(await platform.hash(text)))
}
