import { mysql2Storage } from '@latchkey/storage-sql/mysql2'
import { pgStorage } from '@latchkey/storage-sql/pg'
import { createPool } from 'mysql2/promise'
import { Pool } from 'pg'

// Migrates a database in its own process: `node migrator.ts <url> <prefix>`.
const [, , url = '', prefix = ''] = process.argv

if (url.startsWith('mysql')) {
  const pool = createPool({ uri: url, connectionLimit: 2 })
  await mysql2Storage(pool, { prefix }).migrate()
  await pool.end()
} else {
  const pool = new Pool({ connectionString: url, max: 2 })
  pool.on('error', () => undefined)
  await pgStorage(pool, { prefix, prepare: false }).migrate()
  await pool.end()
}
