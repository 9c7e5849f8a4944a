import { createAuth } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { email } from '@latchkey/core/providers/email'
import { consoleMailer } from '@latchkey/mail/console'

const auth = createAuth({
  secret: crypto.randomUUID() + crypto.randomUUID(),
  storage: memoryStorage(),
  providers: [email({ mailer: consoleMailer(), from: 'sign-in@localhost.example' })],
})

const server = Bun.serve({
  port: Number(process.env['PORT'] ?? 3000),
  hostname: 'localhost',
  async fetch(request) {
    if (new URL(request.url).pathname.startsWith('/api/auth/')) return auth.handle(request)
    const { session, headers } = await auth.getSession(request)
    return new Response(session ? `Hello, ${session.user.email}` : 'Sign in', { headers })
  },
})
console.log(`Listening on http://localhost:${server.port}`)
