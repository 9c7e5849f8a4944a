import { sqlFactors } from '@latchkey/storage-sql/factors'
import { pgStorage } from '@latchkey/storage-sql/pg'
import type { PgPool } from '@latchkey/storage-sql/pg'
import { postgresUrl } from '@latchkey/test-support/servers'
import { Pool } from 'pg'
import type { GrowthDatabase, StatementListener } from './database.ts'

/** Opens the PostgreSQL server. A commit does not wait for the disk. */
export async function openPostgres(): Promise<GrowthDatabase> {
  const options = '-c synchronous_commit=off'
  const pool = new Pool({ connectionString: postgresUrl, options, max: 2 })
  return {
    name: 'PostgreSQL',
    createStorage: (prefix) => pgStorage(pool, { prefix, factors: sqlFactors() }),
    createRecordedStorage: (prefix, listener) =>
      pgStorage(createRecorder(pool, listener), { prefix, factors: sqlFactors() }),
    execute: (sql) => pool.query(sql),
    toNumbers: (count) => `generate_series(1::bigint, ${count}) AS numbers (n)`,
    toAnalyze: (table) => `VACUUM ANALYZE ${table}`,
    findScans: async ({ sql, params }) => {
      const { rows } = await pool.query(`EXPLAIN (FORMAT JSON) ${sql}`, [...params])
      const [{ Plan }] = (rows as [{ 'QUERY PLAN': [{ Plan: PlanNode }] }])[0]['QUERY PLAN']
      return findPostgresScans(Plan)
    },
    close: () => pool.end(),
  }
}

function createRecorder(pool: Pool, listener: StatementListener): PgPool {
  return {
    async connect() {
      const client = await pool.connect()
      return {
        query(query) {
          if (query.values) listener({ sql: query.text, params: query.values })
          return client.query(query)
        },
        release: (error) => client.release(error),
        on: (event, handler) => client.on(event, handler),
        off: (event, handler) => client.off(event, handler),
      }
    },
  }
}

/** A node of a plan, as EXPLAIN returns it. */
interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Cond'?: string
  readonly Plans?: readonly PlanNode[]
}

function findPostgresScans(node: PlanNode): string[] {
  const type = node['Node Type']
  const isWhole =
    type === 'Seq Scan' || (/Index (Only )?Scan/.test(type) && node['Index Cond'] === undefined)
  return [
    ...(isWhole ? [`${type} on ${node['Relation Name']}`] : []),
    ...(node.Plans ?? []).flatMap(findPostgresScans),
  ]
}
