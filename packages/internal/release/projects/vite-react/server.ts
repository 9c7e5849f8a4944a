import { serve } from '@hono/node-server'
import { serveStatic } from '@hono/node-server/serve-static'
import { createAuth } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { email } from '@latchkey/core/providers/email'
import { latchkey } from '@latchkey/hono'
import { consoleMailer } from '@latchkey/mail/console'
import { Hono } from 'hono'

const auth = createAuth({
  secret: crypto.randomUUID() + crypto.randomUUID(),
  storage: memoryStorage(),
  providers: [email({ mailer: consoleMailer(), from: 'sign-in@localhost.example' })],
})
const app = new Hono().use(latchkey(auth)).use(serveStatic({ root: './dist' }))
const port = Number(process.env['PORT'] ?? 3000)
serve({ fetch: app.fetch, port, hostname: 'localhost', overrideGlobalObjects: false }, () =>
  console.log(`Listening on http://localhost:${port}`),
)
