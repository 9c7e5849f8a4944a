import type { Storage } from '@latchkey/core'
import type { Database } from './database.ts'
import { raw, sql } from './sql.ts'
import type { Sweeper } from './sweeper.ts'

type TokenMethods = Pick<Storage, 'createVerificationToken' | 'useVerificationToken' | 'increment'>

/** Creates the methods for verification tokens and counters. */
export function createTokenMethods(database: Database, sweeper: Sweeper): TokenMethods {
  const { lock, run, syntax } = database
  return {
    async createVerificationToken({ identifier, token, expires }) {
      await run(
        sql`INSERT INTO #verification_tokens (identifier, token, expires)
          VALUES (${identifier}, ${token}, ${expires})`,
      )
    },
    async useVerificationToken(identifier, token, now) {
      const source = sql`FROM #verification_tokens
        WHERE identifier = ${identifier} AND token = ${token}`
      const [found, deleted] = await run(
        sql`SELECT expires ${source}${lock}`,
        sql`DELETE ${source}`,
      )
      const expires = Number(found?.rows[0]?.['expires'])
      return deleted?.affected === 1 && expires > now ? { identifier, token, expires } : undefined
    },
    async increment(key, window, now, by = 1) {
      const resetsAt = now + window
      // What was counted in an earlier window is not taken back.
      const back = by < 0 ? sql` WHEN #counters.expires > ${resetsAt} THEN #counters.hits` : raw('')
      const write = sql`INSERT INTO #counters (id, hits, expires) VALUES (${key}, 1, ${resetsAt})
        ${raw(syntax.onConflictUpdate)}
        hits = CASE${back} WHEN #counters.expires > ${now} THEN #counters.hits + ${by} ELSE 1 END,
        expires = CASE WHEN #counters.expires > ${now} THEN #counters.expires ELSE ${resetsAt} END`
      // The write locks the row until the end of the batch, so the SELECT reads what was written.
      const results = syntax.hasReturning
        ? await run(sql`${write} RETURNING hits, expires`)
        : await run(write, sql`SELECT hits, expires FROM #counters WHERE id = ${key}`)
      const { hits, expires } = results.at(-1)?.rows[0] ?? {}
      await sweeper.sweepSometimes(now)
      return { count: Number(hits), resetsAt: Number(expires) }
    },
  }
}
