import type { Storage, StoredEvent, TakenEvent } from '@latchkey/core'
import type { RunScript } from './run-script.ts'
import * as scripts from './outbox-scripts.ts'
import { isOne, toArray, toFields, toJson, toRecord } from './records.ts'
import { getTtl } from './ttl.ts'

type OutboxMethods = Pick<Storage, 'takeEvents' | 'postponeEvent' | 'deleteEvents' | 'purgeEvents'>

const SETS = ['events', 'event-expiries']

/** Seconds that Redis keeps an expired event: until then an outbox deletes and logs it. */
const KEPT_EXPIRED = 86_400

/** Creates the methods for the events of an outbox. */
export function createOutboxMethods(run: RunScript): OutboxMethods {
  return {
    async takeEvents(limit, lease, now) {
      const args = [limit, now, now + lease].map(String)
      return toArray(await run(scripts.takeEvents, SETS, args)).flatMap(toTaken)
    },
    async postponeEvent(id, attempts, due) {
      const key = toJson(id)
      const args = [key, `${attempts}`, `${due}`]
      return isOne(await run(scripts.postponeEvent, [`event:${key}`, ...SETS], args))
    },
    async deleteEvents(ids) {
      const keys = ids.map((id) => `event:${toJson(id)}`)
      if (ids.length > 0) await run(scripts.deleteEvents, [...keys, ...SETS], ids.map(toJson))
    },
    async purgeEvents(limit, now) {
      const replies = toArray(await run(scripts.purgeEvents, SETS, [`${limit}`, `${now}`]))
      const events = replies.flatMap(toTaken)
      return events.map(({ id, createdAt, expires, data }) => ({ id, createdAt, expires, data }))
    },
  }
}

/** A script with its keys and arguments. */
export interface Step {
  readonly script: string
  readonly keys: readonly string[]
  readonly args: readonly string[]
}

/** Runs the script of a step, which also stores events. */
export function runStep(
  run: RunScript,
  { script, keys, args }: Step,
  events: readonly StoredEvent[] = [],
  addEvents: (script: string) => string = scripts.withEvents,
): Promise<unknown> {
  if (events.length === 0) return run(script, keys, args)
  const keysOfEvents = events.map(({ id }) => `event:${toJson(id)}`)
  const allKeys = [...keys, ...keysOfEvents, ...SETS]
  return run(addEvents(script), allKeys, [...args, toJson(events.map(toEntry))])
}

function toEntry(event: StoredEvent): readonly unknown[] {
  const { id, createdAt, expires } = event
  const fields = toFields({ ...event, attempts: 0 })
  return [toJson(id), fields, createdAt, expires, getTtl(expires + KEPT_EXPIRED)]
}

function toTaken(reply: unknown): readonly TakenEvent[] {
  const record = toRecord(reply)
  if (!record) return []
  const { id, createdAt, expires, data, attempts, sessionIds: ids } = record
  const sessionIds = ids === undefined ? undefined : toArray(ids).map(String)
  const times = { createdAt: Number(createdAt), expires: Number(expires) }
  const event = { id: String(id), ...times, data: String(data), attempts: Number(attempts) }
  return [{ ...event, ...(sessionIds && { sessionIds }) }]
}
