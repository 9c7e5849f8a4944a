import type { ImportedSession, ImportedToken } from '../ports/session-importer.ts'

/** What the readers of former sessions take. */
export interface ImportOptions {
  /** The secret that the other service had, or all of them. */
  readonly secret: string | readonly string[]
  /** The name of its session cookie, without prefix. Default: its own default */
  readonly cookieName?: string
  /** The domain that its cookies were set with. Default: none */
  readonly domain?: string
  /**
   * Makes what our session carries of what the other one carried; undefined for nobody. By default all
   * claims stay but those that belong to the token (`iat`, `exp`, `nbf`, `jti`).
   */
  readonly token?: (claims: Readonly<Record<string, unknown>>) => ImportedToken | undefined
}

/** A session cookie that may have come in parts. */
export interface WholeCookie {
  readonly value: string
  /** The names that it came under. */
  readonly names: readonly string[]
}

/** The cookie of a name, whole or joined of its parts `<name>.0`, `<name>.1`, … in their order. */
export function cookieOf(
  cookies: ReadonlyMap<string, string>,
  cookieName: string,
  secure: boolean,
): WholeCookie | undefined {
  const name = (secure ? '__Secure-' : '') + cookieName
  const whole = cookies.get(name)
  if (whole !== undefined) return { value: whole, names: [name] }
  const parts = [...cookies.keys()]
    .filter((held) => held.startsWith(`${name}.`) && /^\d{1,3}$/.test(held.slice(name.length + 1)))
    .toSorted((a, b) => Number(a.slice(name.length + 1)) - Number(b.slice(name.length + 1)))
  if (parts.length === 0) return undefined
  return { value: parts.map((part) => cookies.get(part) ?? '').join(''), names: parts }
}

/** What a token's claims become; undefined where they name nobody. */
export function importedSession(
  claims: Readonly<Record<string, unknown>> | undefined,
  cookie: WholeCookie,
  { token = withoutTimes, domain }: ImportOptions,
): ImportedSession | undefined {
  const made = claims && token(claims)
  return typeof made?.sub === 'string' && made.sub !== ''
    ? { token: made, value: cookie.value, cookies: cookie.names, domain }
    : undefined
}

function withoutTimes(claims: Readonly<Record<string, unknown>>): ImportedToken | undefined {
  const { iat: _, exp: __, nbf: ___, jti: ____, sub, ...rest } = claims
  return typeof sub === 'string' ? { ...rest, sub } : undefined
}
