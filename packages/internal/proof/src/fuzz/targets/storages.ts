import { DatabaseSync } from 'node:sqlite'
import type { Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { redisStorage } from '@latchkey/storage-redis'
import { sqlFactors } from '@latchkey/storage-sql/factors'
import { mysql2Storage } from '@latchkey/storage-sql/mysql2'
import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
import { pgStorage } from '@latchkey/storage-sql/pg'
import { createDatabases } from '@latchkey/test-support/databases'
import { isReachable, redisUrl } from '@latchkey/test-support/servers'
import { createPool } from 'mysql2/promise'
import { Pool } from 'pg'
import { createClient } from 'redis'
import { removeKeys } from '../redis-keys.ts'
import { StorageCalls, toText } from '../storage-calls.ts'
import { drawOperations } from '../storage-operations.ts'
import type { Operation } from '../storage-operations.ts'
import { check, defineTarget } from '../target.ts'
import type { Target } from '../target.ts'

/** Storages that do the same calls. What cannot be reached is left out, and an error if `CI` is set. */
export const target: Target = defineTarget<readonly Operation[]>({
  name: 'storages',
  draw: drawOperations,
  async open() {
    const { storages, close } = await openStorages()
    let count = 0
    return {
      async run(operations) {
        const space = `n${count++}`
        const names = Object.keys(storages)
        const all = await Promise.all(
          Object.values(storages).map((storage) =>
            callAll(new StorageCalls(storage, space), operations),
          ),
        )
        for (const [index, { method }] of operations.entries()) {
          const results = all.map((each) => toText(each[index]))
          const listed = names.map((name, i) => `${name} ${results[i]?.slice(0, 300)}`)
          check(new Set(results).size === 1, `${method} differs: ${listed.join('; ')}`)
        }
      },
      close,
    }
  },
})

async function callAll(
  calls: StorageCalls,
  operations: readonly Operation[],
): Promise<readonly unknown[]> {
  const results: unknown[] = []
  for (const operation of operations) results.push(await calls.call(operation))
  return results
}

interface OpenStorages {
  readonly storages: Readonly<Record<string, Storage>>
  readonly close: () => Promise<void>
}

async function openStorages(): Promise<OpenStorages> {
  const options = { factors: sqlFactors() }
  const sqlite = nodeSqliteStorage(new DatabaseSync(':memory:'), options)
  await sqlite.migrate()
  const storages: Record<string, Storage> = { memory: memoryStorage(), SQLite: sqlite }
  const closers: (() => Promise<unknown>)[] = []
  const { databases, drop } = await createDatabases('fuzz')
  if (databases['PostgreSQL']) {
    const pool = new Pool({ connectionString: databases['PostgreSQL'], max: 2 })
    const storage = pgStorage(pool, options)
    await storage.migrate()
    storages['PostgreSQL'] = storage
    closers.push(() => pool.end())
  }
  if (databases['MariaDB']) {
    const pool = createPool({ uri: databases['MariaDB'], connectionLimit: 2 })
    const storage = mysql2Storage(pool, options)
    await storage.migrate()
    storages['MariaDB'] = storage
    closers.push(() => pool.end())
  }
  if (await isReachable('Redis', redisUrl)) {
    const client = createClient({ url: redisUrl })
    client.on('error', () => undefined)
    await client.connect()
    const name = `fuzz-storages-${process.pid}`
    storages['Redis'] = redisStorage(client, {
      prefix: `{${name}}:`,
      logger: { warn: () => undefined },
    })
    closers.push(() => removeKeys(client, name).then(() => client.destroy()))
  }
  const close = async (): Promise<void> => {
    for (const end of closers) await end()
    await drop()
  }
  return { storages, close }
}
