// The exports that these tests use of modules that exist only inside workerd.

declare module 'cloudflare:workers' {
  import type { ObjectNamespace } from '@latchkey/durable-objects'
  import type { KvNamespace } from '@latchkey/durable-objects/kv'
  import type { D1 } from '@latchkey/storage-sql/d1'

  export const env: {
    readonly LATCHKEY: ObjectNamespace
    readonly BROKEN: ObjectNamespace
    readonly DB: D1
    readonly KV: KvNamespace
    readonly MIGRATIONS: readonly object[]
  }
}

declare module 'cloudflare:test' {
  import type { ObjectId, ObjectMethods, ObjectNamespace } from '@latchkey/durable-objects'
  import type { ObjectState } from '@latchkey/durable-objects/object'
  import type { D1 } from '@latchkey/storage-sql/d1'

  export function applyD1Migrations(database: D1, migrations: readonly object[]): Promise<void>
  export function runInDurableObject<T>(
    stub: ObjectMethods,
    callback: (instance: ObjectMethods, state: ObjectState) => T | Promise<T>,
  ): Promise<T>
  export function runDurableObjectAlarm(stub: ObjectMethods): Promise<boolean>
  export function evictDurableObject(stub: ObjectMethods): Promise<void>
  export function listDurableObjectIds(namespace: ObjectNamespace): Promise<ObjectId[]>
}
