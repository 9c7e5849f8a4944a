/**
 * The clock of the service: every time, time limit and wait is taken from it. Every member defaults to
 * the platform's own; a test that replaces all three waits for nothing in real time.
 */
export interface Clock {
  /** Returns the time, in milliseconds since 1970-01-01T00:00:00Z. Default: `Date.now`. */
  readonly now: () => number
  /** Returns milliseconds that are never set back. Default: `performance.now`. */
  readonly monotonic: () => number
  /**
   * Calls a function after some milliseconds, and returns a function that cancels the call. Default:
   * `setTimeout` and `clearTimeout`.
   */
  readonly schedule: (milliseconds: number, callback: () => void) => () => void
}

/**
 * The parts of the platform that the service uses. Every member defaults to the platform's own; tests
 * and unusual hosts replace them.
 */
export interface Runtime extends Clock {
  /** Sends one outbound request. Default: the global `fetch`. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Returns `length` bytes from a cryptographic source. Default: the platform's, read in blocks. */
  readonly random: (length: number) => Uint8Array<ArrayBuffer>
}

/** What a host passes to `handle` besides the request. Every member is optional. */
export interface HandleOptions {
  /** Keeps the host alive until the promise settles (Workers: `ctx.waitUntil`). Used for events and refreshed tokens. */
  readonly waitUntil?: (promise: Promise<unknown>) => void
  /**
   * Returns the IP address that the request came from. Limits per client are counted by it.
   * Only the host knows whether a proxy's header can be trusted.
   */
  readonly clientIp?: () => string | undefined
}

/** A document that an issuer publishes, its discovery document or its keys, as read. */
export interface IssuerDocument<T> {
  readonly value: T
  /** When it was fetched, in seconds since 1970. */
  readonly fetchedAt: number
}

/** Keeps documents of issuers between processes. Neither method rejects. */
export interface IssuerDocuments {
  /**
   * Returns a document that was fetched less than ten minutes ago.
   *
   * @param read Reads and checks its text. If it throws, there is no document
   */
  get<T>(
    key: string,
    read: (text: string) => T | Promise<T>,
  ): Promise<IssuerDocument<T> | undefined>
  set(key: string, text: string, fetchedAt: number): Promise<void>
}

/** The {@link Runtime} under the limits of outbound requests, as providers receive it. */
export interface ProviderRuntime extends Clock {
  /**
   * Sends a request under the limits of outbound requests: one deadline, a response body of at most 1 MiB, no
   * redirects, https except on loopback.
   *
   * @throws Error if a limit is exceeded
   */
  readonly fetch: Runtime['fetch']
  /** The same, without the requirement of https. */
  readonly fetchInsecure: Runtime['fetch']
  /** Returns whether the service itself is at http on loopback, as while an application is developed. */
  readonly isLocal: () => boolean
  readonly random: Runtime['random']
  /**
   * Waits for work other than `fetch` under the same deadline.
   *
   * @throws Error if the deadline passes first
   */
  readonly within: <T>(work: Promise<T>) => Promise<T>
  /** Undefined without `metadataCache`, and for a provider that adapts its requests. */
  readonly documents?: IssuerDocuments | undefined
}
