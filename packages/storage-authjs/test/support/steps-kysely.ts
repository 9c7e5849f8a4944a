import type { AuthjsSteps, StepRow } from '@latchkey/storage-authjs'
import type { Kysely } from 'kysely'

/** The table `Step`, whose key is `id`. */
export interface StepTables {
  readonly Step: StepRow
}

/** For databases with `RETURNING`. In MySQL a transaction selects the row `FOR UPDATE` and deletes it. */
export function createKyselySteps<Tables extends StepTables>(tables: Kysely<Tables>): AuthjsSteps {
  const db = tables as unknown as Kysely<StepTables>
  return {
    async create(step, now) {
      await db.deleteFrom('Step').where('expires', '<=', now).execute()
      await db.insertInto('Step').values(step).execute()
    },
    take: (id) => db.deleteFrom('Step').where('id', '=', id).returningAll().executeTakeFirst(),
  }
}
