import type { Database } from './database.ts'
import type { OnlineSyntax } from './dialects.ts'
import { sleep } from './sleep.ts'
import { raw, sql } from './sql.ts'

/** Seconds after which another process takes the lease of one that was killed. */
const LEASE = 30

/** The row of the lease, in the table of applied migrations. */
const NAME = '(lease)'

/** The lease of one process. */
export interface Lease {
  /**
   * Throws if another process has taken the lease, because this one did not renew it in time.
   *
   * @throws LeaseLostError
   */
  readonly check: () => void
}

/** Another process migrates now. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError'
}

/**
 * Runs work in one process at a time. A lock of the session would not do: PgBouncer gives each transaction
 * another session.
 *
 * @param seconds How long the lease lasts without being renewed
 */
export async function withLease<T>(
  database: Database,
  online: OnlineSyntax,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const holder = crypto.randomUUID()
  const until = raw(`${online.now} + ${LEASE}`)
  const { runUnlimited: run, syntax } = database
  const insert = sql`INSERT INTO #migrations (name, expires)
    VALUES (${NAME}, 0) ${raw(syntax.onConflictDoNothing)}`
  const take = sql`UPDATE #migrations SET holder = ${holder}, expires = ${until}
    WHERE name = ${NAME} AND expires <= ${raw(online.now)}`
  const renew = sql`UPDATE #migrations SET expires = ${until}
    WHERE name = ${NAME} AND holder = ${holder}`
  while ((await run(insert, take)).at(-1)?.affected !== 1) await sleep(200)
  let isLost = false
  const timer = setInterval(
    () => {
      // If the database cannot be reached, the next renewal may succeed.
      run(renew).then(([result]) => void (isLost ||= result?.affected !== 1), ignore)
    },
    (LEASE * 1000) / 3,
  )
  const check = (): void => {
    if (isLost) throw new LeaseLostError('another process has continued the migration')
  }
  try {
    return await work({ check })
  } finally {
    clearInterval(timer)
    await run(sql`DELETE FROM #migrations WHERE name = ${NAME} AND holder = ${holder}`).catch(
      ignore,
    )
  }
}

function ignore(): void {}
