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
export interface CookieSpec {
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
interface CookieRow {
  /** The default name, without prefix. */
  readonly name: string
  /** Returns the seconds that the cookie lives; undefined until the browser closes. */
  readonly getMaxAge?: (life: SessionLife) => number
}

/** The key of a cookie in the table, and in the option `cookies`. */
export type CookieKey =
  'csrf' | 'session' | 'flow' | 'return' | 'ended' | 'known' | 'second' | 'remembered' | 'logout'

/** The cookies of the service. `flow`, `return` and `known` are the stems of `<name>.<id>`. */
export const cookieTable: Readonly<Record<CookieKey, CookieRow>> = {
  csrf: { name: 'latchkey.csrf' },
  session: { name: 'latchkey.session', getMaxAge: ({ maxAge }) => maxAge },
  flow: { name: 'latchkey.flow', getMaxAge: () => FLOW_LIFETIME },
  return: { name: 'latchkey.return', getMaxAge: () => RETURN_LIFETIME },
  // If sessions are kept only in cookies, only this browser knows that one has ended.
  ended: {
    name: 'latchkey.ended',
    getMaxAge: ({ maxAge, isRevocable }) => (isRevocable ? ENDED_LIFETIME : maxAge),
  },
  known: { name: 'latchkey.known', getMaxAge: () => KNOWN_LIFETIME },
  second: { name: 'latchkey.second', getMaxAge: () => SECOND_LIFETIME },
  remembered: { name: 'latchkey.remembered' },
  logout: { name: 'latchkey.logout', getMaxAge: () => KNOWN_LIFETIME },
}

/** The cookies of one origin: those of the service, and those of its capabilities. */
export interface CookieSpecs extends Readonly<Record<CookieKey, CookieSpec>> {
  readonly [key: string]: CookieSpec
}

/** A cookie of a capability, by its key: it is called `latchkey.` and the key. */
export interface OwnCookie {
  /** Seconds that it lives, at most 34,560,000 (400 days). Default: until the browser closes */
  readonly maxAge?: number
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

/** The names of the cookies without prefix, and the one domain that can be set (I-15). */
export interface CookieNames extends Readonly<Record<CookieKey, string>> {
  readonly sessionDomain: string | undefined
}

/** Returns one cookie of several: `<name>.<id>`. */
export function withCookieId(spec: CookieSpec, id: string): CookieSpec {
  return { ...spec, name: `${spec.name}.${id}` }
}

/** Returns the cookies with the prefixes of secure or insecure mode (I-4). */
export function createCookieSpecs(
  names: CookieNames,
  secure: boolean,
  life: SessionLife,
  ofCapabilities: Readonly<Record<string, OwnCookie>> = {},
): CookieSpecs {
  const rows = Object.entries(cookieTable) as [CookieKey, CookieRow][]
  const added = Object.entries(ofCapabilities).map(([key, { maxAge }]) => {
    const name = `${secure ? '__Host-' : ''}latchkey.${key}`
    return [key, { name, secure, ...(maxAge !== undefined && { maxAge }) }] as const
  })
  const specs = rows.map(([key, { getMaxAge }]) => {
    const maxAge = getMaxAge?.(life)
    const name = (secure ? '__Host-' : '') + names[key]
    return [key, { name, secure, ...(maxAge !== undefined && { maxAge }) }] as const
  })
  const { session, ...others } = Object.fromEntries(specs) as Record<CookieKey, CookieSpec>
  return { ...Object.fromEntries(added), ...others, session: toSessionSpec(session, names) }
}

/** With a domain, the prefix is another one (I-15). */
function toSessionSpec(
  session: CookieSpec,
  { session: name, sessionDomain: domain }: CookieNames,
): CookieSpec {
  const spec = { ...session, isDeletedFirst: true } as const
  if (domain === undefined) return spec
  return { ...spec, name: (spec.secure ? '__Secure-' : '') + name, domain }
}
