// The exports that these tests use of modules that exist only inside workerd.

declare module 'cloudflare:workers' {
  import type { ObjectNamespace } from '@latchkey/durable-objects'
  import type { KvNamespace } from '@latchkey/durable-objects/kv'
  import type { RateLimit } from '../src/limiter.ts'
  import type { SendEmail } from '@latchkey/mail/cloudflare'
  import type { D1 } from '@latchkey/storage-sql/d1'

  export const env: {
    readonly DB: D1
    readonly KV: KvNamespace
    readonly LATCHKEY: ObjectNamespace
    readonly SIGN_INS: RateLimit
    readonly MAIL: SendEmail
    readonly MIGRATIONS: readonly object[]
  }
}

declare module 'cloudflare:test' {
  import type { D1 } from '@latchkey/storage-sql/d1'

  /** An `ExecutionContext`. */
  interface Context {
    waitUntil(promise: Promise<unknown>): void
  }

  export function applyD1Migrations(database: D1, migrations: readonly object[]): Promise<void>
  export function createExecutionContext(): Context
  export function waitOnExecutionContext(context: Context): Promise<void>
  export function createScheduledController(): object
}
