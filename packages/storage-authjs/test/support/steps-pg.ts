import type { AuthjsSteps } from '@latchkey/storage-authjs'
import type { Pool } from 'pg'

/** For this table: `CREATE TABLE steps (id TEXT PRIMARY KEY, data TEXT NOT NULL, expires BIGINT NOT NULL)` */
export function createPgSteps(pool: Pool): AuthjsSteps {
  return {
    async create({ id, data, expires }, now) {
      await pool.query('DELETE FROM steps WHERE expires <= $1', [now])
      const text = 'INSERT INTO steps (id, data, expires) VALUES ($1, $2, $3)'
      await pool.query(text, [id, data, expires])
    },
    async take(id) {
      return (await pool.query('DELETE FROM steps WHERE id = $1 RETURNING *', [id])).rows[0]
    },
  }
}
