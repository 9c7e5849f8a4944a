import type { AuthjsAccounts } from '@latchkey/storage-authjs'
import { and, eq } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { bigint, pgTable, text } from 'drizzle-orm/pg-core'

const users = pgTable('user', { id: text().primaryKey() })
const accounts = pgTable('account', {
  userId: text().notNull(),
  type: text().notNull(),
  provider: text().notNull(),
  providerAccountId: text().notNull(),
  refresh_token: text(),
  access_token: text(),
  expires_at: bigint({ mode: 'number' }),
  token_type: text(),
  scope: text(),
  id_token: text(),
})

/** For PostgreSQL. The tables have no column to order accounts by. */
export function createDrizzleAccounts(db: NodePgDatabase): AuthjsAccounts {
  return {
    list: (userId) => db.select().from(accounts).where(eq(accounts.userId, userId)),
    async update({ provider, providerAccountId }, columns, expected) {
      const { rowCount } = await db
        .update(accounts)
        .set(columns)
        .where(
          and(
            eq(accounts.provider, provider),
            eq(accounts.providerAccountId, providerAccountId),
            expected === undefined ? undefined : eq(accounts.refresh_token, expected),
          ),
        )
      return rowCount === 1
    },
    unlink: (userId, { provider, providerAccountId }) =>
      db.transaction(async (tx) => {
        await tx.select().from(users).where(eq(users.id, userId)).for('update')
        const owned = eq(accounts.userId, userId)
        if ((await tx.$count(accounts, owned)) < 2) return false
        const one = and(
          owned,
          eq(accounts.provider, provider),
          eq(accounts.providerAccountId, providerAccountId),
        )
        return (await tx.delete(accounts).where(one)).rowCount === 1
      }),
  }
}
