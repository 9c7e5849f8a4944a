import type { Storage } from '@latchkey/core'
import type { Database } from './database.ts'
import type { Statement } from './driver.ts'
import { raw, sql } from './sql.ts'
import type { Sweeper } from './sweeper.ts'

type RevocationMethods = Pick<Storage, 'createRevocation' | 'getRevocation'>

/** Creates the methods for revocations. */
export function createRevocationMethods(database: Database, sweeper: Sweeper): RevocationMethods {
  const { queryRows, run, syntax } = database
  return {
    async createRevocation({ key, revokedAt, expires }) {
      const changes = sql`${keepLater('revoked_at', revokedAt)}, ${keepLater('expires', expires)}`
      await run(
        sql`INSERT INTO #revocations (id, revoked_at, expires)
          VALUES (${key}, ${revokedAt}, ${expires})
          ${raw(syntax.onConflictUpdate)} ${changes}`,
      )
      await sweeper.sweepSometimes(revokedAt)
    },
    async getRevocation(key, now) {
      const [row] = await queryRows(
        sql`SELECT revoked_at FROM #revocations WHERE id = ${key} AND expires > ${now}`,
      )
      return row && Number(row['revoked_at'])
    },
  }
}

/** Returns the assignment that replaces an earlier time. */
function keepLater(column: string, time: number): Statement {
  const stored = raw(`#revocations.${column}`)
  return sql`${raw(column)} = CASE WHEN ${stored} > ${time} THEN ${stored} ELSE ${time} END`
}
