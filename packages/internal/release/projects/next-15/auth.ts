import { email } from '@latchkey/core/providers/email'
import { consoleMailer } from '@latchkey/mail/console'
import { createNextAuth } from '@latchkey/next'
import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'

export const latchkey = createNextAuth(async () => {
  const storage = nodeSqliteStorage('next-15.sqlite')
  await storage.migrate()
  return {
    secret: 'the secret of a project that is only tested',
    storage,
    providers: [email({ mailer: consoleMailer(), from: 'sign-in@localhost.example' })],
  }
})

export const { handlers } = latchkey
