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
  /** Whether DELETE has ORDER BY and LIMIT. */
  readonly hasDeleteLimit: boolean
  /** Quotes the name of a column. SQLite takes an unknown name in double quotes for a text. */
  readonly quote: '"' | '`'
  /** How the text of a column's default is written: `quoted`, or in hexadecimal as BLOB columns demand. */
  readonly textDefault: 'quoted' | 'hex'
  /** Adds a column to a table, in PostgreSQL only if it is missing. */
  readonly addColumn: string
  /** The first statement of a migration; empty if it needs no lock. */
  readonly migrationLock: string
  /** The types of columns. */
  readonly types: {
    /** A text that has an index. */
    readonly key: string
    /** Any other text. */
    readonly text: string
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

// Separate constants, so that an application bundles only the one it uses.

/** SQLite, libSQL and D1. */
export const sqlite: DialectSyntax = {
  placeholder: () => '?',
  lock: '', // A writer locks the whole database.
  onConflictUpdate: 'ON CONFLICT (id) DO UPDATE SET',
  onConflictDoNothing: 'ON CONFLICT DO NOTHING',
  hasReturning: true,
  hasDeleteLimit: false,
  quote: '`',
  textDefault: 'quoted',
  addColumn: 'ADD COLUMN',
  migrationLock: '',
  types: { key: 'TEXT', text: 'TEXT', integer: 'INTEGER', real: 'REAL', serial: 'INTEGER' },
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
  hasDeleteLimit: false,
  quote: '"',
  textDefault: 'quoted',
  addColumn: 'ADD COLUMN IF NOT EXISTS',
  // Two concurrent CREATE TABLE IF NOT EXISTS can fail. The number is an arbitrary lock id.
  migrationLock: 'SELECT pg_advisory_xact_lock(4856723091)',
  types: {
    key: 'TEXT',
    text: 'TEXT',
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
  hasDeleteLimit: true,
  quote: '`',
  textDefault: 'hex',
  addColumn: 'ADD COLUMN',
  migrationLock: '', // CREATE TABLE commits, and waits for a concurrent one.
  // MySQL and MariaDB have no collation in common that distinguishes case, accents and trailing
  // spaces, so texts are stored as bytes in UTF-8. 1020 bytes are 255 characters of four bytes, and
  // two such keys fit into one index of 3072 bytes.
  types: {
    key: 'VARBINARY(1020)',
    text: 'MEDIUMBLOB',
    integer: 'BIGINT',
    real: 'DOUBLE',
    serial: 'BIGINT AUTO_INCREMENT',
  },
  tableSuffix: ' ENGINE=InnoDB',
  hasInlineIndexes: true,
}
