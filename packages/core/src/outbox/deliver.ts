import { createProviderRuntime } from '../http/outbound-fetch.ts'
import { keepAlive } from '../lib/keep-alive.ts'
import { getCauses } from '../lib/log.ts'
import { withTimeout } from '../lib/timeout.ts'
import type { TakenEvent } from '../ports/records.ts'
import type { ProviderRuntime } from '../ports/runtime.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import type { DeliveryCounts, EventOutbox, OutboxParts } from './event-outbox.ts'
import { eventNames } from './payloads.ts'
import type { OutboxEventName, OutboxPayloads } from './payloads.ts'

/** An event as `deliver` receives it: `type` names it, and decides what `data` has. */
export type OutboxEvent = {
  readonly [Name in OutboxEventName]: {
    /** The same at every delivery: a receiver can ignore an id that it has. */
    readonly id: string
    readonly type: Name
    /** When it happened: ISO 8601, UTC. */
    readonly timestamp: string
    readonly data: OutboxPayloads[Name]
  }
}[OutboxEventName]

/** One attempt to deliver an event. */
export interface Delivery {
  /** The number of the attempt, counted from 1. */
  readonly attempt: number
  /** `fetch` under the limits of outbound requests, and the clock of the service. */
  readonly runtime: ProviderRuntime
}

/**
 * Delivers an event. If it throws, or does not resolve within `timeouts.callback`, the event is delivered
 * again later.
 */
export type Deliver = (event: OutboxEvent, delivery: Delivery) => unknown

/** What the delivery works with. */
export interface DeliveryParts extends Omit<OutboxParts, 'storage' | 'sessions'> {
  readonly storage: GuardedStorage
  readonly deliver: Deliver
  /** Deliver the service's own events, by name. */
  readonly own: ReadonlyMap<string, (data: object) => Promise<void>>
}

/** Events that are taken at a time. They are delivered one after the other. */
const BATCH = 5
/** Expired events that are deleted at a time. */
const PURGE = 100
/** Seconds between two deletions of expired events by the requests of a process. */
const PURGE_INTERVAL = 3600
/** Seconds before the second attempt; each further wait is four times as long, up to six hours. */
const FIRST_WAIT = 5
const MAX_WAIT = 6 * 3600

/** Creates the delivery of events. */
export function createDelivery(parts: DeliveryParts): Pick<EventOutbox, 'deliver' | 'deliverSoon'> {
  const { log, runtime } = parts
  let purgedAt = -Infinity
  const purgeSometimes = async (): Promise<void> => {
    const now = getNow(parts)
    if (now - purgedAt < PURGE_INTERVAL) return
    purgedAt = now
    await purge(parts)
  }
  const deliverSome = async (): Promise<void> => {
    const { delivered } = await deliverBatch(parts)
    // An event of the service itself may have stored further ones.
    if (delivered > 0 && parts.own.size > 0) await deliverBatch(parts)
    await purgeSometimes()
  }
  return {
    deliverSoon(request) {
      const work = Promise.resolve().then(deliverSome)
      const delivered = work.catch((thrown: unknown) => {
        log.error('the outbox could not be read', { causes: getCauses(thrown) })
      })
      if (request) keepAlive(request, delivered)
    },
    async deliver(seconds) {
      const end = runtime.monotonic() + seconds * 1000
      await purge(parts)
      const all = { delivered: 0, failed: 0 }
      for (;;) {
        const { delivered, failed } = await deliverBatch(parts)
        all.delivered += delivered
        all.failed += failed
        // If a whole batch has failed, the receiver is probably down.
        if (delivered === 0 || runtime.monotonic() >= end) return all
      }
    },
  }
}

/** Takes a few events and delivers them. The lease is longer than that can take. */
async function deliverBatch(parts: DeliveryParts): Promise<DeliveryCounts> {
  const { storage, timeouts } = parts
  const lease = Math.ceil(BATCH * (timeouts.callback + timeouts.request))
  const counts = { delivered: 0, failed: 0 }
  for (const event of await storage.takeEvents(BATCH, lease, getNow(parts))) {
    counts[(await deliverEvent(parts, event)) ? 'delivered' : 'failed']++
  }
  return counts
}

async function deliverEvent(parts: DeliveryParts, taken: TakenEvent): Promise<boolean> {
  const { storage, runtime, timeouts, log } = parts
  const { id, attempts } = taken
  try {
    const work = call(parts, taken)
    await withTimeout(work, timeouts.callback, undefined, runtime)
  } catch (thrown) {
    const wait = getWait(parts, attempts)
    const causes = getCauses(thrown)
    log.warn('an event was not delivered', { event: id, attempts, retryAfter: wait, causes })
    await storage.postponeEvent(id, attempts, getNow(parts) + wait)
    return false
  }
  await storage.deleteEvents([id])
  return true
}

async function call(
  { deliver, own, runtime, timeouts }: DeliveryParts,
  { id, attempts, data: text, sessionIds }: TakenEvent,
): Promise<void> {
  const { type, timestamp, data } = JSON.parse(text) as OutboxEvent
  const deliverOwn = own.get(type)
  if (deliverOwn) return deliverOwn(data)
  // Its option is no longer set.
  if (!eventNames.includes(type)) return
  const event = { id, type, timestamp, data: { ...data, ...(sessionIds && { sessionIds }) } }
  const delivery = { attempt: attempts, runtime: createProviderRuntime(runtime, timeouts) }
  await deliver(event as OutboxEvent, delivery)
}

/** Returns the seconds to wait after an attempt. Without jitter, all events would be due together. */
function getWait({ runtime }: DeliveryParts, attempts: number): number {
  const [byte = 0] = runtime.random(1)
  return Math.ceil(Math.min(FIRST_WAIT * 4 ** (attempts - 1), MAX_WAIT) * (0.5 + byte / 512))
}

/** Deletes the events that have expired, with a line in the log for each. */
async function purge(parts: DeliveryParts): Promise<void> {
  const { storage, log } = parts
  for (;;) {
    const expired = await storage.purgeEvents(PURGE, getNow(parts))
    for (const { id } of expired) log.error('an event expired, undelivered', { event: id })
    if (expired.length < PURGE) return
  }
}

function getNow({ runtime }: DeliveryParts): number {
  return Math.floor(runtime.now() / 1000)
}
