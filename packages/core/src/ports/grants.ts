import type { StoredEvent, StoredUser } from './records.ts'

/**
 * What a user allows a client to do, or a device request that no user has approved yet. Times are whole seconds
 * since 1970.
 */
export interface Grant {
  /** Chosen by the caller, unique, and compared exactly: 1 to 255 characters. */
  readonly id: string
  /** Null until a user approves a device request. */
  readonly userId: string | null
  /** Compared exactly: 1 to 255 characters. It need not be the id of a stored client. */
  readonly clientId: string
  /** The resource (RFC 8707): its URL. */
  readonly resource: string
  /** Scopes (RFC 6749 §3.3): each without a space. */
  readonly scopes: readonly string[]
  /** When the user last proved who they are; null if that is unknown, or there is no user yet. */
  readonly authenticatedAt: number | null
  /** How the user did: values of {@link AuthenticationMethod}, each without a space. */
  readonly methods: readonly string[]
  /** A number that the caller keeps, such as how often the refresh token was replaced: a safe integer. */
  readonly counter: number
  /** Chosen by the storage. Every write makes another one, and no version of this id comes twice. */
  readonly version: string
  readonly createdAt: number
  /** When the caller last changed it. */
  readonly changedAt: number
  readonly expires: number
  /** Finds the grant beside its id, such as the hash of a user code. Unique, and compared exactly: 1 to 255 characters. */
  readonly key: string | null
  /** What else the caller keeps, as JSON text: at most 16 KiB in UTF-8, opaque to the storage. */
  readonly data: string
}

/** A grant to be created. */
export type NewGrant = Omit<Grant, 'version'>

/** The members of a grant that can be changed. */
export interface GrantChanges extends Partial<
  Pick<
    Grant,
    'scopes' | 'authenticatedAt' | 'methods' | 'counter' | 'changedAt' | 'expires' | 'data'
  >
> {
  /** The user of a grant that has none. */
  readonly userId?: string
  /** Null frees the key. */
  readonly key?: null
}

/** A grant and its user, who is null if the grant has none. */
export interface GrantAndUser<Fields = unknown> {
  readonly grant: Grant
  readonly user: (StoredUser & Fields) | null
}

/** Grants of a user, of a client, or of a client that act for a user. */
export type GrantSelection =
  | { readonly userId: string; readonly clientId?: string | undefined }
  | { readonly userId?: undefined; readonly clientId: string }

/**
 * The methods of the capability `grants`. A storage that lacks it leaves them out. `deleteUser` and `joinUser` delete the
 * grants of the user in their step. Grants that have expired are deleted sometime, as sessions are. A replica answers
 * none of these methods.
 */
export interface Grants<Fields = unknown> {
  /**
   * Creates a grant.
   *
   * @returns False, and nothing changed, if a stored grant has this id or key, or there is no such user
   * @throws RangeError if `data` has more than 16 KiB
   */
  createGrant(grant: NewGrant, events?: readonly StoredEvent[]): Promise<boolean>
  /**
   * Returns a grant that has not expired, and its user, in one query.
   *
   * @param now Seconds since 1970. An earlier time also returns a grant that has expired since, until it is deleted
   */
  getGrantAndUser(id: string, now: number): Promise<GrantAndUser<Fields> | undefined>
  /** Returns the grant with this key, unless it has expired. */
  getGrantByKey(key: string, now: number): Promise<Grant | undefined>
  /**
   * Changes the given members of a grant, and its version. It may have expired.
   *
   * @param expectedVersion The version that the grant must still have: of simultaneous calls with the same one, one succeeds
   * @returns False, and nothing changed, if it has another version, there is no such grant, or `userId` is given and there
   *   is no such user or the grant has a user already
   * @throws RangeError if `data` has more than 16 KiB
   */
  updateGrant(
    id: string,
    expectedVersion: string,
    changes: GrantChanges,
    events?: readonly StoredEvent[],
  ): Promise<boolean>
  /** Deletes a grant. Idempotent. */
  deleteGrant(id: string, events?: readonly StoredEvent[]): Promise<void>
  /** Returns a user's grants that have not expired, newest first: at most 100. */
  listGrants(userId: string, now: number): Promise<readonly Grant[]>
  /** Deletes grants. Idempotent. */
  deleteGrants(selection: GrantSelection, events?: readonly StoredEvent[]): Promise<void>
}

/** A client of the authorization server that is not in its configuration. Times are whole seconds since 1970. */
export interface StoredClient {
  /** Unique, and compared exactly: 1 to 255 characters. */
  readonly id: string
  /** Chosen by the storage. Every write makes another one, and no version of this id comes twice. */
  readonly version: string
  readonly createdAt: number
  /** When a registration ends that is not used; null if the client stays. */
  readonly expires: number | null
  /** Metadata and hashes of secrets, as JSON text: at most 16 KiB in UTF-8, opaque to the storage. */
  readonly data: string
}

/** A client to be created. */
export type NewClient = Omit<StoredClient, 'version'>

/** The members of a client that can be changed. */
export type ClientChanges = Partial<Pick<StoredClient, 'expires' | 'data'>>

/**
 * The methods of the capability `clients`. A storage that lacks it leaves them out. Clients that have expired are deleted
 * sometime, as sessions are. A replica answers none of these methods.
 */
export interface Clients {
  /**
   * Creates a client.
   *
   * @returns False, and nothing changed, if a stored client has this id
   * @throws RangeError if `data` has more than 16 KiB
   */
  createClient(client: NewClient, events?: readonly StoredEvent[]): Promise<boolean>
  /** Returns a client that has not expired. */
  getClient(id: string, now: number): Promise<StoredClient | undefined>
  /**
   * Changes the given members of a client, and its version.
   *
   * @param expectedVersion The version that the client must still have: of simultaneous calls with the same one, one succeeds
   * @returns False, and nothing changed, if it has another version, or there is no such client
   * @throws RangeError if `data` has more than 16 KiB
   */
  updateClient(
    id: string,
    expectedVersion: string,
    changes: ClientChanges,
    events?: readonly StoredEvent[],
  ): Promise<boolean>
  /** Deletes a client. Its grants stay: {@link Grants.deleteGrants}. Idempotent. */
  deleteClient(id: string, events?: readonly StoredEvent[]): Promise<void>
  /**
   * Returns clients that have not expired, in the order of their ids, as the database compares them.
   *
   * @param limit The maximum number of clients
   * @param after The id of the last client of the previous page, which may be deleted. Default: the first page
   */
  listClients(limit: number, now: number, after?: string): Promise<readonly StoredClient[]>
}
