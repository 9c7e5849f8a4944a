import type { Storage, StoredEvent, TakenEvent } from '@latchkey/core'
import type { Database } from './database.ts'
import type { Row, Statement } from './driver.ts'
import { requireText } from './rows.ts'
import { joinValues, raw, sql } from './sql.ts'

type OutboxMethods = Pick<Storage, 'takeEvents' | 'postponeEvent' | 'deleteEvents' | 'purgeEvents'>

const COLUMNS = raw('id, created_at, due, expires, attempts, data')

/** Creates the methods for the events of an outbox. */
export function createOutboxMethods(database: Database): OutboxMethods {
  const { run, runChange, syntax } = database
  const select = sql`SELECT ${COLUMNS}, session_ids FROM #events`
  return {
    async takeEvents(limit, lease, now) {
      const due = now + lease
      const id = crypto.randomUUID()
      const assignments = sql`due = ${due}, attempts = attempts + 1, lease = ${id}`
      const condition = sql`due <= ${now} AND expires > ${now}`
      const results = await run(
        syntax.updateFirst({ table: '#events', assignments, condition, order: 'due, id', limit }),
        // By `due` too, which has an index.
        sql`${select} WHERE due = ${due} AND lease = ${id} ORDER BY id`,
      )
      return results.at(-1)?.rows.map(toTaken) ?? []
    },
    postponeEvent: (id, attempts, due) =>
      runChange(sql`UPDATE #events SET due = ${due} WHERE id = ${id} AND attempts = ${attempts}`),
    async deleteEvents(ids) {
      if (ids.length > 0) await run(sql`DELETE FROM #events WHERE id IN (${joinValues(ids)})`)
    },
    async purgeEvents(limit, now) {
      const id = crypto.randomUUID()
      const assignments = sql`lease = ${id}`
      const expired = sql`expires <= ${now}`
      const order = 'expires, id'
      const claimed = sql`${expired} AND lease = ${id}`
      const [, found] = await run(
        syntax.updateFirst({ table: '#events', assignments, condition: expired, order, limit }),
        sql`${select} WHERE ${claimed} ORDER BY ${raw(order)}`,
        sql`DELETE FROM #events WHERE ${claimed}`,
      )
      return found?.rows.map(toEvent) ?? []
    },
  }
}

/**
 * Returns the statements that insert the events of a step.
 *
 * @param from The FROM and WHERE that return one row if the step changes something. Default: always
 */
export function insertEvents(
  events: readonly StoredEvent[] | undefined,
  from: Statement = raw(''),
): Statement[] {
  return (events ?? []).map(
    (event) => sql`INSERT INTO #events (${COLUMNS}) SELECT ${toValues(event)} ${from}`,
  )
}

/** Returns the statements that insert events with the ids of the sessions that match a condition. */
export function insertSessionEvents(
  { syntax }: Database,
  events: readonly StoredEvent[] | undefined,
  matching: Statement,
): Statement[] {
  return (events ?? []).map(
    (event) => sql`INSERT INTO #events (${COLUMNS}, session_ids)
      SELECT ${toValues(event)}, COALESCE(${raw(syntax.idList)}, '[]')
      FROM #sessions WHERE ${matching}`,
  )
}

/** Returns the values of a new event in the order of {@link COLUMNS}: it is due immediately. */
function toValues({ id, createdAt, expires, data }: StoredEvent): Statement {
  return joinValues([id, createdAt, createdAt, expires, 0, data])
}

function toEvent({ id, created_at: createdAt, expires, data }: Row): StoredEvent {
  return {
    id: requireText(id, 'id'),
    createdAt: Number(createdAt),
    expires: Number(expires),
    data: requireText(data, 'data'),
  }
}

function toTaken(row: Row): TakenEvent {
  const { attempts, session_ids: ids } = row
  const sessionIds = typeof ids === 'string' ? parseIds(ids) : undefined
  return { ...toEvent(row), attempts: Number(attempts), ...(sessionIds && { sessionIds }) }
}

function parseIds(text: string): readonly string[] {
  const ids: unknown = JSON.parse(text)
  return Array.isArray(ids) ? ids.map(String) : []
}
