import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'

export const storage = nodeSqliteStorage(process.env.AUTH_DATABASE ?? 'latchkey.sqlite')

// Creates the tables, or migrates them to this version.
await storage.migrate()
