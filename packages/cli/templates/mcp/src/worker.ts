import type { ExecutionContext, Hono } from 'hono'
import { createApp } from './app.ts'
import { createService } from './auth.ts'
import type { Env } from './env.ts'
import { createMcp } from './mcp.ts'

// The first request creates the service: a Worker that starts can neither fetch nor generate random values.
let app: Pick<Hono, 'fetch'> | undefined

function create(env: Env) {
  const auth = createService(env)
  // The middleware of the service answers the authorization server too.
  return createApp(auth).route('/', createMcp(auth, env))
}

export default {
  fetch: (request: Request, env: Env, context: ExecutionContext) =>
    (app ??= create(env)).fetch(request, env, context),
}
