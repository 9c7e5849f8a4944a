import type { Auth } from '@latchkey/core'
import { H3, redirect } from 'h3'

export function createApp(auth: Auth<{ user: { name: string | null } }>): H3 {
  const app = new H3()
    .use(({ req }) => auth.programs?.(req))
    .all(`${auth.basePath}/**`, ({ req }) => auth.handle(req))
  return app.get('/account', async ({ req, res }) => {
    const { session, headers } = await auth.getSession(req)
    for (const [name, value] of headers) res.headers.append(name, value)
    return session ? `Hello, ${session.user.name}` : redirect(`${auth.basePath}/signin`)
  })
}
