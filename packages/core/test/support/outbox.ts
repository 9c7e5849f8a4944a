import type { AuthConfig, HandleOptions, Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { deliverEvents, outbox } from '@latchkey/core/outbox'
import type { Deliver, Delivery, Outbox, OutboxEvent, OutboxEventName } from '@latchkey/core/outbox'
import { Browser } from '@latchkey/testing/browser'
import { expect } from 'vitest'
import { base, serve } from './service.ts'
import type { TestService } from './service.ts'

/** An outbox that records what it delivers, and the options of a host whose `waitUntil` it uses. */
interface RecordedOutbox {
  readonly outbox: Outbox
  readonly options: HandleOptions
  /** The delivered events, the earliest first. */
  readonly delivered: OutboxEvent[]
  readonly deliveries: Delivery[]
  /** Waits for what requests have given to `waitUntil`, and empties and returns `delivered`. */
  readonly settle: () => Promise<OutboxEvent[]>
}

interface RecordOptions {
  readonly deliver?: Deliver | undefined
  readonly names?: readonly OutboxEventName[] | undefined
}

/** Creates an outbox that records what it delivers. The host reports the IP address 192.0.2.1. */
export function recordOutbox({ deliver, names }: RecordOptions = {}): RecordedOutbox {
  const delivered: OutboxEvent[] = []
  const deliveries: Delivery[] = []
  const pending: Promise<unknown>[] = []
  const record: Deliver = async (event, delivery) => {
    await deliver?.(event, delivery)
    delivered.push(event)
    deliveries.push(delivery)
  }
  return {
    outbox: outbox({ deliver: record, ...(names && { events: names }) }),
    options: {
      clientIp: () => '192.0.2.1',
      waitUntil: (promise) => void pending.push(promise),
    },
    delivered,
    deliveries,
    async settle() {
      await Promise.all(pending.splice(0))
      return delivered.splice(0)
    },
  }
}

/** Delivers after a while: a request that does not use `waitUntil` has delivered nothing when a test looks. */
export const deliverLater: Deliver = () => new Promise((resolve) => setTimeout(resolve, 20))

/** Returns the sorted types of what requests have delivered, and expects that no event is left. */
export async function takeDelivered({
  auth,
  settle,
}: Pick<OutboxService, 'auth' | 'settle'>): Promise<OutboxEventName[]> {
  const events = await settle()
  expect(await deliverEvents(auth)).toEqual({ delivered: 0, failed: 0 })
  return toTypes(events).toSorted()
}

/** A service with an outbox, and what it delivered. */
export interface OutboxService extends TestService<unknown>, Omit<RecordedOutbox, 'outbox'> {
  readonly storage: Storage
  /** Creates a browser whose host reports the IP address 192.0.2.1. */
  readonly browseAt: () => Browser
  /** Waits for what requests have begun to deliver, delivers the rest, and empties and returns `delivered`. */
  readonly flush: () => Promise<OutboxEvent[]>
}

/** Serves with an outbox that records what it delivers. */
export function serveOutbox({
  deliver,
  names,
  storage = memoryStorage(),
  ...over
}: RecordOptions & Partial<AuthConfig> = {}): OutboxService {
  const { outbox: option, ...recorded } = recordOutbox({ deliver, names })
  const service = serve({ storage, outbox: option, ...over })
  return {
    ...service,
    ...recorded,
    storage,
    browseAt: () => new Browser((request) => service.auth.handle(request, recorded.options), base),
    async flush() {
      const events = await recorded.settle()
      await new Promise((resolve) => setImmediate(resolve))
      await deliverEvents(service.auth)
      return [...events, ...recorded.delivered.splice(0)]
    },
  }
}

/** Returns the names of events. */
export function toTypes(events: readonly OutboxEvent[]): OutboxEventName[] {
  return events.map(({ type }) => type)
}
