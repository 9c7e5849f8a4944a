/** One note of one user. */
export interface Note {
  readonly id: number
  readonly text: string
  /** Seconds since 1970. */
  readonly createdAt: number
}

/** The notes of all users. Every method reads or changes the notes of one user. */
export interface Notes {
  /** Resolves to the newest 100 notes, newest first. */
  list(userId: string): Promise<readonly Note[]>
  add(userId: string, text: string): Promise<void>
  /** Removes a note of this user. Idempotent. */
  remove(userId: string, id: number): Promise<void>
}

/** Runs one SQLite statement. Resolves to its rows. */
export type Query = (
  sql: string,
  ...params: readonly (string | number)[]
) => Promise<readonly object[]>

/** Creates the notes from a database with the table of `migrations/0002_notes.sql`. */
export function createNotes(query: Query): Notes {
  return {
    async list(userId) {
      const columns = 'id, text, created_at AS createdAt'
      const sql = `SELECT ${columns} FROM notes WHERE user_id = ? ORDER BY id DESC LIMIT 100`
      return (await query(sql, userId)) as readonly Note[]
    },
    async add(userId, text) {
      const sql = 'INSERT INTO notes (user_id, text, created_at) VALUES (?, ?, ?)'
      await query(sql, userId, text, Math.floor(Date.now() / 1000))
    },
    async remove(userId, id) {
      await query('DELETE FROM notes WHERE id = ? AND user_id = ?', id, userId)
    },
  }
}
