import type { Database } from '@auth/kysely-adapter'
import type { AuthjsFactors, FactorRow } from '@latchkey/storage-authjs'
import type { Kysely, Transaction } from 'kysely'

/** The tables of `@auth/kysely-adapter`, and `Factor`, whose key is `(type, id)`. */
export interface FactorTables extends Database {
  Factor: FactorRow & { readonly userId: string }
}

/** For SQLite. Elsewhere each transaction first locks the user: `selectFrom('User')…forUpdate()`. */
export function createKyselyFactors(db: Kysely<FactorTables>): AuthjsFactors {
  return {
    create: (factor) =>
      db.transaction().execute(async (trx) => {
        const user = trx.selectFrom('User').select('id').where('id', '=', factor.userId)
        if (!(await user.executeTakeFirst())) return false
        const insert = trx.insertInto('Factor').values(factor)
        const { numInsertedOrUpdatedRows } = await insert
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst()
        return numInsertedOrUpdatedRows === 1n
      }),
    find: ({ type, id }) =>
      db
        .selectFrom('Factor')
        .selectAll()
        .where('type', '=', type)
        .where('id', '=', id)
        .executeTakeFirst(),
    list: (userId) => db.selectFrom('Factor').selectAll().where('userId', '=', userId).execute(),
    async update({ type, id }, expectedVersion, columns) {
      const { numUpdatedRows } = await db
        .updateTable('Factor')
        .set(columns)
        .where('type', '=', type)
        .where('id', '=', id)
        .where('version', '=', expectedVersion)
        .executeTakeFirst()
      return numUpdatedRows === 1n
    },
    delete: (userId, { type, id }, signsInBy) =>
      db.transaction().execute(async (trx) => {
        const isWay = signsInBy.includes(type)
        if (isWay && (await countWays(trx, userId, signsInBy)) < 2) return false
        const { numDeletedRows } = await trx
          .deleteFrom('Factor')
          .where('userId', '=', userId)
          .where('type', '=', type)
          .where('id', '=', id)
          .executeTakeFirst()
        return numDeletedRows === 1n
      }),
    deleteAll: (userId) => db.deleteFrom('Factor').where('userId', '=', userId).execute(),
    unlink: (userId, { provider, providerAccountId }, signsInBy) =>
      db.transaction().execute(async (trx) => {
        if ((await countWays(trx, userId, signsInBy)) < 2) return false
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

async function countWays(
  trx: Transaction<FactorTables>,
  userId: string,
  signsInBy: readonly string[],
): Promise<number> {
  const accounts = trx.selectFrom('Account').select('provider').where('userId', '=', userId)
  const factors = trx.selectFrom('Factor').select('type').where('userId', '=', userId)
  const types = (await factors.execute()).filter(({ type }) => signsInBy.includes(type))
  return (await accounts.execute()).length + types.length
}
