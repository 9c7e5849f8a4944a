import type { Auth, HandleOptions } from '@latchkey/core'
import type { Context, MiddlewareHandler } from 'hono'
import { deliver, handOver } from './deliver.ts'
import { readingOf } from './reading.ts'
import { targetOf } from './target.ts'
import type { SessionVariables } from './variables.ts'

/** What {@link latchkey} cannot know by itself. */
export interface LatchkeyOptions {
  /**
   * The address that a request came from, as your host knows it: what is limited per client is counted
   * by it. A header is only as good as the proxy that sets it. Default: none, and nothing is limited
   * per client.
   */
  readonly clientIp?: (c: Context) => string | undefined
}

/**
 * Middleware that answers the requests to the service's routes, all that is under `auth.basePath`, and
 * gives everybody else `c.var.session`. Where a session is read that has to be renewed, its cookie
 * goes with the response, whoever makes that. Use it before any other middleware.
 *
 * A response that sets such a cookie gets `Cache-Control: private, no-store`, whatever it had before;
 * one for which the session has been read, `private, no-cache` unless it has a `Cache-Control`.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import { github } from '@latchkey/core/providers/github'
 *   import { latchkey } from '@latchkey/hono'
 *   import { Hono } from 'hono'
 *
 *   const auth = createAuth({
 *     serviceUrl: 'https://example.com',
 *     secret: 'at least thirty-two random bytes, kept secret',
 *     providers: [github({ clientId: 'Iv1.abc', clientSecret: 'kept secret' })],
 *   })
 *
 *   const app = new Hono().use(latchkey(auth)).get('/', async (c) => {
 *     const session = await c.var.session()
 *     return c.text(session ? `Hello, ${session.user.name}` : 'Hello, stranger')
 *   })
 */
export function latchkey<Session>(
  auth: Auth<Session>,
  options: LatchkeyOptions = {},
): MiddlewareHandler<{ Variables: SessionVariables<Session> }> {
  const ours = `${auth.basePath}/`
  return async (c, next) => {
    const { session, close } = readingOf(auth, c.req.raw)
    c.set('session', session)
    if (targetOf(c.req.raw.url).startsWith(ours)) {
      await close()
      return handOver(c, await auth.handle(c.req.raw, extrasOf(c, options)))
    }
    await next()
    const headers = await close()
    if (headers) deliver(c, headers)
    return undefined
  }
}

function extrasOf(c: Context, { clientIp }: LatchkeyOptions): HandleOptions {
  return {
    waitUntil: (promise) => hostOf(c)?.waitUntil(promise),
    clientIp: () => clientIp?.(c),
  }
}

/** Hono throws where the host has given none, as on Node. */
function hostOf(c: Context): Pick<Context['executionCtx'], 'waitUntil'> | undefined {
  try {
    return c.executionCtx
  } catch {
    return undefined
  }
}
