import { pgStorage } from '@latchkey/storage-sql/pg'
import { Pool } from 'pg'

const pool = new Pool({ connectionString: process.env.AUTH_DATABASE })
// The pool replaces a connection that breaks. Without a listener the error would end the process.
pool.on('error', (error) => console.error(error.message))

export const storage = pgStorage(pool)

// Creates the tables, or migrates them to this version.
await storage.migrate()
