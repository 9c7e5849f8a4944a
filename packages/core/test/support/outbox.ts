import type { AuthConfig, Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { deliverEvents, outbox } from '@latchkey/core/outbox'
import type { Deliver, Delivery, OutboxEvent, OutboxEventName } from '@latchkey/core/outbox'
import { Browser } from '@latchkey/core/testing/browser'
import { base, serve } from './service.ts'
import type { TestService } from './service.ts'

/** A service with an outbox, and what it delivered. */
export interface OutboxService extends TestService<unknown> {
  readonly storage: Storage
  /** The delivered events, the earliest first. */
  readonly delivered: OutboxEvent[]
  readonly deliveries: Delivery[]
  /** Creates a browser whose host reports the IP address 192.0.2.1. */
  readonly browseAt: () => Browser
  /** Waits for what requests have begun to deliver, delivers the rest, and empties and returns `delivered`. */
  readonly flush: () => Promise<OutboxEvent[]>
}

interface OutboxServiceOptions extends Partial<AuthConfig> {
  readonly deliver?: Deliver
  readonly names?: readonly OutboxEventName[]
}

/** Serves with an outbox that records what it delivers. */
export function serveOutbox({
  deliver,
  names,
  storage = memoryStorage(),
  ...over
}: OutboxServiceOptions = {}): OutboxService {
  const delivered: OutboxEvent[] = []
  const deliveries: Delivery[] = []
  const pending: Promise<unknown>[] = []
  const record: Deliver = async (event, delivery) => {
    await deliver?.(event, delivery)
    delivered.push(event)
    deliveries.push(delivery)
  }
  const option = outbox({ deliver: record, ...(names && { events: names }) })
  const service = serve({ storage, outbox: option, ...over })
  const options = {
    clientIp: () => '192.0.2.1',
    waitUntil: (promise: Promise<unknown>) => void pending.push(promise),
  }
  return {
    ...service,
    storage,
    delivered,
    deliveries,
    browseAt: () => new Browser((request) => service.auth.handle(request, options), base),
    async flush() {
      await Promise.all(pending)
      await new Promise((resolve) => setImmediate(resolve))
      await deliverEvents(service.auth)
      return delivered.splice(0)
    },
  }
}

/** Returns the names of events. */
export function toTypes(events: readonly OutboxEvent[]): OutboxEventName[] {
  return events.map(({ type }) => type)
}
