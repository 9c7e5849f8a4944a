import type { Auth } from '@latchkey/core'
import { createListener } from '@latchkey/node'
import Koa from 'koa'

export function createApp(auth: Auth<{ user: { name: string | null } }>): Koa {
  const listener = createListener(auth)
  // The service, and what an authorization server answers.
  const paths = [
    `${auth.basePath}/`,
    '/oauth/',
    '/.well-known/oauth-authorization-server/',
    '/.well-known/openid-configuration/',
  ]
  const app = new Koa()
  app.use(async (ctx, next) => {
    if (!paths.some((path) => ctx.url.startsWith(path))) return next()
    ctx.respond = false
    listener(ctx.req, ctx.res)
  })
  app.use(async (ctx, next) => {
    if (ctx.path !== '/account') return next()
    const { protocol, host, headers: sent } = ctx
    const request = new Request(`${protocol}://${host}`, { headers: sent as HeadersInit })
    const { session, headers } = await auth.getSession(request)
    for (const [name, value] of headers) ctx.append(name, value)
    if (session) ctx.body = `Hello, ${session.user.name}`
    else ctx.redirect(`${auth.basePath}/signin`)
  })
  return app
}
