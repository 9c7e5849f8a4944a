/** Options of `createNextAuth`. */
export interface NextAuthOptions {
  /**
   * Returns the IP address of the client, which the limits per client count by. Read a header only if
   * a trusted proxy overwrites it. Default: none, and no limit per client applies.
   */
  readonly clientIp?: (headers: Headers) => string | undefined
}
