import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createAuth } from '@latchkey/core'
import { confirmation } from '@latchkey/core/confirmation'
import { Browser, createMailbox } from '@latchkey/testing'
import { passwords } from '@latchkey/passwords'
import { importUsers } from '@latchkey/passwords/import-users'
import { scrypt } from '@latchkey/passwords/scrypt'
import { betterAuth as verifyBetterAuth } from '@latchkey/passwords/verifiers/better-auth'
import { betterSqlite3Storage } from '@latchkey/storage-sql/better-sqlite3'
import { d1Storage } from '@latchkey/storage-sql/d1'
import { sqlFactors } from '@latchkey/storage-sql/factors'
import { mysql2Storage } from '@latchkey/storage-sql/mysql2'
import { pgStorage } from '@latchkey/storage-sql/pg'
import { userFields } from '@latchkey/storage-sql/user-fields'
import { isReachable, mysqlUrl, postgresUrl } from '@latchkey/test-support/servers'
import { betterAuth } from 'better-auth'
import type { BetterAuthOptions } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import Sqlite from 'better-sqlite3'
import { createPool } from 'mysql2/promise'
import { Pool } from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openD1 } from '../../storage-sql/test/support/d1.ts'
import { toRow } from '../src/import/to-row.ts'

const guide = readFileSync(
  new URL('../../../apps/docs/pages/migration/better-auth.md', import.meta.url),
  'utf8',
)
const base = 'https://app.example/api/auth'
const password = 'Ｓesame, öffne dich'
const trialEndsAt = new Date('2027-02-03T04:05:06.789Z')
const accessTokenExpiresAt = new Date('2027-03-04T05:06:07.000Z')

/** The `additionalFields` of better-auth and the `fields` of the guide. */
const additionalFields = {
  role: { type: 'string', defaultValue: 'member', input: false },
  credits: { type: 'number', required: false },
  newsletter: { type: 'boolean', required: false },
  trialEndsAt: { type: 'date', required: false },
} as const
const fields = userFields({
  role: { type: 'text', default: 'member' },
  credits: { type: 'integer' },
  newsletter: { type: 'boolean' },
  trialEndsAt: { type: 'date' },
})

type SqlStorage = ReturnType<typeof betterSqlite3Storage<unknown>>

/** A database of better-auth. */
interface Opened {
  readonly database: BetterAuthOptions['database']
  readonly storage: SqlStorage
  readonly execute: (sql: string) => Promise<unknown>
  /** Returns the rows of a query with one column. */
  readonly query: (sql: string) => Promise<readonly string[]>
}

const storageOptions = { fields, factors: sqlFactors() }

const databases: Record<string, () => Promise<Opened>> = {
  async sqlite() {
    const database = new Sqlite(':memory:')
    return {
      database,
      storage: betterSqlite3Storage(database, storageOptions) as SqlStorage,
      execute: async (sql) => database.exec(sql),
      query: async (sql) => database.prepare(sql).pluck().all().map(String),
    }
  },
}

if (await isReachable('PostgreSQL', postgresUrl)) {
  databases['postgres'] = async () => {
    const schema = createName()
    const pool = new Pool({ connectionString: postgresUrl, options: `-c search_path=${schema}` })
    await pool.query(`CREATE SCHEMA ${schema}`)
    onTestFinished(async () => {
      await pool.query(`DROP SCHEMA ${schema} CASCADE`)
      await pool.end()
    })
    return {
      database: pool,
      storage: pgStorage(pool, storageOptions) as SqlStorage,
      execute: (sql) => pool.query(sql),
      query: async (sql) => (await pool.query({ text: sql, rowMode: 'array' })).rows.map(String),
    }
  }
}

if (await isReachable('MySQL or MariaDB', mysqlUrl)) {
  databases['mysql'] = async () => {
    const [name, url] = [createName(), new URL(mysqlUrl)]
    const root = createPool(mysqlUrl)
    await root.query(`CREATE DATABASE ${name} CHARACTER SET latin1`)
    url.pathname = name
    const pool = createPool({ uri: url.href, multipleStatements: true })
    onTestFinished(async () => {
      await root.query(`DROP DATABASE ${name}`)
      await Promise.all([root.end(), pool.end()])
    })
    return {
      database: pool,
      storage: mysql2Storage(pool, storageOptions) as SqlStorage,
      execute: (sql) => pool.query(sql),
      async query(sql) {
        const [rows] = await pool.query({ sql, rowsAsArray: true, typeCast: true })
        return (rows as unknown[][]).map(([value]) =>
          typeof value === 'string' ? value : JSON.stringify(value),
        )
      },
    }
  }
}

