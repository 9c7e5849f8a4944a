import { pgStorage } from '@latchkey/storage-sql/pg'
import { Pool } from 'pg'

/** Opens the database, and creates its tables or migrates them to this version. */
export async function openStorage() {
  const pool = new Pool({ connectionString: process.env.AUTH_DATABASE })
  // The pool replaces a connection that breaks. Without a listener the error would end the process.
  pool.on('error', (error) => console.error(error.message))
  const storage = pgStorage(pool)
  await storage.migrate()
  return storage
}
