import type { Auth } from '@latchkey/core'
import { createListener } from '@latchkey/node'
import express from 'express'
import type { Express, Request as ExpressRequest } from 'express'

/** What the page shows of a session. */
interface Session {
  readonly user: { readonly name: string | null }
}

/** Creates the application: the service, and a page of users who are signed in. */
export function createApp(auth: Auth<Session>): Express {
  const listener = createListener(auth.handle)
  const app = express()
  // A middleware instead of a route: Express decodes the path and ignores its case before routes.
  app.use((request, response, next) => {
    if (request.url.startsWith(`${auth.basePath}/`)) listener(request, response)
    else next()
  })
  // After the service: a body that is parsed cannot be read again.
  app.use(express.json(), express.urlencoded())
  app.get('/account', async (request, response) => {
    const { session, headers } = await auth.getSession(toRequest(request))
    for (const [name, value] of headers) response.append(name, value)
    if (session) response.send(`Hello, ${session.user.name}`)
    else response.redirect(`${auth.basePath}/signin`)
  })
  return app
}

function toRequest({ headersDistinct, host, protocol }: ExpressRequest): Request {
  const headers = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value): [string, string] => [name, value]),
  )
  return new Request(`${protocol}://${host}`, { headers })
}
