import type { Statement } from './driver.ts'
import { raw, sql } from './sql.ts'

/** The parts of SQL in which the databases differ. */
export interface DialectSyntax {
  /** Returns the placeholder of the n-th value, counted from 1. */
  readonly placeholder: (n: number) => string
  /** Ends a SELECT whose rows must not change until the end of the batch. */
  readonly lock: string
  /** Stands between an INSERT and the assignments to make if the id exists already. */
  readonly onConflictUpdate: string
  /** Ends an INSERT that does nothing if the name exists already. */
  readonly onConflictDoNothing: string
  /** Whether INSERT has RETURNING; otherwise a SELECT follows. */
  readonly hasReturning: boolean
  /** Deletes the oldest expired rows. Rows that another transaction has locked are left out. */
  readonly deleteExpired: (expired: ExpiredRows) => Statement
  /** Updates the first rows of an order. Concurrent transactions update different rows. */
  readonly updateFirst: (update: FirstRows) => Statement
  /** A JSON list of the ids of all rows; null or an empty list if there are none. */
  readonly idList: string
  /** Quotes the name of a column. SQLite takes an unknown name in double quotes for a text. */
  readonly quote: '"' | '`'
  /** How the text of a column's default is written: `quoted`, or in hexadecimal as BLOB columns demand. */
  readonly textDefault: 'quoted' | 'hex'
  /** Adds a column to a table, in PostgreSQL only if it is missing. */
  readonly addColumn: string
  /** The first statement of a batch that creates tables; empty if it needs no lock. */
  readonly migrationLock: string
  /** How tables are migrated while they are used. Absent in a database that has one writer anyway. */
  readonly online?: OnlineSyntax
  /** The types of columns. */
  readonly types: {
    /** A text that has an index. */
    readonly key: string
    /** Any other text. */
    readonly text: string
    /** Follows such a text in an index. */
    readonly prefix: string
    readonly integer: string
    readonly real: string
    /** An ascending primary key. */
    readonly serial: string
  }
  /** Ends the definition of a table. */
  readonly tableSuffix: string
  /** Whether an index is part of its table's definition. */
  readonly hasInlineIndexes: boolean
}

/** Statements that migrate tables while they are used. */
export interface OnlineSyntax {
  /** The time of the server, in whole seconds since 1970. */
  readonly now: string
  /** Come before a statement in its batch: it fails if it waits for a lock, since others would wait behind it. */
  readonly limitLockWait: readonly string[]
  /** Selects `is_valid` and `is_building` of an index by its table and name; no row if it does not exist. */
  readonly selectIndex: (table: string, name: string) => Statement
  readonly createIndex: (index: Index) => string
  readonly dropIndex: (index: Index) => string
}

/** An index to create on an existing table. */
export interface Index {
  readonly name: string
  readonly table: string
  readonly columns: string
}

/** The rows of a table that expired until `now`: at most `limit`, the oldest. */
export interface ExpiredRows {
  readonly table: string
  /** The columns of the primary key. */
  readonly key: readonly string[]
  /** Seconds since 1970. */
  readonly now: number
  readonly limit: number
}

/** The rows to update: at most `limit` that match a condition, the first of an order. */
interface FirstRows {
  readonly table: string
  readonly assignments: Statement
  readonly condition: Statement
  readonly order: string
  readonly limit: number
}

// Separate constants, so that an application bundles only the one it uses.

/** SQLite, libSQL and D1. */
export const sqlite: DialectSyntax = {
  placeholder: () => '?',
  lock: '', // A writer locks the whole database.
  onConflictUpdate: 'ON CONFLICT (id) DO UPDATE SET',
  onConflictDoNothing: 'ON CONFLICT DO NOTHING',
  hasReturning: true,
  deleteExpired: (expired) => deleteByKey(expired, ''),
  updateFirst: (update) => updateById(update, ''),
  idList: 'json_group_array(id)',
  quote: '`',
  textDefault: 'quoted',
  addColumn: 'ADD COLUMN',
  migrationLock: '',
  types: {
    key: 'TEXT',
    text: 'TEXT',
    prefix: '',
    integer: 'INTEGER',
    real: 'REAL',
    serial: 'INTEGER',
  },
  tableSuffix: ' STRICT',
  hasInlineIndexes: false,
}

