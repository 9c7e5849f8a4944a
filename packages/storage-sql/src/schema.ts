import type { DialectRow } from './dialects.ts'

/** One step of the schema, as the file `schema/<dialect>/<name>.sql` has it. */
export interface Migration {
  readonly name: string
  /**
   * With `#` for the prefix. Each can be run again without harm: MySQL and MariaDB have no way back
   * from half of them.
   */
  readonly statements: readonly string[]
}

/** All migrations, in the order to be applied. A published one never changes: a new one is added. */
export function migrations(dialect: DialectRow): readonly Migration[] {
  return [initial(dialect)]
}

/** Keeps the names of the migrations that have been applied. */
export function migrationsTable({ key, table }: DialectRow): string {
  return `CREATE TABLE IF NOT EXISTS #migrations (\n  name ${key} PRIMARY KEY\n)${table}`
}

function initial(dialect: DialectRow): Migration {
  const { key, text, integer, serial, orNothing } = dialect
  const owner = 'FOREIGN KEY (user_id) REFERENCES #users (id) ON DELETE CASCADE'
  const name = '0001_initial'
  return {
    name,
    statements: [
      migrationsTable(dialect),
      ...tableOf(
        dialect,
        '#users',
        `id ${key} PRIMARY KEY,
  name ${text},
  email ${key} UNIQUE,
  email_verified ${integer} NOT NULL,
  image ${text}`,
      ),
      ...tableOf(
        dialect,
        '#accounts',
        `id ${serial} PRIMARY KEY,
  user_id ${key} NOT NULL,
  provider ${key} NOT NULL,
  provider_account_id ${key} NOT NULL,
  type ${text} NOT NULL,
  access_token ${text},
  refresh_token ${text},
  id_token ${text},
  token_type ${text},
  scope ${text},
  expires_at ${integer},
  UNIQUE (provider, provider_account_id),
  ${owner}`,
        'user_id',
      ),
      ...tableOf(
        dialect,
        '#sessions',
        `id ${key} PRIMARY KEY,
  user_id ${key} NOT NULL,
  created_at ${integer} NOT NULL,
  renewed_at ${integer} NOT NULL,
  expires ${integer} NOT NULL,
  data ${text} NOT NULL,
  ${owner}`,
        'user_id',
        'expires',
      ),
      ...tableOf(
        dialect,
        '#verification_tokens',
        `identifier ${key} NOT NULL,
  token ${key} NOT NULL,
  expires ${integer} NOT NULL,
  PRIMARY KEY (identifier, token)`,
        'expires',
      ),
      ...tableOf(
        dialect,
        '#counters',
        `id ${key} PRIMARY KEY,
  hits ${integer} NOT NULL,
  expires ${integer} NOT NULL`,
        'expires',
      ),
      `INSERT INTO #migrations (name) VALUES ('${name}') ${orNothing}`,
    ],
  }
}

/** A table, and an index for each of some columns. */
function tableOf(
  dialect: DialectRow,
  name: string,
  columns: string,
  ...indexed: readonly string[]
): string[] {
  const inside = dialect.indexesInTables
    ? indexed.map((column) => `,\n  INDEX ${name}_${column} (${column})`)
    : []
  const after = dialect.indexesInTables
    ? []
    : indexed.map((column) => `CREATE INDEX IF NOT EXISTS ${name}_${column} ON ${name} (${column})`)
  return [
    `CREATE TABLE IF NOT EXISTS ${name} (\n  ${columns}${inside.join('')}\n)${dialect.table}`,
    ...after,
  ]
}
