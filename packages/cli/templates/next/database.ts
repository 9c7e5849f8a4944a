import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'

/** Opens the database, and creates its tables or migrates them to this version. */
export async function openStorage() {
  const storage = nodeSqliteStorage(process.env.AUTH_DATABASE ?? 'latchkey.sqlite')
  await storage.migrate()
  return storage
}
