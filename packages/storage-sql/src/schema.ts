import type { DialectSyntax, Index } from './dialects.ts'

/**
 * One step of the schema: the content of the file `schema/<dialect>/<name>.sql`. In its SQL `#` stands
 * for the prefix.
 */
interface Migration {
  readonly name: string
  /** What the file adds to existing tables, before the statements. */
  readonly additions: readonly Addition[]
  /**
   * Each statement is idempotent, because MySQL and MariaDB cannot roll back a migration that fails in
   * the middle.
   */
  readonly statements: readonly string[]
  /** The same in steps, between which other statements run: `migrate()` uses them in place of the file. */
  readonly steps: Steps
}

/** The steps of a migration, in order. Each can be repeated. */
export interface Steps {
  /** The statements that create tables. */
  readonly tables: readonly string[]
  /** Columns to add to existing tables, without indexes. */
  readonly columns: readonly Addition[]
  readonly changes: readonly Change[]
  /** Indexes of existing tables. */
  readonly indexes: readonly Index[]
  /** Records that the migration is applied. */
  readonly record: string
}

/** A change of rows. A row that is changed does not match `where` any more. */
export interface Change {
  readonly table: string
  readonly set: string
  readonly where: string
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

/** Tables of a migration that only some storages need, with its name. */
export type NamedTables = readonly [name: string, tables: readonly Table[]]

/** A dialect, and the tables that the options of a storage need. */
export interface SchemaSyntax extends DialectSyntax {
  readonly optionalTables?: readonly NamedTables[]
}

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
const moveUnverifiedEmails: Change = {
  table: '#users',
  set: 'unverified_email = email, email = NULL',
  where: 'email_verified = 0 AND email IS NOT NULL',
}

const emailIndex: readonly Columns[] = [
  ['#users', [], { unverified_email: 'unverified_email{prefix}' }],
]

const eventTables: readonly Table[] = [
  [
    '#events',
    `id {key} PRIMARY KEY,
  created_at {integer} NOT NULL,
  due {integer} NOT NULL,
  expires {integer} NOT NULL,
  attempts {integer} NOT NULL,
  lease {text},
  session_ids {text},
  data {text} NOT NULL`,
    'due',
    'expires',
  ],
]

const accountTimes: readonly Columns[] = [
  ['#accounts', ['created_at {integer}', 'last_used_at {integer}']],
]

/** Adds tables that an option of a storage needs. */
export function addTables(syntax: SchemaSyntax, ...tables: readonly NamedTables[]): SchemaSyntax {
  return { ...syntax, optionalTables: [...(syntax.optionalTables ?? []), ...tables] }
}

/** Returns all migrations in order. A published migration never changes: add a new one. */
export function getMigrations(syntax: SchemaSyntax): readonly Migration[] {
  const { optionalTables = [] } = syntax
  const migrations = [
    createMigration(syntax, '0001_initial', initialTables),
    createMigration(syntax, '0002_revocations', revocationTables),
    createMigration(syntax, '0003_identities', [], identityColumns, [moveUnverifiedEmails]),
    createMigration(syntax, '0004_events', eventTables),
    ...optionalTables.map(([name, tables]) => createMigration(syntax, name, tables)),
    createMigration(syntax, '0007_unverified_emails', [], emailIndex),
    createMigration(syntax, '0008_account_times', [], accountTimes),
  ]
  return migrations.toSorted((a, b) => (a.name < b.name ? -1 : 1))
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
  changes: readonly Change[] = [],
): Migration {
  const created = tables.flatMap((table) => createTable(syntax, table))
  const record = `INSERT INTO #migrations (name) VALUES ('${name}') ${syntax.onConflictDoNothing}`
  return {
    name,
    additions: columns.flatMap((added) => addColumns(syntax, added)),
    statements: [
      ...created,
      ...changes.map(({ table, set, where }) => `UPDATE ${table} SET ${set} WHERE ${where}`),
      ...columns.flatMap((added) => createIndexes(syntax, added)),
      record,
    ],
    steps: {
      tables: created,
      columns: columns.flatMap(([table, definitions]) => addColumns(syntax, [table, definitions])),
      changes,
      indexes: columns.flatMap((added) => getIndexes(syntax, added)),
      record,
    },
  }
}

function getIndexes(syntax: DialectSyntax, [table, , indexes = {}]: Columns): Index[] {
  return Object.entries(indexes).map(([name, columns]) => ({
    name: `${table}_${name}`,
    table,
    columns: renderTypes(syntax, columns),
  }))
}

function createTable(syntax: DialectSyntax, [name, definitions, ...indexes]: Table): string[] {
  const inline = indexes.map((column) => `,\n  INDEX ${name}_${column} (${column})`)
  const separate = indexes.map((column) =>
    renderIndex({ name: `${name}_${column}`, table: name, columns: column }),
  )
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
  if (definitions.length === 0) return []
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

function createIndexes(syntax: DialectSyntax, columns: Columns): string[] {
  if (syntax.hasInlineIndexes) return []
  return getIndexes(syntax, columns).map(renderIndex)
}

/** Returns the statement that creates an index, unless it exists. */
export function renderIndex({ name, table, columns }: Index): string {
  return `CREATE INDEX IF NOT EXISTS ${name} ON ${table} (${columns})`
}

function renderTypes(syntax: DialectSyntax, definitions: string): string {
  return definitions.replaceAll(
    /\{(\w+)\}/g,
    (_, type: keyof DialectSyntax['types']) => syntax.types[type],
  )
}
