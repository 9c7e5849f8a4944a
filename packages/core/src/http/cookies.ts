/** Seconds a person has for the identity provider. */
export const FLOW_LIFETIME: number = 15 * 60
/** Seconds a posted return waits for the GET that follows it at once. */
export const RETURN_LIFETIME = 60

/** One cookie of the service: its full name, and what it is set with. */
export interface CookieRow {
  /** The name as sent, prefix included. */
  readonly name: string
  readonly secure: boolean
  /** Seconds; absent for a cookie that ends with the browser. */
  readonly maxAge?: number
  readonly domain?: string
}

/** The rows of the four cookies of the service; `flow` and `return` still lack their `.<id>`. */
export interface CookieRows {
  readonly csrf: CookieRow
  readonly session: CookieRow
  readonly flow: CookieRow
  readonly return: CookieRow
}

/** The row of one flow or return: `<name>.<id>`. */
export function rowWithId(row: CookieRow, id: string): CookieRow {
  return { ...row, name: `${row.name}.${id}` }
}

/** The four rows, under the names and prefixes of one mode. */
export function cookieRows(names: CookieNames, secure: boolean, maxAge: number): CookieRows {
  const host = secure ? '__Host-' : ''
  const row = (name: string): CookieRow => ({ name: host + name, secure })
  return {
    csrf: row(names.csrf),
    session: { ...sessionRow(names, secure), maxAge },
    flow: { ...row(names.flow), maxAge: FLOW_LIFETIME },
    return: { ...row(names.return), maxAge: RETURN_LIFETIME },
  }
}

/** The cookies' names without prefix, and the one domain that can be set (I-15). */
export interface CookieNames {
  readonly csrf: string
  readonly session: string
  readonly flow: string
  readonly return: string
  readonly sessionDomain: string | undefined
}

function sessionRow({ session, sessionDomain }: CookieNames, secure: boolean): CookieRow {
  if (sessionDomain === undefined) return { name: (secure ? '__Host-' : '') + session, secure }
  return { name: (secure ? '__Secure-' : '') + session, secure, domain: sessionDomain }
}
