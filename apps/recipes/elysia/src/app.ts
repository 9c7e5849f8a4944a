import type { Auth } from '@latchkey/core'
import { Elysia } from 'elysia'

export function createApp(auth: Auth<{ user: { name: string | null } }>) {
  return (
    new Elysia()
      .onRequest(({ request }) => auth.programs?.(request))
      // Without `parse: 'none'`, Elysia reads the body before the service can.
      .all(`${auth.basePath}/*`, ({ request }) => auth.handle(request), { parse: 'none' })
      .get('/account', async ({ request }) => {
        const { session, headers } = await auth.getSession(request)
        if (session) return new Response(`Hello, ${session.user.name}`, { headers })
        headers.set('location', `${auth.basePath}/signin`)
        return new Response(null, { status: 302, headers })
      })
  )
}
