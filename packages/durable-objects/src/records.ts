/** The members of a Durable Object's `SqlStorage` that are used here. */
export interface ObjectSql {
  exec(
    query: string,
    ...bindings: (string | number)[]
  ): {
    toArray(): Record<string, unknown>[]
  }
}

/** Times are seconds since 1970. */
interface RecordRow<T> {
  readonly key: string
  readonly value: T
  readonly expires: number
}

/** The records of one object. A value is anything that JSON can express. */
export interface Records {
  get<T>(kind: string, key: string): RecordRow<T> | undefined
  list<T>(kind: string): readonly RecordRow<T>[]
  put(kind: string, key: string, value: object, expires: number): void
  delete(kind: string, key: string): void
  /** Deletes the records that expired before `now`, and returns when the next one does. */
  sweep(now: number): number | undefined
}

/** One table for all kinds of records, so that a later version needs no migration. */
const SCHEMA = `
CREATE TABLE IF NOT EXISTS records (
  kind TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  expires INTEGER NOT NULL,
  PRIMARY KEY (kind, key)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS records_expires ON records (expires);`

/** Creates the {@link Records} in an object's storage. */
export function createRecords(sql: ObjectSql): Records {
  const read: ObjectSql['exec'] = (query, ...bindings) =>
    hasTable(sql) ? sql.exec(query, ...bindings) : { toArray: () => [] }
  const write: ObjectSql['exec'] = (query, ...bindings) => {
    sql.exec(SCHEMA)
    return sql.exec(query, ...bindings)
  }
  return {
    get<T>(kind: string, key: string) {
      const query = 'SELECT key, value, expires FROM records WHERE kind = ? AND key = ?'
      const [row] = read(query, kind, toText(key)).toArray()
      return row && toRecord<T>(row)
    },
    list: <T>(kind: string) =>
      read('SELECT key, value, expires FROM records WHERE kind = ?', kind)
        .toArray()
        .map((row) => toRecord<T>(row)),
    put(kind, key, value, expires) {
      // An upsert leaves the index as it is if `expires` stays: Cloudflare counts every row that is written.
      const insert = 'INSERT INTO records (kind, key, value, expires) VALUES (?, ?, ?, ?)'
      const update = 'DO UPDATE SET value = excluded.value, expires = excluded.expires'
      const query = `${insert} ON CONFLICT (kind, key) ${update}`
      write(query, kind, toText(key), JSON.stringify(value), expires)
    },
    delete(kind, key) {
      read('DELETE FROM records WHERE kind = ? AND key = ?', kind, toText(key))
    },
    sweep(now) {
      read('DELETE FROM records WHERE expires < ?', now)
      const [row] = read('SELECT min(expires) AS next FROM records').toArray()
      return typeof row?.['next'] === 'number' ? row['next'] : undefined
    },
  }
}

/**
 * Returns whether anything was stored. A read creates no table: an object that is only asked, such as for a
 * session that does not exist, leaves nothing behind.
 */
function hasTable(sql: ObjectSql): boolean {
  return sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'records'").toArray().length > 0
}

/** Encodes a key, so that NUL and lone surrogates, which SQLite does not keep, stay apart. */
function toText(key: string): string {
  return JSON.stringify(key)
}

function toRecord<T>({ key, value, expires }: Record<string, unknown>): RecordRow<T> {
  return {
    key: JSON.parse(String(key)),
    value: JSON.parse(String(value)),
    expires: Number(expires),
  }
}
