import type { Database } from '@auth/kysely-adapter'
import type { AccountRow, AuthjsAccounts } from '@latchkey/storage-authjs'
import type { Kysely } from 'kysely'

/** For SQLite. Elsewhere `unlink` first locks the user: `selectFrom('User')…forUpdate()`. */
export function createKyselyAccounts(db: Kysely<Database>): AuthjsAccounts {
  return {
    async list(userId) {
      const query = db.selectFrom('Account').selectAll().where('userId', '=', userId)
      return (await query.execute()) as unknown as AccountRow[]
    },
    async update({ provider, providerAccountId }, columns, expected) {
      let query = db
        .updateTable('Account')
        .set(columns as object)
        .where('provider', '=', provider)
        .where('providerAccountId', '=', providerAccountId)
      if (expected !== undefined) query = query.where('refresh_token', '=', expected)
      const { numUpdatedRows } = await query.executeTakeFirst()
      return numUpdatedRows === 1n
    },
    unlink: (userId, { provider, providerAccountId }) =>
      db.transaction().execute(async (trx) => {
        const accounts = await trx
          .selectFrom('Account')
          .select('provider')
          .where('userId', '=', userId)
          .execute()
        if (accounts.length < 2) return false
        const { numDeletedRows } = await trx
          .deleteFrom('Account')
          .where('userId', '=', userId)
          .where('provider', '=', provider)
          .where('providerAccountId', '=', providerAccountId)
          .executeTakeFirst()
        return numDeletedRows === 1n
      }),
  }
}
