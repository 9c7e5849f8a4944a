/** What both Workers are configured with. */
export interface Env {
  readonly SERVICE_URL: string
  readonly AUTH_SECRET: string
  readonly AUTH_GITHUB_ID: string
  readonly AUTH_GITHUB_SECRET: string
  readonly AUTH_GOOGLE_ID: string
  readonly AUTH_GOOGLE_SECRET: string
}

/** What workerd passes besides: the execution context. */
export interface Host {
  waitUntil(promise: Promise<unknown>): void
}
