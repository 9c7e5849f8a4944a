import { sqlFactors } from '@latchkey/storage-sql/factors'
import { mysql2Storage } from '@latchkey/storage-sql/mysql2'
import type { Mysql2Pool, Mysql2Value } from '@latchkey/storage-sql/mysql2'
import { mysqlUrl } from '@latchkey/test-support/servers'
import { createPool } from 'mysql2/promise'
import type { Pool } from 'mysql2/promise'
import type { GrowthDatabase, StatementListener } from './database.ts'

/** Opens the MariaDB server. */
export async function openMariadb(): Promise<GrowthDatabase> {
  const pool = createPool({ uri: mysqlUrl, connectionLimit: 2 })
  return {
    name: 'MariaDB',
    createStorage: (prefix) => mysql2Storage(pool, { prefix, factors: sqlFactors() }),
    createRecordedStorage: (prefix, listener) =>
      mysql2Storage(createRecorder(pool, listener), { prefix, factors: sqlFactors() }),
    execute: (sql) => pool.query(sql),
    toNumbers: (count) => `(SELECT seq AS n FROM seq_1_to_${count}) numbers`,
    toAnalyze: (table) => `ANALYZE TABLE ${table}`,
    findScans: async ({ sql, params }) => {
      const values = params.map((value) => (typeof value === 'string' ? Buffer.from(value) : value))
      const [rows] = await pool.execute(`EXPLAIN ${sql}`, values)
      return findMariadbScans(rows as PlanRow[])
    },
    close: () => pool.end(),
  }
}

function createRecorder(pool: Pool, listener: StatementListener): Mysql2Pool {
  return {
    async getConnection() {
      const connection = await pool.getConnection()
      return {
        execute(query) {
          listener({ sql: query.sql, params: (query.values ?? []).map(toText) })
          return connection.execute(query)
        },
        query: (sql) => connection.query(sql),
        release: () => connection.release(),
        destroy: () => connection.destroy(),
      }
    },
  }
}

function toText(value: Mysql2Value): string | number | null {
  return Buffer.isBuffer(value) ? value.toString() : value
}

/** A row of a plan, as EXPLAIN returns it. */
interface PlanRow {
  readonly select_type: string
  readonly table: string | null
  /** `ALL` reads a whole table, `index` a whole index. */
  readonly type: string | null
}

/** Returns the steps that scan a table; a scan of the result of a subquery does not count. */
function findMariadbScans(rows: readonly PlanRow[]): string[] {
  return rows
    .filter(({ type }) => type === 'ALL' || type === 'index')
    .filter(({ select_type: kind }) => kind !== 'INSERT')
    .filter(({ table }) => table !== null && !table.startsWith('<'))
    .map(({ type, table }) => `${type} on ${table}`)
}
