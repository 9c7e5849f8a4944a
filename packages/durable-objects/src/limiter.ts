import type { Limiter } from '@latchkey/core'
import { storageLimiter } from '@latchkey/core/limiters'
import { createCallObject } from './objects.ts'
import type { ObjectNamespace, ObjectOptions } from './objects.ts'

/**
 * Creates a limiter that counts in Durable Objects: each limit holds for all locations together. If an
 * object fails, the request is refused (503).
 *
 * A storage of {@link withDurableObjects} counts there already and needs no limiter.
 *
 * @param namespace The binding of `LatchkeyObject`
 * @throws ConfigurationError `namespace`
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import { github } from '@latchkey/core/providers/github'
 *   import { durableLimiter } from '@latchkey/durable-objects'
 *   import type { ObjectNamespace } from '@latchkey/durable-objects'
 *
 *   declare const env: { readonly LATCHKEY: ObjectNamespace }
 *   const auth = createAuth({
 *     secret: process.env['AUTH_SECRET'] ?? '',
 *     providers: [github({ clientId: 'Iv1.abc', clientSecret: 'kept secret' })],
 *     limiter: durableLimiter(env.LATCHKEY),
 *   })
 */
export function durableLimiter(namespace: ObjectNamespace, options: ObjectOptions = {}): Limiter {
  const call = createCallObject(namespace, options)
  return storageLimiter({
    // A call that is repeated may count twice, which is better than a refusal.
    increment: (key, window, now, by = 1) =>
      call('shared', key, 'repeatable', (object) => object.increment(key, window, now, by)),
  })
}