/** PostgreSQL. */
export const postgres: DialectSyntax = {
  placeholder: (n) => `$${n}`,
  lock: ' FOR UPDATE',
  onConflictUpdate: 'ON CONFLICT (id) DO UPDATE SET',
  onConflictDoNothing: 'ON CONFLICT DO NOTHING',
  hasReturning: true,
  deleteExpired: (expired) => deleteByKey(expired, ' FOR UPDATE SKIP LOCKED'),
  updateFirst: (update) => updateById(update, ' FOR UPDATE SKIP LOCKED'),
  idList: 'json_agg(id)::text',
  quote: '"',
  textDefault: 'quoted',
  addColumn: 'ADD COLUMN IF NOT EXISTS',
  // Two concurrent CREATE TABLE IF NOT EXISTS can fail. The number is an arbitrary lock id.
  migrationLock: 'SELECT pg_advisory_xact_lock(4856723091)',
  online: {
    now: 'CAST(EXTRACT(EPOCH FROM clock_timestamp()) AS BIGINT)',
    limitLockWait: ["SET LOCAL lock_timeout = '400ms'"],
    selectIndex: (_, name) => sql`SELECT CAST(i.indisvalid AS INT) AS is_valid,
        (SELECT COUNT(*) FROM pg_stat_progress_create_index p
          WHERE p.index_relid = i.indexrelid) AS is_building
      FROM pg_index i WHERE i.indexrelid = to_regclass(${name})`,
    createIndex: ({ name, table, columns }) =>
      `CREATE INDEX CONCURRENTLY IF NOT EXISTS ${name} ON ${table} (${columns})`,
    dropIndex: ({ name }) => `DROP INDEX CONCURRENTLY IF EXISTS ${name}`,
  },
  types: {
    key: 'TEXT',
    text: 'TEXT',
    prefix: '',
    integer: 'BIGINT',
    real: 'DOUBLE PRECISION',
    serial: 'BIGINT GENERATED ALWAYS AS IDENTITY',
  },
  tableSuffix: '',
  hasInlineIndexes: false,
}

/** MySQL and MariaDB. */
export const mysql: DialectSyntax = {
  placeholder: () => '?',
  lock: ' FOR UPDATE',
  onConflictUpdate: 'ON DUPLICATE KEY UPDATE',
  onConflictDoNothing: 'ON DUPLICATE KEY UPDATE name = name',
  hasReturning: false,
  deleteExpired: deleteByJoin,
  updateFirst: ({ table, assignments, condition, order, limit }) =>
    sql`UPDATE ${raw(table)} SET ${assignments} WHERE ${condition}
      ${raw(`ORDER BY ${order} LIMIT ${limit}`)}`,
  idList: 'JSON_ARRAYAGG(CONVERT(id USING utf8mb4))',
  quote: '`',
  textDefault: 'hex',
  addColumn: 'ADD COLUMN',
  migrationLock: '', // CREATE TABLE commits, and waits for a concurrent one.
  online: {
    now: 'UNIX_TIMESTAMP()',
    // The driver closes a connection whose session has changed.
    limitLockWait: [
      'SET SESSION lock_wait_timeout = 1',
      'SET SESSION innodb_lock_wait_timeout = 1',
    ],
    selectIndex: (table, name) => sql`SELECT 1 AS is_valid, 0 AS is_building
      FROM information_schema.statistics
      WHERE table_schema = DATABASE() AND table_name = ${table} AND index_name = ${name} LIMIT 1`,
    createIndex: ({ name, table, columns }) =>
      `ALTER TABLE ${table} ADD INDEX ${name} (${columns}), ALGORITHM=INPLACE, LOCK=NONE`,
    dropIndex: ({ name, table }) => `ALTER TABLE ${table} DROP INDEX ${name}`,
  },
  // MySQL and MariaDB have no collation in common that distinguishes case, accents and trailing
  // spaces, so texts are stored as bytes in UTF-8. 1020 bytes are 255 characters of four bytes, and
  // two such keys fit into one index of 3072 bytes.
  types: {
    key: 'VARBINARY(1020)',
    text: 'MEDIUMBLOB',
    prefix: '(254)',
    integer: 'BIGINT',
    real: 'DOUBLE',
    serial: 'BIGINT AUTO_INCREMENT',
  },
  tableSuffix: ' ENGINE=InnoDB',
  hasInlineIndexes: true,
}

function deleteByKey({ table, key, now, limit }: ExpiredRows, lock: string): Statement {
  const expired = sql`FROM ${raw(table)} WHERE expires <= ${now}`
  const columns = raw(key.join(', '))
  const oldest = sql`SELECT ${columns} ${expired} ${raw(`ORDER BY expires LIMIT ${limit}${lock}`)}`
  // The outer condition repeats the time, because a session may be renewed in between.
  return sql`DELETE ${expired} AND (${columns}) IN (${oldest})`
}

/**
 * A subquery of MySQL may have no LIMIT, except in FROM. STRAIGHT_JOIN reads the locked rows first,
 * whatever the optimizer expects of the table.
 *
 * The statement has no parameters, so that it is not prepared: MariaDB 10.11 waits for locked rows when it
 * executes this prepared statement again after a commit.
 */
function deleteByJoin({ table, key, now, limit }: ExpiredRows): Statement {
  const expired = `FROM ${table} WHERE expires <= ${Math.trunc(now)} ORDER BY expires LIMIT ${limit}`
  const isSame = key.map((column) => `swept.${column} = oldest.${column}`).join(' AND ')
  return raw(
    `DELETE swept FROM (SELECT ${key.join(', ')} ${expired} FOR UPDATE SKIP LOCKED) AS oldest ` +
      `STRAIGHT_JOIN ${table} AS swept ON ${isSame}`,
  )
}

/** In a WITH, because the rows of a subquery may be chosen again for each row. */
function updateById(
  { table, assignments, condition, order, limit }: FirstRows,
  lock: string,
): Statement {
  const end = raw(`ORDER BY ${order} LIMIT ${limit}${lock}`)
  return sql`WITH first AS (SELECT id FROM ${raw(table)} WHERE ${condition} ${end})
    UPDATE ${raw(table)} SET ${assignments} WHERE id IN (SELECT id FROM first)`
}
