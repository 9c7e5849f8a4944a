import type { Storage } from '@latchkey/core'
import type { Database } from './database.ts'
import { raw, sql } from './sql.ts'
import type { Sweeper } from './sweeper.ts'

type Verbs = 'createVerificationToken' | 'useVerificationToken' | 'increment'

/** The verbs about what is there for a while and belongs to no user: single-use tokens, and counts. */
export function createTokens(database: Database, sweeper: Sweeper): Pick<Storage, Verbs> {
  const { dialect, lock, run } = database
  return {
    async createVerificationToken({ identifier, token, expires }) {
      await run(
        sql`INSERT INTO #verification_tokens (identifier, token, expires) VALUES (${identifier}, ${token}, ${expires})`,
      )
    },
    async useVerificationToken(identifier, token, now) {
      const it = sql`FROM #verification_tokens WHERE identifier = ${identifier} AND token = ${token}`
      const [found, removed] = await run(sql`SELECT expires ${it}${lock}`, sql`DELETE ${it}`)
      const expires = Number(found?.rows[0]?.['expires'])
      return removed?.affected === 1 && expires > now ? { identifier, token, expires } : undefined
    },
    async increment(key, window, now) {
      const resetsAt = now + window
      const write = sql`INSERT INTO #counters (id, hits, expires) VALUES (${key}, 1, ${resetsAt}) ${raw(dialect.onConflict)} hits = CASE WHEN #counters.expires > ${now} THEN #counters.hits + 1 ELSE 1 END, expires = CASE WHEN #counters.expires > ${now} THEN #counters.expires ELSE ${resetsAt} END`
      // Whoever has written holds the row until the batch ends, so what is read is what was written.
      const results = dialect.returning
        ? await run(sql`${write} RETURNING hits, expires`)
        : await run(write, sql`SELECT hits, expires FROM #counters WHERE id = ${key}`)
      const { hits, expires } = results.at(-1)?.rows[0] ?? {}
      await sweeper.sweepSometimes(now)
      return { count: Number(hits), resetsAt: Number(expires) }
    },
  }
}
