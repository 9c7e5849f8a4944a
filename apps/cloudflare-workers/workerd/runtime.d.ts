// What these tests use of the modules that only exist inside workerd.

declare module 'cloudflare:workers' {
  import type { RateLimit } from '../src/limiter.ts'
  import type { SendEmail } from '@latchkey/mail/cloudflare'
  import type { D1 } from '@latchkey/storage-sql/d1'

  export const env: {
    readonly DB: D1
    readonly SIGN_INS: RateLimit
    readonly MAIL: SendEmail
    readonly MIGRATIONS: readonly object[]
  }
}

declare module 'cloudflare:test' {
  import type { D1 } from '@latchkey/storage-sql/d1'

  /** An `ExecutionContext`. */
  interface Host {
    waitUntil(promise: Promise<unknown>): void
  }

  export function applyD1Migrations(database: D1, migrations: readonly object[]): Promise<void>
  export function createExecutionContext(): Host
  export function waitOnExecutionContext(host: Host): Promise<void>
  export function createScheduledController(): object
}
