/** Seconds that a sign-in at an identity provider may take. */
export const FLOW_LIFETIME: number = 15 * 60
/** Seconds between a posted callback and the GET that follows it. */
export const RETURN_LIFETIME = 60
/** Seconds that a reply in flight may take to arrive, if the storage knows that its session has ended (I-37). */
const ENDED_LIFETIME = 120
/** Seconds that a browser keeps what outlives renewals of a session (I-43, I-48): browsers allow no more. */
export const KNOWN_LIFETIME: number = 400 * 86_400
/** How many parts a long cookie may have (I-12). */
export const MAX_PARTS = 8

/** One cookie of the service. */
export interface CookieRow {
  /** The name as sent, prefix included. */
  readonly name: string
  readonly secure: boolean
  /** Seconds; absent for a cookie that ends with the browser. */
  readonly maxAge?: number
  readonly domain?: string
  /** Whether the cookie is deleted before others, of which a reply deletes a few only (I-14). */
  readonly isDeletedFirst?: true
}

/** The cookies of the service. `flow`, `return` and `known` are the stems of `<name>.<id>`. */
export interface CookieRows {
  readonly csrf: CookieRow
  readonly session: CookieRow
  readonly flow: CookieRow
  readonly return: CookieRow
  readonly ended: CookieRow
  readonly known: CookieRow
  readonly logout: CookieRow
}

/** The names of the cookies without prefix, and the one domain that can be set (I-15). */
export interface CookieNames {
  readonly csrf: string
  readonly session: string
  readonly flow: string
  readonly return: string
  readonly ended: string
  readonly known: string
  readonly logout: string
  readonly sessionDomain: string | undefined
}

/** Returns the row of one cookie of several: `<name>.<id>`. */
export function rowWithId(row: CookieRow, id: string): CookieRow {
  return { ...row, name: `${row.name}.${id}` }
}

/**
 * Returns the rows with the prefixes of secure or insecure mode (I-4).
 *
 * @param maxAge Seconds that a session cookie lives
 * @param isRevocable Whether a storage knows which sessions have ended. Default: true
 */
export function createCookieRows(
  names: CookieNames,
  secure: boolean,
  maxAge: number,
  isRevocable: boolean = true,
): CookieRows {
  const host = secure ? '__Host-' : ''
  const row = (name: string): CookieRow => ({ name: host + name, secure })
  return {
    csrf: row(names.csrf),
    session: { ...sessionRow(names, secure), maxAge, isDeletedFirst: true },
    flow: { ...row(names.flow), maxAge: FLOW_LIFETIME },
    return: { ...row(names.return), maxAge: RETURN_LIFETIME },
    // Only this browser knows that a session in a cookie alone has ended.
    ended: { ...row(names.ended), maxAge: isRevocable ? ENDED_LIFETIME : maxAge },
    known: { ...row(names.known), maxAge: KNOWN_LIFETIME },
    logout: { ...row(names.logout), maxAge: KNOWN_LIFETIME },
  }
}

function sessionRow({ session, sessionDomain }: CookieNames, secure: boolean): CookieRow {
  if (sessionDomain === undefined) return { name: (secure ? '__Host-' : '') + session, secure }
  return { name: (secure ? '__Secure-' : '') + session, secure, domain: sessionDomain }
}
