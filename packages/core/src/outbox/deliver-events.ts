import { getService } from '../kernel/auth-services.ts'
import { ConfigurationError } from '../lib/errors.ts'
import type { Auth } from '../api/auth.ts'
import type { DeliveryCounts } from './event-outbox.ts'

/** The options of {@link deliverEvents}. */
export interface DeliverEventsOptions {
  /** Seconds after which no more events are taken: the time that a cron job has. Default: 25 */
  readonly seconds?: number
}

/**
 * Delivers the events of an outbox that are due, the earliest first, and deletes those that have expired. A
 * request delivers its own events; call this every minute, and when a process starts, for those
 * that failed, or whose process ended. Several processes may call it at the same time.
 *
 * @example
 *   import { deliverEvents } from '@latchkey/core/outbox'
 *   import type { Auth } from '@latchkey/core'
 *
 *   declare function createAuthOf(env: object): Auth
 *   export default {
 *     async scheduled(_event: unknown, env: object): Promise<void> {
 *       await deliverEvents(createAuthOf(env))
 *     },
 *   }
 *
 * @throws AuthError `Unavailable` if the storage fails
 * @throws ConfigurationError without the option `outbox`, or if `auth` is not what `createAuth` returned
 */
export async function deliverEvents(
  auth: Pick<Auth, 'handle'>,
  { seconds = 25 }: DeliverEventsOptions = {},
): Promise<DeliveryCounts> {
  const { outbox } = getService(auth, 'deliverEvents')
  if (!outbox) throw new ConfigurationError('deliverEvents', 'needs the option outbox')
  return outbox.deliver(seconds)
}
