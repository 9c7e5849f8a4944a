import type { Auth } from '@latchkey/core'
import { createListener } from '@latchkey/node'
import fastify from 'fastify'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/** What the page shows of a session. */
interface Session {
  readonly user: { readonly name: string | null }
}

/** Creates the application: the service, and a page of users who are signed in. */
export function createApp(auth: Auth<Session>): FastifyInstance {
  const listener = createListener(auth.handle)
  const app = fastify()
  // A hook instead of a route: Fastify parses bodies and decodes paths before routes.
  app.addHook('onRequest', async ({ raw }, reply) => {
    if (!raw.url?.startsWith(`${auth.basePath}/`)) return
    reply.hijack()
    listener(raw, reply.raw)
  })
  app.get('/account', async (request, reply) => {
    const { session, headers } = await auth.getSession(toRequest(request))
    for (const [name, value] of headers) reply.header(name, value)
    return session ? `Hello, ${session.user.name}` : reply.redirect(`${auth.basePath}/signin`)
  })
  return app
}

function toRequest({ raw, host, protocol }: FastifyRequest): Request {
  const headers = Object.entries(raw.headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  return new Request(`${protocol}://${host}`, { headers })
}
