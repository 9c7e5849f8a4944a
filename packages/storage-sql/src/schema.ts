import type { DialectSyntax } from './dialects.ts'

/** One step of the schema: the content of the file `schema/<dialect>/<name>.sql`. */
interface Migration {
  readonly name: string
  /**
   * SQL with `#` for the prefix. Each statement is idempotent, because MySQL and MariaDB cannot roll
   * back a migration that fails in the middle.
   */
  readonly statements: readonly string[]
}

/**
 * A table to create: its name, its columns and constraints, and the columns that get an index of their
 * own. `{key}`, `{text}`, `{integer}` and `{serial}` stand for the types of the dialect.
 */
type Table = readonly [name: string, definitions: string, ...indexes: readonly string[]]

const userReference = 'FOREIGN KEY (user_id) REFERENCES #users (id) ON DELETE CASCADE'

const migrationsTable: Table = ['#migrations', 'name {key} PRIMARY KEY']

const initialTables: readonly Table[] = [
  migrationsTable,
  [
    '#users',
    `id {key} PRIMARY KEY,
  name {text},
  email {key} UNIQUE,
  email_verified {integer} NOT NULL,
  image {text}`,
  ],
  [
    '#accounts',
    `id {serial} PRIMARY KEY,
  user_id {key} NOT NULL,
  provider {key} NOT NULL,
  provider_account_id {key} NOT NULL,
  type {text} NOT NULL,
  access_token {text},
  refresh_token {text},
  id_token {text},
  token_type {text},
  scope {text},
  expires_at {integer},
  UNIQUE (provider, provider_account_id),
  ${userReference}`,
    'user_id',
  ],
  [
    '#sessions',
    `id {key} PRIMARY KEY,
  user_id {key} NOT NULL,
  created_at {integer} NOT NULL,
  renewed_at {integer} NOT NULL,
  expires {integer} NOT NULL,
  data {text} NOT NULL,
  ${userReference}`,
    'user_id',
    'expires',
  ],
  [
    '#verification_tokens',
    `identifier {key} NOT NULL,
  token {key} NOT NULL,
  expires {integer} NOT NULL,
  PRIMARY KEY (identifier, token)`,
    'expires',
  ],
  [
    '#counters',
    `id {key} PRIMARY KEY,
  hits {integer} NOT NULL,
  expires {integer} NOT NULL`,
    'expires',
  ],
]

const revocationTables: readonly Table[] = [
  [
    '#revocations',
    `id {key} PRIMARY KEY,
  revoked_at {integer} NOT NULL,
  expires {integer} NOT NULL`,
    'expires',
  ],
]

/** Returns all migrations in order. A published migration never changes: add a new one. */
export function getMigrations(syntax: DialectSyntax): readonly Migration[] {
  return [
    createMigration(syntax, '0001_initial', initialTables),
    createMigration(syntax, '0002_revocations', revocationTables),
  ]
}

/** Returns the statements that create the table of applied migrations. */
export function createMigrationsTable(syntax: DialectSyntax): readonly string[] {
  return createTable(syntax, migrationsTable)
}

function createMigration(syntax: DialectSyntax, name: string, tables: readonly Table[]): Migration {
  return {
    name,
    statements: [
      ...tables.flatMap((table) => createTable(syntax, table)),
      `INSERT INTO #migrations (name) VALUES ('${name}') ${syntax.onConflictDoNothing}`,
    ],
  }
}

function createTable(syntax: DialectSyntax, [name, definitions, ...indexes]: Table): string[] {
  const inline = indexes.map((column) => `,\n  INDEX ${name}_${column} (${column})`)
  const separate = indexes.map(
    (column) => `CREATE INDEX IF NOT EXISTS ${name}_${column} ON ${name} (${column})`,
  )
  const body = definitions.replaceAll(
    /\{(\w+)\}/g,
    (_, type: keyof DialectSyntax['types']) => syntax.types[type],
  )
  const create = (end: string): string =>
    `CREATE TABLE IF NOT EXISTS ${name} (\n  ${body}${end}\n)${syntax.tableSuffix}`
  return syntax.hasInlineIndexes ? [create(inline.join(''))] : [create(''), ...separate]
}
