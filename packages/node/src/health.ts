import type { HandlerOf, NodeRest } from './server.ts'
import { withTimeout } from '@latchkey/core/unstable'

/** The options of {@link createHealth}. */
export interface HealthOptions {
  /**
   * Rejects if requests cannot be answered, for example because the storage fails. It is called for
   * each request to `/readyz`, but not while a call is in progress.
   */
  readonly check: () => Promise<unknown>
  /** Seconds after which a check has failed. Default: 2 */
  readonly timeout?: number
  /** Is called if the checks begin to fail, with the cause, or to succeed again. */
  readonly onChange?: (isReady: boolean, cause?: unknown) => void
}

/**
 * Health checks before a handler.
 *
 * @typeParam Rest What the handler receives besides the request
 */
export interface Health<Rest extends unknown[] = NodeRest> {
  /** Answers `/healthz` and `/readyz`, and passes all other requests to the handler. */
  readonly handler: HandlerOf<Rest>
  /** Lets `/readyz` answer 503 from now on, because the process stops. */
  readonly drain: () => void
}

/**
 * Puts health checks before a handler, outside of the base path of the service. `GET /healthz` is 200 as
 * long as the process answers. `GET /readyz` is 200 if the check succeeds now, and 503 if it fails or the
 * process stops. Neither depends on the Host header, and neither answer is stored.
 *
 * @example
 *   import type { Auth, Storage } from '@latchkey/core'
 *   import { createHealth, createListener } from '@latchkey/node'
 *
 *   declare const auth: Auth
 *   declare const storage: Storage
 *   const health = createHealth(auth.handle, { check: () => storage.getUser('readyz') })
 *   const listener = createListener(health.handler)
 */
export function createHealth<Rest extends unknown[]>(
  handler: HandlerOf<Rest>,
  options: HealthOptions,
): Health<Rest> {
  const isReady = createCheck(options)
  let isDraining = false
  const replyReady = async (): Promise<Response> => {
    if (isDraining) return toResponse(503, 'stopping')
    return (await isReady()) ? toResponse(200, 'ready') : toResponse(503, 'unavailable')
  }
  const checks: Readonly<Record<string, () => Response | Promise<Response>>> = {
    '/healthz': () => toResponse(200, 'alive'),
    '/readyz': replyReady,
  }
  return {
    async handler(request, ...rest) {
      const check = checks[getCheckPath(request.url)]
      if (!check) return handler(request, ...rest)
      if (request.method === 'GET') return check()
      if (request.method === 'HEAD') return new Response(null, await check())
      return new Response('Method Not Allowed', { status: 405, headers: { allow: 'GET, HEAD' } })
    },
    drain: () => void (isDraining = true),
  }
}

/** Returns `/healthz`, `/readyz` or an empty text: as the service, by the raw, undecoded path. */
function getCheckPath(url: string): string {
  return /^https?:\/\/[^/?#]+(\/(?:healthz|readyz))(?:\?|$)/.exec(url)?.[1] ?? ''
}

/** Requests that come during a check wait for it, so that they cannot burden the storage. */
function createCheck({ check, timeout = 2, onChange }: HealthOptions): () => Promise<boolean> {
  let wasReady = true
  let checking: Promise<boolean> | undefined
  const report = (isReady: boolean, cause?: unknown): boolean => {
    if (isReady !== wasReady) onChange?.(isReady, cause)
    wasReady = isReady
    checking = undefined
    return isReady
  }
  const run = async (): Promise<unknown> => withTimeout(check(), timeout)
  return () =>
    (checking ??= run().then(
      () => report(true),
      (cause: unknown) => report(false, cause),
    ))
}

function toResponse(status: number, text: string): Response {
  return Response.json({ status: text }, { status, headers: { 'cache-control': 'no-store' } })
}
