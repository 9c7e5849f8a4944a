import { expect } from 'vitest'

/** A response, and what was sent. */
interface Exchange {
  readonly method: string
  /** The path below the base path. */
  readonly path: string
  readonly response: Response
  readonly text: string
}

const COOKIE =
  /^__Host-[!#$%&'*+.^_`|~\dA-Za-z-]+=[!#-+\--:<-[\]-~]*(?:; (?:Max-Age=\d+|Path=\/|HttpOnly|Secure|SameSite=Lax))*$/

/** Markup of hostile texts, if it is not escaped. */
const INJECTED = /<script>xss|<img\b|<b>xss|(?:href|action|src)="\s*javascript:/i

/** What the message of an exception has. */
const EXCEPTION =
  /Error:|\bat \w+ \(|(?<![\w-])(?:undefined|NaN)(?![\w-])|storage\.\w+ failed|SQLITE|is not a function|Unexpected token/

/**
 * Expects what holds for every response of a service at an HTTPS origin: its status, its headers, its cookies, and no text
 * of an exception.
 *
 * @param planned Statuses of 500 and more that the case may lead to. Default: none, except on the page `/error`
 */
export function checkResponse(
  { method, path, response, text }: Exchange,
  planned: readonly number[] = [],
): void {
  const { status, headers } = response
  const at = `${method} ${path.slice(0, 200)}: ${status} ${text.slice(0, 300)}`
  const isErrorPage = /^error\/?(?:\?|$)/.test(path) && ['GET', 'HEAD'].includes(method)
  if (!isErrorPage && !planned.includes(status)) expect(status, at).toBeLessThan(500)
  const isPublic = path.startsWith('jwks') && status === 200
  if (!isPublic) expect(headers.get('cache-control'), at).toBe('private, no-store')
  expect(headers.get('x-content-type-options'), at).toBe('nosniff')
  const type = headers.get('content-type') ?? ''
  if (type.startsWith('text/html')) checkPage(headers, text, at)
  if (type.startsWith('application/json') && text !== '') JSON.parse(text)
  for (const line of headers.getSetCookie()) {
    expect(line, at).toMatch(COOKIE)
    expect(line.length, at).toBeLessThanOrEqual(4096)
    for (const attribute of ['Path=/', 'HttpOnly', 'Secure', 'SameSite=Lax'])
      expect(line, at).toContain(`; ${attribute}`)
  }
  if (method !== 'HEAD') return
  expect(text, at).toBe('')
  expect(headers.getSetCookie(), at).toEqual([])
}

/** Expects no text of an exception in what a user sees. */
export function checkNoException(text: string, location: string): void {
  const shown = text.replaceAll(/<(style|script|svg)\b.*?<\/\1>/gs, '')
  expect(`${shown} ${location}`).not.toMatch(EXCEPTION)
}

function checkPage(headers: Headers, text: string, at: string): void {
  const policy = headers.get('content-security-policy') ?? ''
  expect(policy, at).toMatch(/^default-src 'none'; style-src 'sha256-.*frame-ancestors 'none'/)
  expect(policy, at).not.toContain('unsafe')
  expect(headers.get('referrer-policy'), at).toBe('same-origin')
  expect(text, at).not.toMatch(INJECTED)
  // Tags without the values of attributes, which are in double quotes.
  const tags = (text.match(/<[a-z](?:"[^"]*"|[^">])*>/g) ?? [])
    .join('')
    .replaceAll(/"[^"]*"/g, '""')
  expect(tags, at).not.toMatch(/\son\w+=/i)
  expect(text, at).not.toMatch(/\p{Surrogate}/u)
}
