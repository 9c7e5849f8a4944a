import { Browser } from '@latchkey/testing/browser'
import { createService, openStorage } from './outbox-service.ts'
import type { Target } from './outbox-service.ts'

// Signs new users in, and every second one out, until it is killed. Prints a line for each.
process.stdin.on('end', () => process.exit()).resume()
const target = JSON.parse(process.argv[2] ?? '') as Target
const storage = openStorage(target)
await storage.migrate()
const auth = createService(storage, target)

async function signIn(): Promise<void> {
  const browser = new Browser((request) => auth.handle(request), 'https://app.example/api/auth')
  const name = crypto.randomUUID()
  await browser.submit('/signin/credentials', { name })
  if (Number.parseInt(name.slice(0, 1), 16) % 2 === 0) await browser.submit('/signout')
  process.stdout.write(`${name}\n`)
}

for (;;) {
  await Promise.all([signIn(), signIn()])
  // SQLite is synchronous: without a turn of the event loop no event would be delivered.
  await new Promise((resolve) => setImmediate(resolve))
}
