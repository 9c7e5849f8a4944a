import { d1Storage } from '@latchkey/storage-sql/d1'
import type { D1 } from '@latchkey/storage-sql/d1'
import type { ExecutionContext } from 'hono'
import { createApp } from './app.ts'
import { createNotes } from './notes.ts'
import type { Query } from './notes.ts'
import { createService } from './service.ts'
import type { Settings } from './service.ts'

/** The bindings of `wrangler.jsonc`, and the secrets. */
export interface Env extends Settings {
  readonly DB: D1
}

/** One application for an isolate, not for a request: its keys are derived once. */
let app: ReturnType<typeof createApp> | undefined

// oxlint-disable-next-line import/no-default-export -- a Worker's entry is its default export
export default {
  fetch(request: Request, env: Env, context: ExecutionContext): Response | Promise<Response> {
    app ??= build(env)
    return app.fetch(request, env, context)
  },
}

function build(env: Env): ReturnType<typeof createApp> {
  return createApp({
    auth: createService(env, d1Storage(env.DB)),
    notes: createNotes(queryOf(env.DB)),
    // Cloudflare itself sets this header, whatever the client has sent.
    clientIp: (c) => c.req.header('cf-connecting-ip'),
  })
}

function queryOf(database: D1): Query {
  return async (sql, ...params) => {
    const [result] = await database.batch([database.prepare(sql).bind(...params)])
    return result?.results ?? []
  }
}
