import type { StoredEvent, TakenEvent } from '../ports/records.ts'
import type { Storage } from '../ports/storage.ts'

/** Stores the events of a step, with the ids of the sessions that `deleteAccountSessions` has deleted. */
export type StoreEvents = (
  events: readonly StoredEvent[] | undefined,
  sessionIds?: readonly string[],
) => void

interface MemoryOutbox extends Pick<
  Storage,
  'takeEvents' | 'postponeEvent' | 'deleteEvents' | 'purgeEvents'
> {
  readonly storeEvents: StoreEvents
}

interface KeptEvent extends TakenEvent {
  readonly due: number
}

/** Keeps the events of an outbox in this process. */
export function createMemoryOutbox(): MemoryOutbox {
  const kept = new Map<string, KeptEvent>()
  const list = (time: 'due' | 'expires', now: number): readonly KeptEvent[] =>
    [...kept.values()].filter((event) => event[time] <= now).toSorted(compareBy(time))
  return {
    storeEvents(events = [], sessionIds) {
      for (const event of events) {
        const taken = { ...event, attempts: 0, due: event.createdAt }
        kept.set(event.id, { ...taken, ...(sessionIds && { sessionIds }) })
      }
    },
    async takeEvents(limit, lease, now) {
      const due = list('due', now).filter(({ expires }) => expires > now)
      return due.slice(0, limit).map((event) => {
        const attempts = event.attempts + 1
        kept.set(event.id, { ...event, attempts, due: now + lease })
        const { due: _, ...taken } = event
        return { ...taken, attempts }
      })
    },
    async postponeEvent(id, attempts, due) {
      const event = kept.get(id)
      if (event?.attempts !== attempts) return false
      kept.set(id, { ...event, due })
      return true
    },
    async deleteEvents(ids) {
      for (const id of ids) kept.delete(id)
    },
    async purgeEvents(limit, now) {
      const expired = list('expires', now).slice(0, limit)
      for (const { id } of expired) kept.delete(id)
      return expired.map(({ id, createdAt, expires, data }) => ({ id, createdAt, expires, data }))
    },
  }
}

/** Within a second by their ids, which are in the order of time. */
function compareBy(time: 'due' | 'expires'): (a: KeptEvent, b: KeptEvent) => number {
  return (a, b) => a[time] - b[time] || (a.id < b.id ? -1 : 1)
}
