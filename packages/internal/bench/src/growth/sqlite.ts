import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Value } from '@latchkey/storage-sql'
import { sqlFactors } from '@latchkey/storage-sql/factors'
import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
import type { GrowthDatabase, StatementListener } from './database.ts'

/** Opens a database in a file, which does not wait for the disk: waiting would hide the time of SQLite. */
export async function openSqlite(): Promise<GrowthDatabase> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
  const database = new DatabaseSync(join(folder, 'growth.sqlite'))
  database.exec('PRAGMA journal_mode = WAL')
  database.exec('PRAGMA synchronous = OFF')
  return {
    name: 'SQLite',
    createStorage: (prefix) => nodeSqliteStorage(database, { prefix, factors: sqlFactors() }),
    createRecordedStorage: (prefix, listener) =>
      nodeSqliteStorage(createRecorder(database, listener), { prefix, factors: sqlFactors() }),
    execute: async (sql) => database.exec(sql),
    toNumbers: (count) =>
      `(WITH RECURSIVE numbers (n) AS (
        SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count}
      ) SELECT n FROM numbers)`,
    // An application seldom runs ANALYZE, so the plans must be good without it.
    toAnalyze: () => undefined,
    findScans: async ({ sql, params }) => {
      const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...params)
      return findSqliteScans(plan.map(({ detail }) => String(detail)))
    },
    close: async () => {
      database.close()
      rmSync(folder, { recursive: true })
    },
  }
}

type Client = Exclude<Parameters<typeof nodeSqliteStorage>[0], string>

function createRecorder(database: DatabaseSync, listener: StatementListener): Client {
  return {
    exec: (sql) => database.exec(sql),
    close: () => database.close(),
    prepare(sql) {
      const statement = database.prepare(sql)
      const record = (params: Value[]): void => listener({ sql, params })
      return {
        all: (...params) => (record(params), statement.all(...params)),
        run: (...params) => (record(params), statement.run(...params)),
      }
    },
  }
}

/** Returns the steps that scan a table; a scan of the result of a subquery does not count. */
function findSqliteScans(details: readonly string[]): string[] {
  const subqueries = details.flatMap((detail) => {
    const [, name] = /^(?:CO-ROUTINE|MATERIALIZE) (\S+)/.exec(detail) ?? []
    return name === undefined ? [] : [name]
  })
  return details.filter((detail) => {
    const [, name] = /^SCAN (\S+)/.exec(detail) ?? []
    return name !== undefined && name !== 'CONSTANT' && !subqueries.includes(name)
  })
}
