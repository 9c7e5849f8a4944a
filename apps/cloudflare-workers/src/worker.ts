import { ConfigurationError } from '@latchkey/core'
import type { Env } from './environment.ts'
import { getService } from './service.ts'
import type { Service } from './service.ts'
import { sweep } from './sweep.ts'

// The runtime creates its objects, where limits and single-use tokens are kept.
export { LatchkeyObject } from '@latchkey/durable-objects/object'

/** The method of an `ExecutionContext` that is used here. */
export interface Context {
  waitUntil(promise: Promise<unknown>): void
}

/** The handlers that the runtime calls. */
export interface Worker {
  fetch(request: Request, env: Env, context: Context): Promise<Response>
  scheduled(event: unknown, env: Env): Promise<void>
}

const worker: Worker = {
  async fetch(request, env, context) {
    const service = findService(env)
    if (!service) return createErrorResponse()
    return service.handle(request, {
      waitUntil: (promise) => context.waitUntil(promise),
      // Cloudflare sets it on every request, and replaces what the client has sent.
      clientIp: () => request.headers.get('cf-connecting-ip') ?? undefined,
    })
  },

  // An invalid configuration is thrown, so that the run of the trigger counts as failed.
  async scheduled(_event, env) {
    const { storage } = getService(env)
    if (storage) await sweep(storage)
  },
}

/** Returns the service, or logs why its configuration is invalid. */
function findService(env: Env): Service | undefined {
  try {
    return getService(env)
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError)) throw thrown
    console.error(`latchkey: ${thrown.message.replaceAll('\n', '\nlatchkey: ')}`)
    return undefined
  }
}

/** The problems are only in the log. */
function createErrorResponse(): Response {
  return new Response('This sign-in service is not configured. See its log.\n', {
    status: 500,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    },
  })
}

// oxlint-disable-next-line import/no-default-export -- the runtime calls the default export
export default worker
