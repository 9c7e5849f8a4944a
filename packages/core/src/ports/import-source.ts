import type { StorageGroup, Storage } from './storage.ts'

/** The claims of an imported session; `sub` is the user's id. */
export interface ImportedToken {
  readonly sub: string
  readonly [claim: string]: unknown
}

/** The session cookie of a previous service, as a request holds it. */
export interface ImportCookie {
  /** The value, its parts joined. It identifies the session. */
  readonly value: string
  /** The names of the cookies that hold it. */
  readonly names: readonly string[]
  /** The domain that the cookies were set with; undefined if they were set without one. */
  readonly domain?: string | undefined
}

/**
 * A session of a previous service. One of the two says how long its cookie stays valid, so that an ended
 * session is never imported again: the time when the cookie was issued, or the session's row.
 */
export type ImportedSession = { readonly token: ImportedToken } & (
  | {
      /** When the previous service issued or renewed the cookie, in seconds since 1970. */
      readonly issuedAt: number
      readonly storedId?: undefined
    }
  | {
      readonly issuedAt?: undefined
      /** The id of the session's row in the storage, which ends with the imported session at the latest. */
      readonly storedId: string
    }
)

/** What an {@link ImportSource} reads from. */
export interface ImportContext {
  /** The cookies of the request, by name. */
  readonly cookies: ReadonlyMap<string, string>
  /** Whether the service's origin is https. */
  readonly secure: boolean
  /** Seconds since 1970. */
  readonly now: number
  readonly storage: Omit<Storage, 'storedUsers'> | undefined
}

/**
 * Reads the sessions of a previous service. Reading changes nothing. Pass one to `createImporter`
 * of `@latchkey/core/import/importer`.
 */
export interface ImportSource {
  /** When importing ends, in seconds since 1970. Required if no storage keeps revocations. */
  readonly until?: number | undefined
  /** What the storage must be capable of. */
  readonly needs?: readonly StorageGroup[]
  /** Returns the session cookie of a request, unverified. */
  readonly findCookie: (context: ImportContext) => ImportCookie | undefined
  /** Returns the session of a cookie's value; undefined if it is not valid. */
  readonly read: (value: string, context: ImportContext) => Promise<ImportedSession | undefined>
}
