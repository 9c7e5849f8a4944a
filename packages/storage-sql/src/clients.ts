import type { ClientChanges, Clients, StoredClient } from '@latchkey/core'
import { checkData } from '@latchkey/core/unstable'
import type { Database } from './database.ts'
import type { Row, Statement } from './driver.ts'
import { insertEvents } from './outbox.ts'
import { createVersion, requireText, toGiven, toNumber } from './rows.ts'
import { joinValues, raw, sql } from './sql.ts'
import { SWEPT, sweepOptional } from './sweeper.ts'

const table = { table: '#clients', key: ['id'] } as const

const COLUMNS = raw('id, version, created_at, expires, data')

/** Creates the methods for clients of the authorization server. */
export function createClientMethods(database: Database): Clients {
  const { catchUniqueViolation, lock, queryRows, run, runChange, syntax } = database
  const select = sql`SELECT ${COLUMNS} FROM #clients`
  return {
    async createClient(client, events) {
      checkData(client)
      const { id, createdAt, expires, data } = client
      const values = joinValues([id, createVersion(), createdAt, expires, data])
      const created = run(
        ...insertEvents(events),
        sql`INSERT INTO #clients (${COLUMNS}) VALUES (${values})`,
        syntax.deleteExpired({ ...table, now: createdAt, limit: SWEPT }),
      )
      return (await catchUniqueViolation(created)) !== undefined
    },
    async getClient(id, now) {
      const [row] = await queryRows(sql`${select} WHERE id = ${id} AND ${isLive(now)}`)
      return row && toClient(row)
    },
    async updateClient(id, expectedVersion, changes, events) {
      checkData(changes)
      const condition = sql`id = ${id} AND version = ${expectedVersion}`
      return runChange(
        ...insertEvents(events, sql`FROM #clients WHERE ${condition}${lock}`),
        sql`UPDATE #clients SET ${toClientAssignments(changes)} WHERE ${condition}`,
      )
    },
    async deleteClient(id, events) {
      await run(sql`DELETE FROM #clients WHERE id = ${id}`, ...insertEvents(events))
    },
    async listClients(limit, now, after = '') {
      const rows = await queryRows(
        sql`${select} WHERE id > ${after} AND ${isLive(now)} ORDER BY id ${raw(`LIMIT ${limit}`)}`,
      )
      return rows.map(toClient)
    },
  }
}

function isLive(now: number): Statement {
  return sql`(expires IS NULL OR expires > ${now})`
}

function toClientAssignments({ expires, data }: ClientChanges): Statement {
  return toGiven({ expires, data, version: createVersion() })
}

function toClient(row: Row): StoredClient {
  return {
    id: requireText(row['id'], 'id'),
    version: requireText(row['version'], 'version'),
    createdAt: Number(row['created_at']),
    expires: toNumber(row['expires']),
    data: requireText(row['data'], 'data'),
  }
}

/** Deletes expired clients, and returns their number. */
export function sweepClients(database: Database, now: number, limit: number): Promise<number> {
  return sweepOptional(database, { ...table, now, limit })
}
