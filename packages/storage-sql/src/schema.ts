import type { DialectSyntax } from './dialects.ts'

/** One step of the schema: the content of the file `schema/<dialect>/<name>.sql`. */
export interface Migration {
  readonly name: string
  /**
   * SQL with `#` for the prefix. Each statement is idempotent, because MySQL and MariaDB cannot roll
   * back a migration that fails in the middle.
   */
  readonly statements: readonly string[]
}

/** A table to create. */
interface Table {
  readonly name: string
  /** Columns and constraints. `{key}`, `{text}`, `{integer}` and `{serial}` are the dialect's types. */
  readonly definitions: readonly string[]
  /** The columns that get an index of their own. */
  readonly indexes: readonly string[]
}

const userReference = 'FOREIGN KEY (user_id) REFERENCES #users (id) ON DELETE CASCADE'

const initialTables: readonly Table[] = [
  {
    name: '#users',
    definitions: [
      'id {key} PRIMARY KEY',
      'name {text}',
      'email {key} UNIQUE',
      'email_verified {integer} NOT NULL',
      'image {text}',
    ],
    indexes: [],
  },
  {
    name: '#accounts',
    definitions: [
      'id {serial} PRIMARY KEY',
      'user_id {key} NOT NULL',
      'provider {key} NOT NULL',
      'provider_account_id {key} NOT NULL',
      'type {text} NOT NULL',
      'access_token {text}',
      'refresh_token {text}',
      'id_token {text}',
      'token_type {text}',
      'scope {text}',
      'expires_at {integer}',
      'UNIQUE (provider, provider_account_id)',
      userReference,
    ],
    indexes: ['user_id'],
  },
  {
    name: '#sessions',
    definitions: [
      'id {key} PRIMARY KEY',
      'user_id {key} NOT NULL',
      'created_at {integer} NOT NULL',
      'renewed_at {integer} NOT NULL',
      'expires {integer} NOT NULL',
      'data {text} NOT NULL',
      userReference,
    ],
    indexes: ['user_id', 'expires'],
  },
  {
    name: '#verification_tokens',
    definitions: [
      'identifier {key} NOT NULL',
      'token {key} NOT NULL',
      'expires {integer} NOT NULL',
      'PRIMARY KEY (identifier, token)',
    ],
    indexes: ['expires'],
  },
  {
    name: '#counters',
    definitions: ['id {key} PRIMARY KEY', 'hits {integer} NOT NULL', 'expires {integer} NOT NULL'],
    indexes: ['expires'],
  },
]

/** Returns all migrations in order. A published migration never changes: add a new one. */
export function getMigrations(syntax: DialectSyntax): readonly Migration[] {
  return [createMigration(syntax, '0001_initial', initialTables)]
}

/** Returns the statement that creates the table of applied migrations. */
export function createMigrationsTable({ keyType, tableSuffix }: DialectSyntax): string {
  return `CREATE TABLE IF NOT EXISTS #migrations (\n  name ${keyType} PRIMARY KEY\n)${tableSuffix}`
}

function createMigration(syntax: DialectSyntax, name: string, tables: readonly Table[]): Migration {
  return {
    name,
    statements: [
      createMigrationsTable(syntax),
      ...tables.flatMap((table) => createTable(syntax, table)),
      `INSERT INTO #migrations (name) VALUES ('${name}') ${syntax.onConflictDoNothing}`,
    ],
  }
}

function createTable(syntax: DialectSyntax, { name, definitions, indexes }: Table): string[] {
  const inline = indexes.map((column) => `INDEX ${name}_${column} (${column})`)
  const parts = syntax.hasInlineIndexes ? [...definitions, ...inline] : definitions
  const body = parts
    .join(',\n  ')
    .replaceAll('{key}', syntax.keyType)
    .replaceAll('{text}', syntax.textType)
    .replaceAll('{integer}', syntax.integerType)
    .replaceAll('{serial}', syntax.serialType)
  const table = `CREATE TABLE IF NOT EXISTS ${name} (\n  ${body}\n)${syntax.tableSuffix}`
  if (syntax.hasInlineIndexes) return [table]
  const separate = indexes.map(
    (column) => `CREATE INDEX IF NOT EXISTS ${name}_${column} ON ${name} (${column})`,
  )
  return [table, ...separate]
}
