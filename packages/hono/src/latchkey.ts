import type { Auth, HandleOptions } from '@latchkey/core'
import type { Context, MiddlewareHandler } from 'hono'
import { getRequestTarget } from './request-target.ts'
import { appendHeaders, toHonoResponse } from './response.ts'
import { createSessionReader } from './session-reader.ts'
import { getUnreadRequest } from './unread-request.ts'
import type { SessionVariables } from './variables.ts'

/** Options of {@link latchkey}. */
export interface LatchkeyOptions {
  /**
   * Returns the IP address of the client, which the limits per client count by. Read a header only if
   * a trusted proxy sets it. Default: none, and no limit per client applies.
   */
  readonly clientIp?: (c: Context) => string | undefined
}

/**
 * Returns middleware that answers all requests under `auth.basePath`, and those of programs to an authorization server
 * (`auth.programs`). It sets `c.var.session` for all others. If reading the session renews it, the new cookie is added to the response, whichever
 * handler or middleware creates that. Use it before any other middleware.
 *
 * A response that sets such a cookie gets `Cache-Control: private, no-store` in place of any other. A
 * response for which the session was read gets `private, no-cache`, unless it has a `Cache-Control`.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import { github } from '@latchkey/core/providers/github'
 *   import { latchkey } from '@latchkey/hono'
 *   import { Hono } from 'hono'
 *
 *   const auth = createAuth({
 *     serviceUrl: 'https://example.com',
 *     secret: process.env['AUTH_SECRET'] ?? '',
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
  const prefix = `${auth.basePath}/`
  return async (c, next) => {
    const { session, close } = createSessionReader(auth, c.req.raw)
    c.set('session', session)
    const isPage = getRequestTarget(c.req.raw.url).startsWith(prefix)
    if (isPage || auth.programs) {
      const given = [await getUnreadRequest(c), toHandleOptions(c, options)] as const
      const reply = auth.programs?.(...given) ?? (isPage ? auth.handle(...given) : undefined)
      if (reply) {
        await close()
        return toHonoResponse(c, await reply)
      }
    }
    await next()
    const headers = await close()
    if (headers) appendHeaders(c, headers)
    return undefined
  }
}

function toHandleOptions(c: Context, { clientIp }: LatchkeyOptions): HandleOptions {
  return {
    waitUntil: (promise) => getExecutionContext(c)?.waitUntil(promise),
    clientIp: () => clientIp?.(c),
  }
}

/** Returns undefined if the host does not have one, as on Node: Hono throws then. */
function getExecutionContext(c: Context): Pick<Context['executionCtx'], 'waitUntil'> | undefined {
  try {
    return c.executionCtx
  } catch {
    return undefined
  }
}
