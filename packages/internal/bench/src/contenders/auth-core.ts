import { Auth } from '@auth/core'
import type { AuthConfig } from '@auth/core'
import GitHub from '@auth/core/providers/github'
import Google from '@auth/core/providers/google'
import { KyselyAdapter } from '@auth/kysely-adapter'
import type { Database as Tables } from '@auth/kysely-adapter'
import Database from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'
import { basePath, client, secret } from './contender.ts'
import type { Tasks } from './contender.ts'
import { Mailbox } from './mailbox.ts'
import { createRestService, createRestTasks, createStoredTasks } from './tasks.ts'

/** Sets up Auth.js as its documentation does, with the encrypted JWT that is its default. */
export function createAuthCore(): Promise<Tasks> {
  const config = createConfig()
  return createRestTasks((request) => Auth(request, config), 'null')
}

/**
 * Sets up Auth.js with an adapter on SQLite in memory, the stored sessions that are then its default,
 * and sign-in by email. From then on it demands an adapter of every configuration in this process:
 * create it after the other has done its work.
 */
export async function createStoredAuthCore(): Promise<Tasks> {
  const mailbox = new Mailbox()
  const database = new Database(':memory:')
  database.exec(schema)
  const { providers, ...config } = createConfig()
  const stored: AuthConfig = {
    ...config,
    adapter: KyselyAdapter(new Kysely<Tables>({ dialect: new SqliteDialect({ database }) })),
    providers: [
      ...providers,
      {
        id: 'email',
        name: 'Email',
        type: 'email',
        maxAge: 600,
        sendVerificationRequest: async ({ identifier, url }) => mailbox.receive(identifier, url),
      },
    ],
  }
  const service = await createRestService((request) => Auth(request, stored), 'null')
  return createStoredTasks(service, mailbox)
}

function createConfig(): AuthConfig {
  return { basePath, secret, trustHost: true, providers: [GitHub(client), Google(client)] }
}

/** The tables of the adapter's documentation. */
const schema = `
CREATE TABLE User (id text PRIMARY KEY, name text, email text UNIQUE NOT NULL, emailVerified text, image text);
CREATE TABLE Account (id text PRIMARY KEY DEFAULT (lower(hex(randomblob(16)))),
  userId text NOT NULL REFERENCES User (id) ON DELETE CASCADE, type text NOT NULL,
  provider text NOT NULL, providerAccountId text NOT NULL, refresh_token text, access_token text,
  expires_at integer, token_type text, scope text, id_token text, session_state text,
  UNIQUE (provider, providerAccountId));
CREATE TABLE Session (id text PRIMARY KEY DEFAULT (lower(hex(randomblob(16)))),
  userId text NOT NULL REFERENCES User (id) ON DELETE CASCADE, sessionToken text NOT NULL UNIQUE,
  expires text NOT NULL);
CREATE TABLE VerificationToken (identifier text NOT NULL, token text NOT NULL UNIQUE, expires text NOT NULL);
CREATE INDEX Account_userId ON Account (userId);
CREATE INDEX Session_userId ON Session (userId);
`
