import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage } from 'node:http'

const requestIds = new AsyncLocalStorage<string>()

/**
 * Returns the id of the request that is being answered, as the response has it in `X-Request-Id`;
 * undefined outside of a request. A logger adds it to its lines.
 *
 * @example
 *   import type { Logger } from '@latchkey/core'
 *   import { getRequestId } from '@latchkey/node'
 *
 *   const logger: Logger = {
 *     error: (message, details) => console.error(message, { requestId: getRequestId(), ...details }),
 *     warn: (message, details) => console.warn(message, { requestId: getRequestId(), ...details }),
 *   }
 */
export function getRequestId(): string | undefined {
  return requestIds.getStore()
}

/** Calls a function, within which {@link getRequestId} returns the id. */
export function withRequestId<T>(requestId: string, run: () => T): T {
  return requestIds.run(requestId, run)
}

/** What proxies and load balancers send: letters, digits and a few signs, none of which has a meaning in logs. */
const requestIdPattern = /^[\w.:=+/@~-]{1,128}$/

/** Returns the id that a reverse proxy has sent in `X-Request-Id`; otherwise a new one. */
export function readRequestId({
  headersDistinct,
}: Pick<IncomingMessage, 'headersDistinct'>): string {
  const [sent = '', ...others] = headersDistinct['x-request-id'] ?? []
  return others.length === 0 && requestIdPattern.test(sent) ? sent : crypto.randomUUID()
}
