import { sqlGrants } from '@latchkey/storage-sql/grants'
import { mysql2Storage } from '@latchkey/storage-sql/mysql2'
import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
import { pgStorage } from '@latchkey/storage-sql/pg'
import type { SqlStorage } from '@latchkey/storage-sql'
import { createPool } from 'mysql2/promise'
import { Pool } from 'pg'

/** Connections of a process: eight processes share a server. */
const MAX = 2

/** Opens a storage with grants that several processes share. */
export const openShared: Readonly<Record<string, (url: string, prefix: string) => SqlStorage>> = {
  sqlite: (path, prefix) => nodeSqliteStorage(path, { prefix, grants: sqlGrants() }),
  postgres(connectionString, prefix) {
    return pgStorage(new Pool({ connectionString, max: MAX }), { prefix, grants: sqlGrants() })
  },
  mysql(uri, prefix) {
    const pool = createPool({ uri, connectionLimit: MAX })
    return mysql2Storage(pool, { prefix, grants: sqlGrants() })
  },
}
