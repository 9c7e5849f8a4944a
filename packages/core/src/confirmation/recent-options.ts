/** The options of `auth.requireRecent`. */
export interface RecentOptions {
  /** Seconds that have passed at most since the user proved who they are. Default: `confirmation.maxAge` */
  readonly maxAge?: number
  /** How many factors the user must have proven; 2 needs the method `mfa`. Default: 1 */
  readonly factors?: 1 | 2
  /**
   * Whether a session that is due is renewed. Use false if the response cannot carry `headers`, as in a server
   * component. Default: true
   */
  readonly renew?: boolean
}
