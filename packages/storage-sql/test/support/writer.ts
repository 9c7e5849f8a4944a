import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
import { anAccount, aSession, aUser } from './people.ts'

/** Keeps users until it is killed, and prints the id of each one when it has been told that it is kept. */
const [, , path = ''] = process.argv
const storage = nodeSqliteStorage(path)
await storage.migrate()
for (;;) {
  const user = aUser()
  await storage.createUser(user, anAccount(), aSession())
  process.stdout.write(`${user.id}\n`)
}
