import type { AuthjsFactors } from '@latchkey/storage-authjs'
import type { Pool, PoolClient } from 'pg'

/**
 * For the tables of `@auth/pg-adapter`, and this one. Its `userId` has the type of `users.id`.
 *
 *   CREATE TABLE factors (type TEXT NOT NULL, id TEXT NOT NULL,
 *     "userId" TEXT NOT NULL REFERENCES users (id) ON DELETE CASCADE, name TEXT, data TEXT NOT NULL,
 *     version TEXT NOT NULL, "changedAt" BIGINT NOT NULL, "createdAt" BIGINT NOT NULL,
 *     "lastUsedAt" BIGINT, PRIMARY KEY (type, id));
 *   CREATE INDEX factors_user ON factors ("userId");
 */
export function createPgFactors(pool: Pool): AuthjsFactors {
  const hasOtherWay = `(SELECT count(*) FROM accounts WHERE "userId" = $1) +
    (SELECT count(*) FROM factors WHERE "userId" = $1 AND type = ANY($4)) > 1`
  return {
    async create({ userId, type, id, name, data, version, changedAt, createdAt, lastUsedAt }) {
      const text = `INSERT INTO factors ("userId", type, id, name, data, version, "changedAt",
          "createdAt", "lastUsedAt")
        SELECT id, $2, $3, $4, $5, $6, $7, $8, $9 FROM users WHERE id = $1 FOR UPDATE
        ON CONFLICT DO NOTHING`
      const texts = [userId, type, id, name, data, version]
      return (await pool.query(text, [...texts, changedAt, createdAt, lastUsedAt])).rowCount === 1
    },
    async find({ type, id }) {
      const text = 'SELECT * FROM factors WHERE type = $1 AND id = $2'
      return (await pool.query(text, [type, id])).rows[0]
    },
    async list(userId) {
      return (await pool.query('SELECT * FROM factors WHERE "userId" = $1', [userId])).rows
    },
    async update({ type, id }, expectedVersion, columns) {
      const names = Object.keys(columns)
      const text = `UPDATE factors SET ${names.map((name, i) => `"${name}" = $${i + 4}`).join(', ')}
        WHERE type = $1 AND id = $2 AND version = $3`
      const values = [type, id, expectedVersion, ...Object.values(columns)]
      return (await pool.query(text, values)).rowCount === 1
    },
    delete: (userId, { type, id }, signsInBy) =>
      withUser(pool, userId, async (client) => {
        const text = `DELETE FROM factors WHERE "userId" = $1 AND type = $2 AND id = $3
          AND (type <> ALL($4) OR ${hasOtherWay})`
        return (await client.query(text, [userId, type, id, signsInBy])).rowCount === 1
      }),
    deleteAll: (userId) => pool.query('DELETE FROM factors WHERE "userId" = $1', [userId]),
    unlink: (userId, { provider, providerAccountId }, signsInBy) =>
      withUser(pool, userId, async (client) => {
        const text = `DELETE FROM accounts
          WHERE "userId" = $1 AND provider = $2 AND "providerAccountId" = $3 AND ${hasOtherWay}`
        const values = [userId, provider, providerAccountId, signsInBy]
        return (await client.query(text, values)).rowCount === 1
      }),
  }
}

/** Runs statements in a transaction that locks the user's row. */
async function withUser<T>(
  pool: Pool,
  userId: string,
  run: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    await client.query('SELECT id FROM users WHERE id = $1 FOR UPDATE', [userId])
    const result = await run(client)
    await client.query('COMMIT')
    return result
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  } finally {
    client.release()
  }
}
