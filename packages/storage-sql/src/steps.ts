import type { Steps } from '@latchkey/core'
import type { Database } from './database.ts'
import { requireText } from './rows.ts'
import type { NamedTables } from './schema.ts'
import { sql } from './sql.ts'
import { SWEPT, sweepOptional } from './sweeper.ts'
import { checkStep } from '@latchkey/core/unstable'

/** The table of what unfinished sign-ins need to complete. */
export const stepTables: NamedTables = [
  '0006_steps',
  [
    [
      '#steps',
      'id {key} PRIMARY KEY,\n  data {text} NOT NULL,\n  expires {integer} NOT NULL',
      'expires',
    ],
  ],
]

const table = { table: '#steps', key: ['id'] } as const

/** Creates the methods for what unfinished sign-ins need to complete. */
export function createStepMethods({ lock, run, syntax }: Database): Steps {
  return {
    async createStep(step, now) {
      checkStep(step)
      const { id, data, expires } = step
      await run(
        sql`INSERT INTO #steps (id, data, expires) VALUES (${id}, ${data}, ${expires})`,
        syntax.deleteExpired({ ...table, now, limit: SWEPT }),
      )
    },
    async takeStep(id, now) {
      const source = sql`FROM #steps WHERE id = ${id}`
      const [found, deleted] = await run(
        sql`SELECT data, expires ${source}${lock}`,
        sql`DELETE ${source}`,
      )
      const row = found?.rows[0]
      if (deleted?.affected !== 1 || !(Number(row?.['expires']) > now)) return undefined
      return requireText(row?.['data'], 'data')
    },
  }
}

/** Deletes expired steps, and returns their number. */
export function sweepSteps(database: Database, now: number, limit: number): Promise<number> {
  return sweepOptional(database, { ...table, now, limit })
}
