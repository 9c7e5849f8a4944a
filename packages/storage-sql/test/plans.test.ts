import { sqlStorage } from '@latchkey/storage-sql'
import type { Dialect, Driver, Row, Statement } from '@latchkey/storage-sql'
import { sqlFactors } from '@latchkey/storage-sql/factors'
import { sqlGrants } from '@latchkey/storage-sql/grants'
import { NOW } from '@latchkey/test-support/records'
import { describe, expect, test, vi } from 'vitest'
import { createPrefix, getSelectedBackends } from './support/backends.ts'
import { createCalls } from './support/calls.ts'

const backends = await getSelectedBackends()
const oneOfEach = [...new Map(backends.map((backend) => [backend.dialect, backend])).values()]

describe.for(oneOfEach)('$name', (backend) => {
  const { dialect } = backend
  test('no statement reads a whole table or a whole index', async () => {
    const prefix = createPrefix()
    const { storages, execute, close } = await backend.open(prefix)
    try {
      await storages[0].migrate()
      for (const fill of createFills(prefix)) await execute(fill)
      for (const table of Object.keys(fills)) {
        // An application seldom runs ANALYZE in SQLite, so the plans must be good without it.
        if (dialect === 'postgres') await execute(`VACUUM ANALYZE ${prefix}${table}`)
        if (dialect === 'mysql') await execute(`ANALYZE TABLE ${prefix}${table}`)
      }
      const explain = async (sql: string): Promise<string[]> =>
        scans[dialect](await execute(explains[dialect] + sql))
      expect(await explain(`SELECT id FROM ${prefix}users WHERE name = 'Bob'`)).toHaveLength(1)
      expect(await explain(`SELECT id FROM ${prefix}users ORDER BY id`)).toHaveLength(1)
      for (const { name, statement } of await recordStatements(dialect, prefix)) {
        expect({ name, statement, steps: await explain(toText(statement)) }).toEqual({
          name,
          statement,
          steps: [],
        })
      }
    } finally {
      await close()
    }
  })
})

/** Returns the statements of every method, and of the sweep. */
async function recordStatements(
  dialect: Dialect,
  prefix: string,
): Promise<readonly { readonly name: string; readonly statement: Statement }[]> {
  const recorded: { name: string; statement: Statement }[] = []
  let name = ''
  const driver: Driver = {
    dialect,
    async run(statements) {
      const explained = statements.filter(({ sql }) => !sql.startsWith('SHOW '))
      recorded.push(...explained.map((statement) => ({ name, statement })))
      return statements.map(() => ({ rows: [], affected: 0 }))
    },
    isUniqueViolation: () => false,
    isTransient: () => false,
  }
  const storage = sqlStorage(driver, { prefix, factors: sqlFactors(), grants: sqlGrants() })
  vi.spyOn(Math, 'random').mockReturnValue(0.999)
  for (const [method, call] of createCalls(storage)) {
    name = method
    await call()
  }
  name = 'sweep'
  await storage.sweep(NOW)
  vi.restoreAllMocks()
  return recorded
}

/** Writes the values into a statement. */
function toText({ sql, params }: Statement): string {
  let next = 0
  return sql.replaceAll(/\?|\$(\d+)/g, (_, n: string | undefined) => {
    const value = params[n === undefined ? next++ : Number(n) - 1] ?? null
    return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)
  })
}

const explains: Readonly<Record<Dialect, string>> = {
  sqlite: 'EXPLAIN QUERY PLAN ',
  postgres: 'EXPLAIN (FORMAT JSON) ',
  mysql: 'EXPLAIN ',
}

