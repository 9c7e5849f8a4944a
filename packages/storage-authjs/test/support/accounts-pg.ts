import type { AuthjsAccounts } from '@latchkey/storage-authjs'
import type { Pool } from 'pg'

/** For the tables of `@auth/pg-adapter`. */
export function createPgAccounts(pool: Pool): AuthjsAccounts {
  return {
    async list(userId) {
      const text = 'SELECT * FROM accounts WHERE "userId" = $1 ORDER BY id'
      return (await pool.query(text, [userId])).rows
    },
    async update({ provider, providerAccountId }, columns, expected) {
      const names = Object.keys(columns)
      const text = `UPDATE accounts SET ${names.map((name, i) => `${name} = $${i + 4}`).join(', ')}
        WHERE provider = $1 AND "providerAccountId" = $2 AND ($3::text IS NULL OR refresh_token = $3)`
      const values = [provider, providerAccountId, expected ?? null, ...Object.values(columns)]
      return (await pool.query(text, values)).rowCount === 1
    },
    async unlink(userId, { provider, providerAccountId }) {
      const client = await pool.connect()
      try {
        await client.query('BEGIN')
        await client.query('SELECT id FROM users WHERE id = $1 FOR UPDATE', [userId])
        const text = `DELETE FROM accounts
          WHERE "userId" = $1 AND provider = $2 AND "providerAccountId" = $3
          AND (SELECT count(*) FROM accounts WHERE "userId" = $1) > 1`
        const { rowCount } = await client.query(text, [userId, provider, providerAccountId])
        await client.query('COMMIT')
        return rowCount === 1
      } catch (error) {
        await client.query('ROLLBACK')
        throw error
      } finally {
        client.release()
      }
    },
  }
}