function createName(): string {
  return `latchkey_better_auth_${randomUUID().slice(0, 8)}`
}

/** Returns a script that the guide prints. */
function getScript(kind: 'users' | 'passwords', dialect: string): string {
  const [, names = ''] = new RegExp(`/better-auth/${kind}/\\{(\\S+)\\}\\.sql-->`).exec(guide) ?? []
  expect(names.split(',')).toContain(dialect)
  const file = new URL(`../scripts/better-auth/${kind}/${dialect}.sql`, import.meta.url)
  return readFileSync(file, 'utf8')
}

/** Signs users up with better-auth, with its tables. Returns their ids. */
async function fillBetterAuth(
  database: BetterAuthOptions['database'],
): Promise<{ readonly alice: string; readonly bob: string }> {
  const options = {
    database,
    baseURL: 'https://app.example',
    secret: 'the secret of better-auth, which is long enough',
    emailAndPassword: { enabled: true },
    user: { additionalFields },
    socialProviders: { github: { clientId: 'a', clientSecret: 'b' } },
    telemetry: { enabled: false },
    logger: { disabled: true },
  } satisfies BetterAuthOptions
  await (await getMigrations(options)).runMigrations()
  const auth = betterAuth(options)
  const fieldsOfAlice = { credits: 5, newsletter: true, trialEndsAt }
  const { user: alice } = await auth.api.signUpEmail({
    body: { email: 'Alice@Example.com', password, name: 'Álice', ...fieldsOfAlice },
  })
  const { user: bob } = await auth.api.signUpEmail({
    body: { email: 'bob@example.com', password: 'another password', name: 'Bob' },
  })
  const { internalAdapter } = await auth.$context
  await internalAdapter.updateUser(alice.id, { emailVerified: true, role: 'admin' })
  await internalAdapter.createAccount({
    userId: alice.id,
    providerId: 'github',
    issuer: 'https://github.com',
    accountId: '583231',
    accessToken: 'gho_kept',
    refreshToken: 'ghr_kept',
    accessTokenExpiresAt,
    scope: 'read:user,user:email',
  })
  return { alice: alice.id, bob: bob.id }
}

/** Opens D1 with the rows that better-auth has in SQLite, as its own adapter or the one for Drizzle keeps them. */
function openOnD1(convert: (source: Sqlite.Database) => void): () => Promise<Opened> {
  return async () => {
    const [source, d1] = [new Sqlite(':memory:'), openD1()]
    onTestFinished(() => d1.close())
    const run = async (sql: string): Promise<void> => {
      // As wrangler does with a file.
      for (const statement of sql.split(';\n').filter((text) => text.trim() !== '')) {
        await d1.database.prepare(statement).run()
      }
    }
    return {
      database: source,
      storage: d1Storage(d1.database, storageOptions) as SqlStorage,
      async execute(sql) {
        convert(source)
        for (const table of ['user', 'account']) await run(dump(source, table))
        // The guide: without BEGIN and COMMIT.
        await run(sql.replaceAll(/^(BEGIN|COMMIT);$/gm, ''))
      },
      async query(sql) {
        const rows = await d1.database.prepare(sql).run()
        return rows.flatMap((row) => Object.values(row).map(String))
      },
    }
  }
}

/** Returns the statements that create a table with its rows. */
function dump(source: Sqlite.Database, table: string): string {
  const rows = source.prepare(`SELECT * FROM ${table}`).all() as Record<string, unknown>[]
  const columns = Object.keys(rows[0] ?? {})
  const toLiteral = (value: unknown): string =>
    typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)
  const values = rows.map((row) => `(${columns.map((name) => toLiteral(row[name])).join(', ')})`)
  const names = columns.join(', ')
  return `CREATE TABLE ${table} (${names});\nINSERT INTO ${table} (${names}) VALUES ${values.join(', ')};\n`
}

