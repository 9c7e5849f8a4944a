import { createConnection } from 'mysql2/promise'
import { Client } from 'pg'

/** A database server. */
export interface Server {
  readonly dialect: 'postgres' | 'mysql'
  readonly url: string
}

/** A connection of a test, without a storage. */
export interface Connection extends Pick<Server, 'dialect'> {
  readonly query: (sql: string) => Promise<readonly Record<string, unknown>[]>
  readonly close: () => Promise<void>
}

/** Opens a connection. */
export async function openConnection({ dialect, url }: Server): Promise<Connection> {
  if (dialect === 'mysql') {
    const connection = await createConnection(url)
    return {
      dialect,
      async query(sql) {
        const [rows] = await connection.query(sql)
        return Array.isArray(rows) ? (rows as Record<string, unknown>[]) : []
      },
      close: () => connection.end(),
    }
  }
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  return {
    dialect,
    query: async (sql) => (await client.query(sql)).rows,
    close: () => client.end(),
  }
}
