import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
import { buildAccount, buildSession, buildUser } from '@latchkey/test-support/records'

// Creates users until it is killed. Prints the id of each user that the storage has confirmed.
const [, , path = ''] = process.argv
const storage = nodeSqliteStorage(path)
await storage.migrate()
for (;;) {
  const user = buildUser()
  await storage.createUser(user, buildAccount(), buildSession())
  process.stdout.write(`${user.id}\n`)
}
