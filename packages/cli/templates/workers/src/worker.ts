import type { ExecutionContext } from 'hono'
import { createApp } from './app.ts'
import { createService } from './auth.ts'
import type { Env } from './env.ts'

// The first request creates the service: a Worker that starts can neither fetch nor generate random values.
let app: ReturnType<typeof createApp> | undefined

export default {
  fetch: (request: Request, env: Env, context: ExecutionContext) =>
    (app ??= createApp(createService(env))).fetch(request, env, context),
}
