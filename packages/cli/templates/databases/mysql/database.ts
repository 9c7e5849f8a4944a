import { mysql2Storage } from '@latchkey/storage-sql/mysql2'
import { createPool } from 'mysql2/promise'

export const storage = mysql2Storage(createPool(process.env.AUTH_DATABASE ?? ''))

// Creates the tables, or migrates them to this version.
await storage.migrate()
