import type { Auth } from '@latchkey/core'
import { createListener } from '@latchkey/node'
import Koa from 'koa'

/** What the page shows of a session. */
interface Session {
  readonly user: { readonly name: string | null }
}

/** Creates the application: the service, and a page of users who are signed in. */
export function createApp(auth: Auth<Session>): Koa {
  const listener = createListener(auth.handle)
  const app = new Koa()
  app.use(async (ctx, next) => {
    if (!ctx.url.startsWith(`${auth.basePath}/`)) return next()
    ctx.respond = false
    listener(ctx.req, ctx.res)
  })
  app.use(async (ctx, next) => {
    if (ctx.path !== '/account') return next()
    const { session, headers } = await auth.getSession(toRequest(ctx))
    for (const [name, value] of headers) ctx.append(name, value)
    if (session) ctx.body = `Hello, ${session.user.name}`
    else ctx.redirect(`${auth.basePath}/signin`)
  })
  return app
}

function toRequest({ req, host, protocol }: Koa.Context): Request {
  const headers = Object.entries(req.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  return new Request(`${protocol}://${host}`, { headers })
}
