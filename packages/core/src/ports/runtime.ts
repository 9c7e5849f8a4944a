/**
 * The parts of the platform that the service uses. Every member defaults to the platform's own; tests
 * and unusual hosts replace them.
 */
export interface Runtime {
  /** Sends one outbound request. Default: the global `fetch`. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Returns the time, in milliseconds since 1970-01-01T00:00:00Z. Default: `Date.now`. */
  readonly now: () => number
  /** Returns `length` bytes from a cryptographic source. Default: the platform's, read in blocks. */
  readonly random: (length: number) => Uint8Array<ArrayBuffer>
}

/** What a host passes to `handle` besides the request. Every member is optional. */
export interface HandleOptions {
  /** Keeps the host alive until the promise settles (Workers: `ctx.waitUntil`). Used for events. */
  readonly waitUntil?: (promise: Promise<unknown>) => void
  /**
   * Returns the IP address that the request came from. Limits per client are counted by it (I-32).
   * Only the host knows whether a proxy's header can be trusted.
   */
  readonly clientIp?: () => string | undefined
}

/** The {@link Runtime} under the limits of I-26, as providers receive it. */
export interface ProviderRuntime {
  /**
   * Sends a request under the limits of I-26: one deadline, a response body of at most 1 MiB, no
   * redirects, https except on loopback.
   *
   * @throws Error if a limit is exceeded
   */
  readonly fetch: Runtime['fetch']
  readonly now: Runtime['now']
  readonly random: Runtime['random']
  /**
   * Waits for work other than `fetch` under the same deadline.
   *
   * @throws Error if the deadline passes first
   */
  readonly within: <T>(work: Promise<T>) => Promise<T>
}
