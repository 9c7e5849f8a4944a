import type { HandlerOf, NodeRest } from './server.ts'

/**
 * One configuration of a service, with what it has opened.
 *
 * @typeParam Rest What the handler receives besides the request
 */
export interface Generation<Rest extends unknown[] = NodeRest> {
  readonly handler: HandlerOf<Rest>
  /** Closes what no other generation uses. It is called after the last response of this one. */
  readonly close: () => Promise<void>
}

/**
 * A handler that can be replaced while requests are answered.
 *
 * @typeParam Rest What the handler receives besides the request
 */
export interface Reloadable<Rest extends unknown[] = NodeRest> {
  readonly handler: HandlerOf<Rest>
  /**
   * Passes further requests to another generation. Requests in progress keep theirs, which is closed
   * after the last of them. Resolves when it is closed.
   */
  readonly replace: (next: Generation<Rest>) => Promise<void>
  /** Closes the generation in use, after the last request. */
  readonly close: () => Promise<void>
}

/**
 * Creates a handler that can be replaced without losing a request.
 *
 * @example
 *   import type { Auth } from '@latchkey/core'
 *   import { createReloadable } from '@latchkey/node'
 *
 *   declare const auth: Auth
 *   declare const next: Auth
 *   const close = async (): Promise<void> => undefined
 *   const service = createReloadable({ handler: auth.handle, close })
 *   await service.replace({ handler: next.handle, close })
 */
export function createReloadable<Rest extends unknown[]>(
  first: Generation<Rest>,
): Reloadable<Rest> {
  let current = countRequests(first)
  return {
    handler: (...args) => current.handler(...args),
    replace(next) {
      const previous = current
      current = countRequests(next)
      return previous.close()
    },
    close: () => current.close(),
  }
}

/** Returns a generation whose `close` waits for its requests. */
function countRequests<Rest extends unknown[]>({
  handler,
  close,
}: Generation<Rest>): Generation<Rest> {
  let open = 0
  let resolveFinished: (() => void) | undefined
  return {
    async handler(...args) {
      open++
      try {
        return await handler(...args)
      } finally {
        open--
        if (open === 0) resolveFinished?.()
      }
    },
    async close() {
      if (open > 0) await new Promise<void>((resolve) => (resolveFinished = resolve))
      await close()
    },
  }
}
