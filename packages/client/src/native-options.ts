import type { Clock } from '@latchkey/core'
import { platformClock } from './native-clock.ts'

/**
 * Keeps the tokens of one user as one text, in the secret store of the platform: the keychain, never a file that other
 * users can read. An error of a function is passed on to the caller of the client.
 */
export interface TokenStore {
  /** Returns the text; null or undefined without one. */
  readonly get: () => Promise<string | null | undefined>
  /** Replaces the text. */
  readonly set: (text: string) => Promise<void>
  readonly delete: () => Promise<void>
  /**
   * Does some work while no other process that uses the same store does any. Default: the processes are not coordinated, so
   * two of them may send the same refresh token.
   */
  readonly lock?: <T>(work: () => Promise<T>) => Promise<T>
}

/** The browser of the system, never a WebView (RFC 8252 §8.12), and the way back from it. */
export interface SystemBrowser {
  /**
   * The `redirect_uri`, as registered: a private-use scheme with a dot such as `com.example.app:/callback`, a claimed https
   * URL, or `http://127.0.0.1/callback` (RFC 8252 §7).
   */
  readonly redirectUri: string
  /**
   * Opens the URL of the authorization request, and returns the URL that the browser was redirected to; undefined if the
   * user closed the browser. The signal is aborted when the sign-in ends before.
   *
   * @param getUrl Returns the URL for a `redirect_uri`: by default the option, on loopback also with another port
   */
  readonly visit: (
    getUrl: (redirectUri?: string) => string,
    signal: AbortSignal,
  ) => Promise<string | undefined>
}

/** The options of `createNativeClient`. */
export interface NativeOptions {
  /** The authorization server, as its metadata has it: for Latchkey, the URL of the service with its path. */
  readonly issuer: string
  /** The id of the application at the authorization server: a public client without a secret (RFC 8252 §8.5). */
  readonly clientId: string
  /** Keeps the tokens. */
  readonly tokens: TokenStore
  /** Required by `signIn`. */
  readonly browser?: SystemBrowser
  /** Separated by spaces, e.g. `openid offline_access`. Default: what the authorization server chooses. */
  readonly scope?: string
  /** The API that the access tokens are for (RFC 8707). Default: what the authorization server chooses. */
  readonly resource?: string
  /** Sends the requests. Default: the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** Default: the clocks of the platform. */
  readonly clock?: Clock
  /** Returns as many bytes from a cryptographic source. Default: `crypto.getRandomValues`. */
  readonly random?: (length: number) => Uint8Array
  /** Returns the SHA-256 digest. Default: `crypto.subtle.digest`, which React Native does not have. */
  readonly sha256?: (data: Uint8Array<ArrayBuffer>) => Promise<ArrayBuffer>
}

/** The options with their defaults. */
export type NativeConfig = Required<Omit<NativeOptions, 'browser' | 'scope' | 'resource'>> &
  Pick<NativeOptions, 'browser' | 'scope' | 'resource'>

/** @throws TypeError if an option is invalid; the message names it */
export function resolveOptions(options: NativeOptions): NativeConfig {
  const { issuer, clientId, tokens, browser, scope, resource } = options
  check('issuer', isIssuer(issuer), 'an https URL without query and fragment', issuer)
  check('clientId', isText(clientId), 'a text', clientId)
  check('scope', isScope(scope), 'scopes separated by single spaces', scope)
  check('resource', isResource(resource), 'an absolute URL without a fragment', resource)
  for (const name of ['get', 'set', 'delete'] as const) {
    check(`tokens.${name}`, typeof tokens?.[name] === 'function', 'a function')
  }
  if (browser) checkBrowser(browser)
  const { fetch = (url, init) => globalThis.fetch(url, init), clock = platformClock } = options
  const { random = getRandom, sha256 = digest } = options
  check('random', options.random ?? globalThis.crypto, 'a function')
  check('sha256', options.sha256 ?? globalThis.crypto?.subtle, 'a function')
  return { ...options, fetch, clock, random, sha256 }
}

function checkBrowser({ redirectUri, visit }: SystemBrowser): void {
  const expected =
    'an https URL, http://127.0.0.1, http://[::1], or a scheme with a dot, without a fragment'
  check('browser.redirectUri', isRedirectUri(redirectUri), expected, redirectUri)
  check('browser.visit', typeof visit === 'function', 'a function')
}

/** The value is shown only if it is an option that has no secret. */
function check(name: string, isValid: unknown, expected: string, found?: unknown): void {
  if (isValid) return
  const suffix = typeof found === 'string' ? `, found ${JSON.stringify(found)}` : ''
  throw new TypeError(`createNativeClient: expected ${expected} as ${name}${suffix}`)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function parse(value: unknown): URL | undefined {
  // URL.parse is too new for React Native.
  try {
    return new URL(String(value))
  } catch {
    return undefined
  }
}

/** RFC 8414 §2. Plain http is for development, on this machine. */
function isIssuer(value: unknown): boolean {
  return isText(value) && isServerUrl(value, isLocal(value)) && !/[?#]/.test(value)
}

/** Whether the URL is plain http on this machine. */
export function isLocal(value: string): boolean {
  const url = parse(value)
  return url?.protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname)
}

/** Whether requests and browsers may be sent to a URL: https, or on this machine if the issuer is there. */
export function isServerUrl(value: unknown, allowsLocal: boolean): value is string {
  const url = isText(value) ? parse(value) : undefined
  if (!url || url.username || url.password) return false
  return url.protocol === 'https:' || (allowsLocal && isLocal(url.href))
}

/** RFC 6749 §3.3 */
function isScope(value: unknown): boolean {
  if (value === undefined) return true
  return isText(value) && /^[!#-[\]-~]+( [!#-[\]-~]+)*$/.test(value)
}

/** RFC 8707 §2 */
function isResource(value: unknown): boolean {
  return (
    value === undefined || (isText(value) && parse(value) !== undefined && !value.includes('#'))
  )
}

/**
 * RFC 8252 §7. `localhost` may be another machine's (§8.3), and a scheme without a dot another application's (§7.1).
 */
function isRedirectUri(value: unknown): boolean {
  const url = isText(value) && !value.includes('#') ? parse(value) : undefined
  if (!url || url.username || url.password) return false
  if (url.protocol === 'http:') return /^(127\.0\.0\.1|\[::1\])$/.test(url.hostname)
  return url.protocol === 'https:' || url.protocol.includes('.')
}

function getRandom(length: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(length))
}

function digest(data: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  return crypto.subtle.digest('SHA-256', data)
}