/** Return the steps of a plan that read a whole table or index, but not those of a subquery's result. */
const scans: Readonly<Record<Dialect, (rows: readonly Row[]) => string[]>> = {
  sqlite(rows) {
    const details = rows.map(({ detail }) => String(detail))
    const results = details.map((detail) => /^(?:CO-ROUTINE|MATERIALIZE) (\S+)/.exec(detail)?.[1])
    const others = ['CONSTANT', ...results]
    return details.filter((detail) => {
      const [, name] = /^SCAN (\S+)/.exec(detail) ?? []
      return name !== undefined && !others.includes(name)
    })
  },
  postgres: (rows) => (rows as unknown as readonly PostgresPlan[]).flatMap(findInPostgres),
  mysql: (rows) =>
    rows
      .filter(({ type }) => type === 'ALL' || type === 'index')
      .filter((row) => row['select_type'] !== 'INSERT')
      .map(({ type, table }) => `${String(type)} on ${String(table)}`)
      .filter((step) => !/ on (<|null)/.test(step)),
}

interface PostgresPlan {
  readonly 'QUERY PLAN': readonly { readonly Plan: PlanNode }[]
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Cond'?: string
  readonly Plans?: readonly PlanNode[]
}

function findInPostgres({ 'QUERY PLAN': plans }: PostgresPlan): string[] {
  return plans.flatMap(({ Plan }) => findInNode(Plan))
}

function findInNode(node: PlanNode): string[] {
  const type = node['Node Type']
  const isWhole =
    type === 'Seq Scan' || (/Index (Only )?Scan/.test(type) && node['Index Cond'] === undefined)
  return [
    ...(isWhole ? [`${type} on ${node['Relation Name']}`] : []),
    ...(node.Plans ?? []).flatMap(findInNode),
  ]
}

const expires = `${NOW} + n`

/** The columns of each table, and their values in the row `n`: `#` stands for it. */
const fills: Readonly<Record<string, readonly [columns: string, values: string]>> = {
  users: ['id, name, email, email_verified', `'u#', 'Ada', 'u#@mail.example', 1`],
  accounts: ['user_id, provider, provider_account_id, type', `'u#', 'p', 'a#', 'oauth'`],
  sessions: [
    'id, user_id, created_at, renewed_at, expires, data, provider, provider_account_id, sid',
    `'s#', 'u#', 1, 1, ${expires}, '{}', 'p', 'a#', 'i#'`,
  ],
  factors: [
    'type, id, user_id, data, version, changed_at, created_at',
    `'passkey', 'f#', 'u#', '{}', 'v', 1, 1`,
  ],
  steps: ['id, data, expires', `'p#', '{}', ${expires}`],
  grants: [
    'id, user_id, client_id, resource, scopes, methods, counter, version, created_at, changed_at, expires, grant_key, data',
    `'g#', 'u#', 'k#', 'r', 's', 'm', 1, 'v', 1, 1, ${expires}, 'h#', '{}'`,
  ],
  clients: ['id, version, created_at, expires, data', `'c#', 'v', 1, ${expires}, '{}'`],
  verification_tokens: ['identifier, token, expires', `'e#', 't', ${expires}`],
  counters: ['id, hits, expires', `'c#', 1, ${expires}`],
  revocations: ['id, revoked_at, expires', `'r#', 1, ${expires}`],
  // A receiver is down: few of the events are due.
  events: [
    'id, created_at, due, expires, attempts, data',
    `'v#', 1, ${expires} - 5, ${expires}, 0, '${'x'.repeat(300)}'`,
  ],
}

const ROWS = 2000

/** Returns statements that fill the tables, in SQL that every database understands. */
function createFills(prefix: string): string[] {
  const digits = Array.from({ length: 10 }, (_, n) => `SELECT ${n} AS n`).join(' UNION ALL ')
  const tables = ['a', 'b', 'c', 'd'].map((name) => `(${digits}) ${name}`).join(', ')
  const numbers = `SELECT a.n + 10 * b.n + 100 * c.n + 1000 * d.n AS n FROM ${tables}`
  return Object.entries(fills).map(([table, [columns, values]]) => {
    const cells = values.replaceAll(/'(\w)#([^']*)'/g, "CONCAT('$1', n, '$2')")
    return `INSERT INTO ${prefix}${table} (${columns})
      SELECT ${cells} FROM (${numbers}) numbers WHERE n < ${ROWS}`
  })
}
