import { ConfigurationError } from '@latchkey/core'
import { d1Storage } from '@latchkey/storage-sql/d1'
import type { D1 } from '@latchkey/storage-sql/d1'
import type { ExecutionContext } from 'hono'
import { createApp } from './app.ts'
import { createNotes } from './notes.ts'
import type { Query } from './notes.ts'
import { createService } from './service.ts'
import { readTokens } from './tokens.ts'

/** The binding of `wrangler.jsonc`, and the variables and secrets beside it. */
export interface Env extends Readonly<Record<string, unknown>> {
  readonly DB: D1
}

/** Created once for each isolate, so that its keys are derived once. */
let app: ReturnType<typeof createApp> | undefined

// oxlint-disable-next-line import/no-default-export -- the runtime calls the default export
export default {
  fetch(request: Request, env: Env, context: ExecutionContext): Response | Promise<Response> {
    try {
      app ??= createWorkerApp(env)
    } catch (thrown) {
      if (!(thrown instanceof ConfigurationError)) throw thrown
      console.error(thrown.message)
      return new Response('This application is not configured. See its log.\n', { status: 500 })
    }
    return app.fetch(request, env, context)
  },
}

function createWorkerApp(env: Env): ReturnType<typeof createApp> {
  return createApp({
    auth: createService(env, d1Storage(env.DB)),
    notes: createNotes(createQuery(env.DB)),
    verifyToken: readTokens(env)?.verify,
    // Cloudflare sets this header on every request, and replaces what the client has sent.
    clientIp: (c) => c.req.header('cf-connecting-ip'),
  })
}

function createQuery(database: D1): Query {
  return async (sql, ...params) => {
    const [result] = await database.batch([database.prepare(sql).bind(...params)])
    return result?.results ?? []
  }
}
