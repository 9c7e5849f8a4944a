import type { Auth } from '@latchkey/core'
import { createListener } from '@latchkey/node'
import fastify from 'fastify'
import type { FastifyInstance } from 'fastify'

export function createApp(auth: Auth<{ user: { name: string | null } }>): FastifyInstance {
  const listener = createListener(auth)
  // The service, and what an authorization server answers.
  const paths = [
    `${auth.basePath}/`,
    '/oauth/',
    '/.well-known/oauth-authorization-server/',
    '/.well-known/openid-configuration/',
  ]
  const app = fastify()
  // A hook instead of a route: Fastify parses bodies and decodes paths before routes.
  app.addHook('onRequest', async ({ raw }, reply) => {
    if (!paths.some((path) => raw.url?.startsWith(path))) return
    reply.hijack()
    listener(raw, reply.raw)
  })
  app.get('/account', async ({ protocol, host, headers: sent }, reply) => {
    const request = new Request(`${protocol}://${host}`, { headers: sent as HeadersInit })
    const { session, headers } = await auth.getSession(request)
    for (const [name, value] of headers) reply.header(name, value)
    return session ? `Hello, ${session.user.name}` : reply.redirect(`${auth.basePath}/signin`)
  })
  return app
}
