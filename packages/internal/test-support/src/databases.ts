import { createPool } from 'mysql2/promise'
import { Client } from 'pg'
import { isReachable, mysqlUrl, postgresUrl } from './servers.ts'

/** The databases of one test file. */
export interface TestDatabases {
  /** Their URLs, by the name of the server; a server that cannot be reached is missing. */
  readonly databases: Readonly<Record<string, string>>
  readonly drop: () => Promise<void>
}

/**
 * Creates separate databases for a test file, so that tables of other tests do not count.
 *
 * @param file A name that no other test file has: letters, digits and `_`
 */
export async function createDatabases(file: string): Promise<TestDatabases> {
  const name = `${file}_${process.pid}`
  const databases: Record<string, string> = {}
  if (await isReachable('PostgreSQL', postgresUrl)) {
    await queryPostgres(`DROP DATABASE IF EXISTS ${name}`, `CREATE DATABASE ${name}`)
    databases['PostgreSQL'] = Object.assign(new URL(postgresUrl), { pathname: name }).href
  }
  if (await isReachable('MariaDB', mysqlUrl)) {
    await queryMariadb(`CREATE OR REPLACE DATABASE ${name}`)
    databases['MariaDB'] = Object.assign(new URL(mysqlUrl), { pathname: name }).href
  }
  return {
    databases,
    async drop() {
      if (databases['PostgreSQL']) await queryPostgres(`DROP DATABASE ${name}`)
      if (databases['MariaDB']) await queryMariadb(`DROP DATABASE ${name}`)
    },
  }
}

async function queryPostgres(...statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: postgresUrl })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

async function queryMariadb(statement: string): Promise<void> {
  const pool = createPool({ uri: mysqlUrl })
  await pool.query(statement)
  await pool.end()
}
