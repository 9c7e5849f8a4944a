import { generateTokenKey } from '@latchkey/tokens/token-key'

/** The variables and secrets of every Worker. */
export interface Env {
  readonly SERVICE_URL: string
  readonly AUTH_SECRET: string
  readonly AUTH_GITHUB_ID: string
  readonly AUTH_GITHUB_SECRET: string
  readonly AUTH_GOOGLE_ID: string
  readonly AUTH_GOOGLE_SECRET: string
  /** The private key of tokens for APIs: a JSON Web Key. */
  readonly TOKEN_KEY: string
}

/** The execution context of workerd. */
export interface Host {
  waitUntil(promise: Promise<unknown>): void
}

/** The variables of a Worker whose first answer is measured. */
export const env: Env = {
  SERVICE_URL: 'https://app.example',
  AUTH_SECRET: 'thirty-two bytes of a secret for measurements only',
  AUTH_GITHUB_ID: 'github-client',
  AUTH_GITHUB_SECRET: 'kept secret',
  AUTH_GOOGLE_ID: 'google-client',
  AUTH_GOOGLE_SECRET: 'kept secret',
  TOKEN_KEY: JSON.stringify(await generateTokenKey()),
}
