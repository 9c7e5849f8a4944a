import type { Auth } from '@latchkey/core'
import { createListener } from '@latchkey/node'
import express from 'express'
import type { Express } from 'express'

export function createApp(auth: Auth<{ user: { name: string | null } }>): Express {
  const listener = createListener(auth)
  // The service, and what an authorization server answers.
  const paths = [
    `${auth.basePath}/`,
    '/oauth/',
    '/.well-known/oauth-authorization-server/',
    '/.well-known/openid-configuration/',
  ]
  const app = express()
  // A middleware instead of a route: Express decodes the path and ignores its case before routes.
  app.use((request, response, next) => {
    if (paths.some((path) => request.url.startsWith(path))) listener(request, response)
    else next()
  })
  // After the service: a body that is parsed cannot be read again.
  app.use(express.json(), express.urlencoded())
  app.get('/account', async ({ protocol, host, headers: sent }, response) => {
    const request = new Request(`${protocol}://${host}`, { headers: sent as HeadersInit })
    const { session, headers } = await auth.getSession(request)
    for (const [name, value] of headers) response.append(name, value)
    if (session) response.send(`Hello, ${session.user.name}`)
    else response.redirect(`${auth.basePath}/signin`)
  })
  return app
}
