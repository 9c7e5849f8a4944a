import { mysql2Storage } from '@latchkey/storage-sql/mysql2'
import { createPool } from 'mysql2/promise'

/** Opens the database, and creates its tables or migrates them to this version. */
export async function openStorage() {
  const storage = mysql2Storage(createPool(process.env.AUTH_DATABASE ?? ''))
  await storage.migrate()
  return storage
}
