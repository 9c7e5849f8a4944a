import { isReachable, mysqlUrl, postgresUrl } from '@latchkey/test-support/servers'
import type { GrowthDatabase } from './database.ts'
import { openMariadb } from './mariadb.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'

const databases = [
  { name: 'SQLite', url: undefined, open: openSqlite },
  { name: 'PostgreSQL', url: postgresUrl, open: openPostgres },
  { name: 'MariaDB', url: mysqlUrl, open: openMariadb },
]

/** A database that can be opened here. */
export interface ReachableDatabase {
  readonly name: string
  readonly open: () => Promise<GrowthDatabase>
}

/** Returns the databases that can be opened here. Prints the servers that it leaves out. */
export async function getReachableDatabases(): Promise<readonly ReachableDatabase[]> {
  const found = await Promise.all(
    databases.map(async ({ name, url, open }) =>
      url === undefined || (await isReachable(name, url)) ? [{ name, open }] : [],
    ),
  )
  return found.flat()
}