/** Renames the columns, and makes times numbers of milliseconds, as the generated schema for Drizzle has them. */
function toDrizzle(source: Sqlite.Database): void {
  source.pragma('legacy_alter_table = ON')
  for (const table of ['user', 'account']) {
    for (const { name } of source.pragma(`table_info(${table})`) as { name: string }[]) {
      if (name.endsWith('At')) {
        source.exec(
          `UPDATE ${table} SET ${name} = CAST(round(unixepoch(${name}, 'subsec') * 1000) AS INTEGER)`,
        )
      }
      const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
      if (snake !== name) source.exec(`ALTER TABLE ${table} RENAME COLUMN ${name} TO ${snake}`)
    }
  }
}

databases['D1'] = openOnD1(() => undefined)
databases['D1 with Drizzle'] = openOnD1(toDrizzle)

/** The script of the guide for each database. */
const dialects: Readonly<Record<string, string>> = {
  D1: 'sqlite',
  'D1 with Drizzle': 'd1-drizzle',
}

describe.for(Object.entries(databases))('the guide from better-auth: %s', ([name, open]) => {
  const dialect = dialects[name] ?? name

  test('keeps users, their fields, accounts and tokens, and their passwords', async () => {
    const { database, storage, execute, query } = await open()
    const { alice, bob } = await fillBetterAuth(database)
    await storage.migrate()
    await execute(getScript('users', dialect))
    const stored = {
      id: alice,
      name: 'Álice',
      email: 'alice@example.com',
      emailVerified: true,
      image: null,
      role: 'admin',
      credits: 5,
      newsletter: true,
      trialEndsAt,
    }
    expect(await storage.getUserByAccount('github', '583231')).toEqual(stored)
    expect(await storage.getUserByEmail('alice@example.com')).toEqual(stored)
    expect(await storage.getUser(bob)).toEqual({
      id: bob,
      name: 'Bob',
      email: 'bob@example.com',
      emailVerified: false,
      image: null,
      role: 'member',
      credits: null,
      newsletter: null,
      trialEndsAt: null,
    })
    expect(await storage.listAccounts(bob)).toEqual([])
    expect(await storage.listAccounts(alice)).toEqual([
      {
        provider: 'github',
        type: 'oauth',
        providerAccountId: '583231',
        access_token: 'gho_kept',
        refresh_token: 'ghr_kept',
        token_type: 'bearer',
        scope: 'read:user user:email',
        expires_at: accessTokenExpiresAt.getTime() / 1000,
      },
    ])
    const mailbox = createMailbox()
    const auth = createAuth({
      serviceUrl: 'https://app.example',
      secret: 'a secret of thirty-two bytes or more',
      storage,
      session: { strategy: 'storage' },
      use: [confirmation()],
      logger: { error: () => undefined, warn: () => undefined },
      providers: [
        passwords({
          hasher: scrypt(),
          verifiers: [verifyBetterAuth()],
          mailer: mailbox,
          from: 'sign-in@app.example',
        }),
      ],
    })
    const lines = await query(getScript('passwords', dialect))
    const rows = lines.map((line) => toRow(JSON.parse(line), {}))
    const summary = await importUsers(auth, rows, { addsPasswords: true })
    expect(summary).toMatchObject({ imported: 2, unchanged: 0, refused: 0 })
    expect(await importUsers(auth, rows)).toMatchObject({ unchanged: 2 })

    const browser = new Browser((request) => auth.handle(request), base)
    const signIn = async (email: string, typed: string): Promise<number> => {
      const form = { email, password: typed, json: 'true' }
      return (await browser.submit('/callback/passwords', form)).status
    }
    expect(await signIn('alice@example.com', 'another password')).toBe(401)
    expect(await signIn('alice@example.com', password)).toBe(200)
    expect(await browser.json('/session')).toMatchObject({ user: { id: alice, name: 'Álice' } })
    // The hash is replaced by one of the hasher.
    const [factor] = (await storage.listFactors?.(alice)) ?? []
    expect(factor?.data).toContain('$scrypt$')

    expect(await signIn('bob@example.com', password)).toBe(401)
    expect(await signIn('bob@example.com', 'another password')).toBe(200)
    await browser.visit(await mailbox.linkTo('bob@example.com'))
    expect(await browser.json('/session')).toMatchObject({ user: { id: bob, name: 'Bob' } })
    expect(await storage.getUser(bob)).toMatchObject({ emailVerified: true })
  })
})
