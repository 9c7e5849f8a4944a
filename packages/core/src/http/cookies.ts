/** Seconds that a sign-in at an identity provider may take. */
export const FLOW_LIFETIME: number = 15 * 60
/** Seconds that the second step of a sign-in may take. */
export const SECOND_LIFETIME = 600
/** Seconds between a posted callback and the GET that follows it. */
export const RETURN_LIFETIME = 60
/** Seconds that a reply in flight may take to arrive, if the storage knows that its session has ended (I-37). */
const ENDED_LIFETIME = 120
/** Seconds that a browser keeps what outlives renewals of a session: browsers allow no more. */
export const KNOWN_LIFETIME: number = 400 * 86_400
/** How many parts a long cookie may have (I-12). */
export const MAX_PARTS = 8

/** One cookie of the service. */
export interface CookieSpec extends Pick<OwnCookie, 'rank' | 'isStep'> {
  /** The name as sent, prefix included. */
  readonly name: string
  readonly secure: boolean
  /** Seconds; absent for a cookie that ends with the browser. */
  readonly maxAge?: number
  readonly domain?: string
  /** Whether the cookie is deleted before others, of which a reply deletes a few only. */
  readonly isDeletedFirst?: true
}

/** What the lives of cookies depend on. */
interface SessionLife {
  /** Seconds that a session cookie lives. */
  readonly maxAge: number
  /** Whether a storage knows which sessions have ended. */
  readonly isRevocable: boolean
}

/** What the table says of a cookie. */
interface CookieRow extends Pick<OwnCookie, 'rank' | 'isStep'> {
  /** Returns the seconds that the cookie lives; undefined until the browser closes. */
  readonly getMaxAge?: (life: SessionLife) => number
}

/** The key of a cookie in the table, and in the option `cookies`. */
export type CookieKey =
  'csrf' | 'session' | 'flow' | 'return' | 'ended' | 'known' | 'logout' | 'last'

/** The cookies of the service: by default `latchkey.` and the key. `flow`, `return` and `known` are the stems of `<name>.<id>`. */
export const cookieTable: Readonly<Record<CookieKey, CookieRow>> = {
  csrf: {},
  session: { getMaxAge: ({ maxAge }) => maxAge },
  flow: { getMaxAge: () => FLOW_LIFETIME, rank: 1, isStep: true },
  return: { getMaxAge: () => RETURN_LIFETIME },
  // If sessions are kept only in cookies, only this browser knows that one has ended.
  ended: { getMaxAge: ({ maxAge, isRevocable }) => (isRevocable ? ENDED_LIFETIME : maxAge) },
  known: { getMaxAge: () => KNOWN_LIFETIME, rank: 6 },
  logout: { getMaxAge: () => KNOWN_LIFETIME, rank: 3 },
  // A hint: the id of the provider of the last sign-in. Nothing is decided by it.
  last: { getMaxAge: () => KNOWN_LIFETIME, rank: 0 },
}

/** The cookies of one origin: those of the service, and those of its capabilities. */
export interface CookieSpecs extends Readonly<Record<CookieKey, CookieSpec>> {
  readonly [key: string]: CookieSpec
}

/** A cookie of a capability, by its key: it is called `latchkey.` and the key, unless the option `cookies` renames it. */
export interface OwnCookie {
  /** Seconds that it lives, at most 34,560,000 (400 days). Default: until the browser closes */
  readonly maxAge?: number
  /**
   * If a browser would hold more than 12,000 bytes, cookies of a lower rank are deleted first: flows have 1, an unfinished
   * sign-in 2, the logout hint 3, a remembered browser 5, and what providers remember 6. Default: 4
   */
  readonly rank?: number
  /** Whether it is a step of a sign-in, for which there are 1,600 bytes more in the reply that begins it. Default: false */
  readonly isStep?: boolean
}

/**
 * Returns a cookie of a capability as the origin of a request has it: `ctx.cookies.get(cookie.name)` reads it, `setCookie` and
 * `clearCookie` describe its change.
 *
 * @param key The key in `cookies` of the capability
 *
 * @throws TypeError if no capability in use has the cookie
 */
export function getOwnCookie(
  { baseUrl }: { readonly baseUrl: { readonly cookies: CookieSpecs } },
  key: string,
): CookieSpec {
  const spec = Object.hasOwn(baseUrl.cookies, key) ? baseUrl.cookies[key] : undefined
  if (!spec) throw new TypeError(`no capability in use has the cookie ${key}`)
  return spec
}

/** The names of all cookies by their keys, without prefix, and the one domain that can be set (I-15). */
export interface CookieNames {
  readonly names: Readonly<Record<string, string>>
  readonly sessionDomain?: string | undefined
}

/** Returns one cookie of several: `<name>.<id>`. */
export function withCookieId(spec: CookieSpec, id: string): CookieSpec {
  return { ...spec, name: `${spec.name}.${id}` }
}

/** Returns the cookies with the prefixes of secure or insecure mode (I-4). */
export function createCookieSpecs(
  { names, sessionDomain }: CookieNames,
  secure: boolean,
  life: SessionLife,
  ofCapabilities: Readonly<Record<string, OwnCookie>> = {},
): CookieSpecs {
  const toSpec = (key: string, row: OwnCookie): CookieSpec => ({
    ...row,
    name: (secure ? '__Host-' : '') + (names[key] ?? `latchkey.${key}`),
    secure,
  })
  const own = Object.entries(cookieTable) as [CookieKey, CookieRow][]
  const specs = own.map(([key, { getMaxAge, ...row }]) => {
    const maxAge = getMaxAge?.(life)
    return [key, toSpec(key, { ...row, ...(maxAge !== undefined && { maxAge }) })] as const
  })
  const added = Object.entries(ofCapabilities).map(
    ([key, row]) => [key, toSpec(key, { rank: DEFAULT_RANK, ...row })] as const,
  )
  const { session, ...others } = Object.fromEntries(specs) as Record<CookieKey, CookieSpec>
  const spec = { ...session, isDeletedFirst: true } as const
  return {
    ...Object.fromEntries(added),
    ...others,
    // With a domain, the prefix is another one (I-15).
    session: sessionDomain === undefined ? spec : withDomain(spec, sessionDomain),
  }
}

/** Between the logout hint and what browsers remember. */
const DEFAULT_RANK = 4

function withDomain(spec: CookieSpec, domain: string): CookieSpec {
  return { ...spec, name: spec.name.replace('__Host-', '__Secure-'), domain }
}
