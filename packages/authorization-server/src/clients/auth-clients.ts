import type { Client, ClientOptions } from './client.ts'

/** A client that the application creates: the service chooses its id, and its secret if `authentication` has one. */
export type StoredClientOptions = Omit<ClientOptions, 'id' | 'secret'>

/** A client, as `auth.clients` lists it. */
export interface ClientInfo extends Pick<
  Client,
  'id' | 'name' | 'redirectUris' | 'grants' | 'deviceScopes'
> {
  readonly authentication: Client['method']
  /** Seconds since 1970. */
  readonly createdAt: number
}

/** Returns a client as `auth.clients` lists it. */
export function toClientInfo(
  { id, name, redirectUris, grants, deviceScopes, method: authentication }: Client,
  createdAt: number,
): ClientInfo {
  const own = { id, name, redirectUris, grants, authentication, createdAt }
  return { ...own, ...(deviceScopes && { deviceScopes }) }
}

/** A client that was created. */
export interface CreatedClient {
  readonly id: string
  /** It is not shown again: only its hash is stored. Undefined if the client has none. */
  readonly secret: string | undefined
}

/** The clients in the storage, for the application's own server: it does not check who calls it. */
export interface AuthClients {
  /**
   * Creates a client, which is trusted as one of the configuration.
   *
   * @throws ConfigurationError naming what is wrong
   */
  readonly create: (options: StoredClientOptions) => Promise<CreatedClient>
  /** Returns all clients that were created so. */
  readonly list: () => Promise<readonly ClientInfo[]>
  /**
   * Gives a client another secret. The previous one is valid too, until the next call.
   *
   * @returns The secret; undefined if there is no such client with a secret
   */
  readonly rotate: (id: string) => Promise<string | undefined>
  /** Removes a client, and ends its grants. Idempotent. */
  readonly remove: (id: string) => Promise<void>
}

/** What `auth` has with `storedClients()`. */
export interface StoredClientMembers {
  readonly clients: AuthClients
}
