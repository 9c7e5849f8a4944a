import { createAuth } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { email } from '@latchkey/core/providers/email'
import { consoleMailer } from '@latchkey/mail/console'

// The part of Deno's API that is used here, so that other compilers know it.
declare const Deno: {
  readonly env: { get(name: string): string | undefined }
  serve(
    options: { readonly port: number; readonly hostname: string },
    handler: (request: Request) => Promise<Response>,
  ): unknown
}

const auth = createAuth({
  secret: crypto.randomUUID() + crypto.randomUUID(),
  storage: memoryStorage(),
  providers: [email({ mailer: consoleMailer(), from: 'sign-in@localhost.example' })],
})

const port = Number(Deno.env.get('PORT') ?? 3000)
Deno.serve({ port, hostname: 'localhost' }, async (request) => {
  if (new URL(request.url).pathname.startsWith('/api/auth/')) return auth.handle(request)
  const { session, headers } = await auth.getSession(request)
  return new Response(session ? `Hello, ${session.user.email}` : 'Sign in', { headers })
})
console.log(`Listening on http://localhost:${port}`)
