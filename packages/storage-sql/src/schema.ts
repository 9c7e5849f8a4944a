import type { DialectSyntax } from './dialects.ts'

/**
 * One step of the schema: the content of the file `schema/<dialect>/<name>.sql`. In its SQL `#` stands
 * for the prefix.
 */
interface Migration {
  readonly name: string
  /** What is added to existing tables, before the statements. */
  readonly additions: readonly Addition[]
  /**
   * Each statement is idempotent, because MySQL and MariaDB cannot roll back a migration that fails in
   * the middle.
   */
  readonly statements: readonly string[]
}

/** A statement that adds columns. It is not idempotent: SQLite and MySQL reject a second one. */
export interface Addition {
  readonly table: string
  /** The first of the columns. */
  readonly column: string
  readonly sql: string
}

/**
 * A table to create: its name, its columns and constraints, and the columns that get their own
 * index. `{key}`, `{text}`, `{integer}` and `{serial}` stand for the types of the dialect.
 */
type Table = readonly [name: string, definitions: string, ...indexes: readonly string[]]

/** Columns to add to a table, and the columns of each new index by its name. */
type Columns = readonly [
  table: string,
  definitions: readonly string[],
  indexes?: Readonly<Record<string, string>>,
]

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

/** The column `email` keeps its unique constraint, and so the verified email addresses only. */
const identityColumns: readonly Columns[] = [
  ['#users', ['unverified_email {text}']],
  [
    '#sessions',
    ['provider {key}', 'provider_account_id {key}', 'sid {key}'],
    { account: 'provider, provider_account_id', sid: 'provider, sid' },
  ],
]

// MySQL assigns from left to right.
const moveUnverifiedEmails =
  'UPDATE #users SET unverified_email = email, email = NULL WHERE email_verified = 0 AND email IS NOT NULL'

/** Returns all migrations in order. A published migration never changes: add a new one. */
export function getMigrations(syntax: DialectSyntax): readonly Migration[] {
  return [
    createMigration(syntax, '0001_initial', initialTables),
    createMigration(syntax, '0002_revocations', revocationTables),
    createMigration(syntax, '0003_identities', [], identityColumns, [moveUnverifiedEmails]),
  ]
}

/** Returns the statements that create the table of applied migrations. */
export function createMigrationsTable(syntax: DialectSyntax): readonly string[] {
  return createTable(syntax, migrationsTable)
}

function createMigration(
  syntax: DialectSyntax,
  name: string,
  tables: readonly Table[],
  columns: readonly Columns[] = [],
  changes: readonly string[] = [],
): Migration {
  return {
    name,
    additions: columns.flatMap((added) => addColumns(syntax, added)),
    statements: [
      ...tables.flatMap((table) => createTable(syntax, table)),
      ...changes,
      ...columns.flatMap((added) => createIndexes(syntax, added)),
      `INSERT INTO #migrations (name) VALUES ('${name}') ${syntax.onConflictDoNothing}`,
    ],
  }
}

function createTable(syntax: DialectSyntax, [name, definitions, ...indexes]: Table): string[] {
  const inline = indexes.map((column) => `,\n  INDEX ${name}_${column} (${column})`)
  const separate = indexes.map((column) => createIndex(name, column, column))
  const body = renderTypes(syntax, definitions)
  const create = (end: string): string =>
    `CREATE TABLE IF NOT EXISTS ${name} (\n  ${body}${end}\n)${syntax.tableSuffix}`
  return syntax.hasInlineIndexes ? [create(inline.join(''))] : [create(''), ...separate]
}

/** Returns one statement for each column; for MySQL one for all, with the indexes. */
function addColumns(
  syntax: DialectSyntax,
  [table, definitions, indexes = {}]: Columns,
): Addition[] {
  const adding = definitions.map((text) => `${syntax.addColumn} ${renderTypes(syntax, text)}`)
  const indexing = Object.entries(indexes).map(
    ([name, columns]) => `ADD INDEX ${table}_${name} (${columns})`,
  )
  const clauses = syntax.hasInlineIndexes ? [[...adding, ...indexing].join(',\n  ')] : adding
  return clauses.map((clause, i) => ({
    table,
    column: String(definitions[i]?.split(' ')[0]),
    sql: `ALTER TABLE ${table}\n  ${clause}`,
  }))
}

function createIndexes({ hasInlineIndexes }: DialectSyntax, columns: Columns): string[] {
  const [table, , indexes = {}] = columns
  if (hasInlineIndexes) return []
  return Object.entries(indexes).map(([name, indexed]) => createIndex(table, name, indexed))
}

function createIndex(table: string, name: string, columns: string): string {
  return `CREATE INDEX IF NOT EXISTS ${table}_${name} ON ${table} (${columns})`
}

function renderTypes(syntax: DialectSyntax, definitions: string): string {
  return definitions.replaceAll(
    /\{(\w+)\}/g,
    (_, type: keyof DialectSyntax['types']) => syntax.types[type],
  )
}
