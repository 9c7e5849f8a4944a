import { ConfigurationError } from '@latchkey/core'
import type { Env } from './environment.ts'
import { serviceOf } from './service.ts'
import type { Service } from './service.ts'
import { sweep } from './sweep.ts'

/** What is used of an `ExecutionContext`. */
export interface Host {
  waitUntil(promise: Promise<unknown>): void
}

/** The handlers that the runtime calls. */
export interface Worker {
  fetch(request: Request, env: Env, host: Host): Promise<Response>
  scheduled(event: unknown, env: Env): Promise<void>
}

const worker: Worker = {
  async fetch(request, env, host) {
    const service = configured(env)
    if (!service) return notConfigured()
    return service.handle(request, {
      waitUntil: (promise) => host.waitUntil(promise),
      // Cloudflare sets it on every request, whatever the client has sent.
      clientIp: () => request.headers.get('cf-connecting-ip') ?? undefined,
    })
  },

  // A wrong configuration is thrown here: that is how a run of the trigger counts as failed.
  async scheduled(_event, env) {
    const { storage } = serviceOf(env)
    if (storage) await sweep(storage)
  },
}

/** The service; undefined, and a line in the log, where the configuration cannot work. */
function configured(env: Env): Service | undefined {
  try {
    return serviceOf(env)
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError)) throw thrown
    console.error(`latchkey: ${thrown.message}`)
    return undefined
  }
}

/** What is wrong is in the log alone. */
function notConfigured(): Response {
  return new Response('This sign-in service is not configured. Its log says why.\n', {
    status: 500,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    },
  })
}

// oxlint-disable-next-line import/no-default-export -- the door of a Worker is its default export
export default worker
