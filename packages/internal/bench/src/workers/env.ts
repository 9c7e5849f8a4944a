/** The variables and secrets of every Worker. */
export interface Env {
  readonly SERVICE_URL: string
  readonly AUTH_SECRET: string
  readonly AUTH_GITHUB_ID: string
  readonly AUTH_GITHUB_SECRET: string
  readonly AUTH_GOOGLE_ID: string
  readonly AUTH_GOOGLE_SECRET: string
}

/** The execution context of workerd. */
export interface Host {
  waitUntil(promise: Promise<unknown>): void
}
