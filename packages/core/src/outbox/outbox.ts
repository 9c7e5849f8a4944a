import { ConfigurationError } from '../lib/errors.ts'
import { checkKnownNames } from '../lib/known-names.ts'
import type { HostRequest } from '../lib/keep-alive.ts'
import { getCauses } from '../lib/log.ts'
import type { StoredEvent } from '../ports/records.ts'
import { requireStorage } from '../storage/guard-storage.ts'
import { createDelivery } from './deliver.ts'
import type { Deliver } from './deliver.ts'
import { createEventIds } from './event-id.ts'
import type { EventOutbox, Outbox, OutboxParts } from './event-outbox.ts'
import { eventNames, toPayload } from './payloads.ts'
import type { OutboxEventName } from './payloads.ts'

/** The options of {@link outbox}. */
export interface OutboxOptions {
  /** Receives each event at least once: a function, or `webhook({ url, secret })`. */
  readonly deliver: Deliver
  /** The names of the events to store. Default: all of them */
  readonly events?: readonly OutboxEventName[]
}

/** Seconds after which an event is deleted that was not delivered: 30 days. */
const LIFETIME = 30 * 86_400

/**
 * Stores events in the step of the storage that they describe, and delivers each at least once: the
 * option `outbox`. So an audit log has no gap if a process ends between the two. Needs a storage with the
 * capability `outbox`, and sessions that are stored or `revocable`.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { AuthConfig } from '@latchkey/core'
 *   import { deliverEvents, outbox } from '@latchkey/core/outbox'
 *
 *   declare const config: AuthConfig
 *   declare function append(id: string, event: object): Promise<void> // ignores an id that it has
 *   const auth = createAuth({
 *     ...config,
 *     outbox: outbox({ deliver: (event) => append(event.id, event) }),
 *   })
 *   setInterval(() => void deliverEvents(auth).catch(console.error), 60_000)
 *
 * @throws ConfigurationError `outbox.…`
 */
export function outbox(options: OutboxOptions): Outbox {
  checkKnownNames('outbox', options, ['deliver', 'events'])
  const { deliver, events } = options
  if (typeof deliver !== 'function') {
    throw outboxError('deliver', 'must be a function, or webhook({ url, secret })')
  }
  const names = resolveNames(events)
  return { createOutbox: (parts) => createOutbox(parts, deliver, names) }
}

function resolveNames(given: unknown = eventNames): ReadonlySet<string> {
  if (!Array.isArray(given)) throw outboxError('events', 'must be a list of names')
  const known: readonly unknown[] = eventNames
  const unknown = given.find((name: unknown) => !known.includes(name))
  if (unknown === undefined) return new Set(given.map(String))
  const isUnstored = unknown === 'signInFailed' || unknown === 'session'
  if (isUnstored)
    throw outboxError('events', `${unknown} has no step of the storage: use events.${unknown}`)
  throw outboxError('events', `unknown event ${String(unknown)}: expected ${eventNames.join(', ')}`)
}

/** Events that need sessions which the storage records: otherwise nothing is stored that they describe. */
const sessionEvents = ['signIn', 'signOut', 'updateSession']

function createOutbox(
  { storage: given, sessions, ...parts }: OutboxParts,
  deliver: Deliver,
  names: ReadonlySet<string>,
): EventOutbox {
  const storage = requireStorage(given, 'outbox', ['outbox'])
  const unstored = sessions.isRevocable ? undefined : sessionEvents.find((name) => names.has(name))
  if (unstored !== undefined) {
    const advice = 'set session.strategy storage or session.revocable, or leave it out'
    throw outboxError('events', `${unstored} has no step of the storage: ${advice}`)
  }
  const { runtime } = parts
  const createId = createEventIds(runtime)
  const undelivered = new WeakSet<HostRequest>()
  const own = new Map<string, (data: object) => Promise<void>>()
  const followers = new Map<string, string[]>()
  const delivery = createDelivery({ ...parts, storage, deliver, own })
  const toFollowers: EventOutbox['toFollowers'] = (type, facts, request) => {
    const followed = followers.get(type) ?? []
    if (request && followed.length > 0) undelivered.add(request)
    const time = runtime.now()
    return followed.map((name) => toRow(createId(time), name, facts, time))
  }
  return {
    toFollowers,
    toRows(type, facts, request) {
      const rows = toFollowers(type, facts, request)
      if (!names.has(type)) return rows
      if (request) undelivered.add(request)
      const time = runtime.now()
      const ip = request && getIp(request)
      const payload = { ...toPayload(type, facts), ...(ip !== undefined && { ip }) }
      return [...rows, toRow(createId(time), type, payload, time)]
    },
    toOwnRow(name, data, due, request) {
      if (request) undelivered.add(request)
      return toRow(createId(runtime.now()), name, data, due * 1000)
    },
    deliverOwn(name, deliverOne, follows = []) {
      own.set(name, (data) => deliverOne(data as never))
      for (const type of follows) followers.set(type, [...(followers.get(type) ?? []), name])
    },
    deliverSoon(request) {
      if (!request || undelivered.delete(request)) delivery.deliverSoon(request)
    },
    deliver: delivery.deliver,
  }
}

/** An event is due when it is created. */
function toRow(id: string, type: string, payload: object, time: number): StoredEvent {
  const timestamp = new Date(time).toISOString()
  const createdAt = Math.floor(time / 1000)
  const data = JSON.stringify({ type, timestamp, data: payload })
  return { id, createdAt, expires: createdAt + LIFETIME, data }
}

function getIp({ service, options }: HostRequest): string | undefined {
  try {
    return options.clientIp?.()
  } catch (thrown) {
    service.log.error('clientIp threw', { causes: getCauses(thrown) })
    return undefined
  }
}

function outboxError(option: string, problem: string): ConfigurationError {
  return new ConfigurationError(`outbox.${option}`, problem)
}

export { deliverEvents } from './deliver-events.ts'
export type { DeliverEventsOptions } from './deliver-events.ts'
export type { Deliver, Delivery, OutboxEvent } from './deliver.ts'
export type { DeliveryCounts, Outbox } from './event-outbox.ts'
export type { AccountPayload, OutboxEventName, OutboxPayloads, UserPayload } from './payloads.ts'
export { webhook } from './webhook.ts'
export type { WebhookOptions } from './webhook.ts'
