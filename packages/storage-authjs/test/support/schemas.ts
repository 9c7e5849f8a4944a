/** The types and constraints of the Auth.js tables in one database. */
export interface Dialect {
  readonly quote: '"' | '`'
  readonly text: string
  readonly long: string
  readonly date: string
  readonly email: string
  readonly hasUniqueAccounts: boolean
}

/** The names of the Auth.js tables. */
export interface Names {
  readonly user: string
  readonly account: string
  readonly session: string
  readonly token: string
}

/** The tables in the documentation of @auth/pg-adapter: only ids and tokens are unique. */
export const documentedPg: readonly string[] = [
  `CREATE TABLE verification_token (identifier TEXT NOT NULL, expires TIMESTAMPTZ NOT NULL,
     token TEXT NOT NULL, PRIMARY KEY (identifier, token))`,
  `CREATE TABLE accounts (id SERIAL, "userId" INTEGER NOT NULL, type VARCHAR(255) NOT NULL,
     provider VARCHAR(255) NOT NULL, "providerAccountId" VARCHAR(255) NOT NULL, refresh_token TEXT,
     access_token TEXT, expires_at BIGINT, id_token TEXT, scope TEXT, session_state TEXT,
     token_type TEXT, PRIMARY KEY (id))`,
  `CREATE TABLE sessions (id SERIAL, "userId" INTEGER NOT NULL, expires TIMESTAMPTZ NOT NULL,
     "sessionToken" VARCHAR(255) NOT NULL, PRIMARY KEY (id))`,
  `CREATE TABLE users (id SERIAL, name VARCHAR(255), email VARCHAR(255),
     "emailVerified" TIMESTAMPTZ, image TEXT, PRIMARY KEY (id))`,
]

/** The tables with the indexes that the README recommends. */
export const recommendedPg: readonly string[] = [
  ...documentedPg,
  'CREATE UNIQUE INDEX users_email ON users (email)',
  'CREATE UNIQUE INDEX accounts_name ON accounts (provider, "providerAccountId")',
]

/** Returns the statements that create the Auth.js tables. */
export function createTables(dialect: Dialect, names: Names): string[] {
  const { text, long, date, email, hasUniqueAccounts } = dialect
  const owner = `FOREIGN KEY ("userId") REFERENCES "${names.user}" (id) ON DELETE CASCADE`
  const accountKey = hasUniqueAccounts ? 'PRIMARY KEY (provider, "providerAccountId"),' : ''
  return [
    `CREATE TABLE "${names.user}" (id ${text} PRIMARY KEY, name ${text}, email ${email},
       "emailVerified" ${date}, image ${text})`,
    `CREATE TABLE "${names.account}" ("userId" ${text} NOT NULL, type ${text} NOT NULL,
       provider ${text} NOT NULL, "providerAccountId" ${text} NOT NULL, refresh_token ${long},
       access_token ${long}, expires_at INTEGER, token_type ${text}, scope ${text},
       id_token ${long}, session_state ${text}, ${accountKey} ${owner})`,
    `CREATE TABLE "${names.session}" ("sessionToken" ${text} PRIMARY KEY,
       "userId" ${text} NOT NULL, expires ${date} NOT NULL, ${owner})`,
    `CREATE TABLE "${names.token}" (identifier ${text} NOT NULL, token ${text} NOT NULL,
       expires ${date} NOT NULL, PRIMARY KEY (identifier, token))`,
  ].map((sql) => sql.replaceAll('"', dialect.quote))
}
