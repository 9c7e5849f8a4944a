/** Where a database differs in what it is told. */
export interface DialectRow {
  /** Stands for the n-th value, counted from 1. */
  readonly placeholder: (n: number) => string
  /** Ends a SELECT whose rows must stay as they are until the end of the batch. */
  readonly lock: string
  /** Between an INSERT and what to set where the id is there already. */
  readonly onConflict: string
  /** Ends an INSERT that is to do nothing where the name is there already. */
  readonly orNothing: string
  /** Whether INSERT gives columns back; else a SELECT must follow. */
  readonly returning: boolean
  /** Whether DELETE takes ORDER BY and LIMIT. */
  readonly deletesWithLimit: boolean
  /** Runs first in a migration. */
  readonly migrationLock: string
  /** The type of a text that is searched for. */
  readonly key: string
  /** The type of any other text. */
  readonly text: string
  readonly integer: string
  /** The type of a key that counts up. */
  readonly serial: string
  /** Ends the definition of a table. */
  readonly table: string
  /** Whether an index is part of its table's definition. */
  readonly indexesInTables: boolean
}

// One constant each, and no table of them here: who uses one database bundles one.

export const sqlite: DialectRow = {
  placeholder: () => '?',
  lock: '', // The whole database is locked by whoever writes.
  onConflict: 'ON CONFLICT (id) DO UPDATE SET',
  orNothing: 'ON CONFLICT DO NOTHING',
  returning: true,
  deletesWithLimit: false,
  migrationLock: '',
  key: 'TEXT',
  text: 'TEXT',
  integer: 'INTEGER',
  serial: 'INTEGER',
  table: ' STRICT',
  indexesInTables: false,
}

export const postgres: DialectRow = {
  placeholder: (n) => `$${n}`,
  lock: ' FOR UPDATE',
  onConflict: 'ON CONFLICT (id) DO UPDATE SET',
  orNothing: 'ON CONFLICT DO NOTHING',
  returning: true,
  deletesWithLimit: false,
  // Two CREATE TABLE IF NOT EXISTS at once can fail. The number is ours alone, and means nothing.
  migrationLock: 'SELECT pg_advisory_xact_lock(4856723091)',
  key: 'TEXT',
  text: 'TEXT',
  integer: 'BIGINT',
  serial: 'BIGINT GENERATED ALWAYS AS IDENTITY',
  table: '',
  indexesInTables: false,
}

/** MySQL and MariaDB. */
export const mysql: DialectRow = {
  placeholder: () => '?',
  lock: ' FOR UPDATE',
  onConflict: 'ON DUPLICATE KEY UPDATE',
  orNothing: 'ON DUPLICATE KEY UPDATE name = name',
  returning: false,
  deletesWithLimit: true,
  migrationLock: '', // CREATE TABLE commits, and waits for another's by itself.
  // Texts are kept as bytes in UTF-8. MySQL and MariaDB share no collation that tells apart what
  // differs in case, accents or trailing spaces; bytes need none. 1020 are 255 characters of four,
  // and two such keys still fit into one index of 3072.
  key: 'VARBINARY(1020)',
  text: 'MEDIUMBLOB',
  integer: 'BIGINT',
  serial: 'BIGINT AUTO_INCREMENT',
  table: ' ENGINE=InnoDB',
  indexesInTables: true,
}
