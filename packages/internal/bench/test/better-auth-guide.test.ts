import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createAuth } from '@latchkey/core'
import { credentials } from '@latchkey/core/providers/credentials'
import { Browser } from '@latchkey/core/testing/browser'
import { betterSqlite3Storage } from '@latchkey/storage-sql/better-sqlite3'
import { mysql2Storage } from '@latchkey/storage-sql/mysql2'
import { pgStorage } from '@latchkey/storage-sql/pg'
import { userFields } from '@latchkey/storage-sql/user-fields'
import { isReachable, mysqlUrl, postgresUrl } from '@latchkey/test-support/servers'
import { betterAuth } from 'better-auth'
import type { BetterAuthOptions } from 'better-auth'
import { hashPassword } from 'better-auth/crypto'
import { getMigrations } from 'better-auth/db/migration'
import Sqlite from 'better-sqlite3'
import { createPool } from 'mysql2/promise'
import { Pool } from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { verifyPassword } from './support/better-auth-password.ts'

const guide = readFileSync(
  new URL('../../../../apps/docs/pages/migration/better-auth.md', import.meta.url),
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
  readonly findHash: (email: string) => Promise<{ id: string; password: string } | undefined>
}

const query = (quote: string, mark: string): string =>
  `SELECT u.id, a.password FROM 'user' u JOIN account a ON a.'userId' = u.id
    WHERE a.'providerId' = '_' AND u.email = ?`
    .replaceAll("'_'", '_')
    .replaceAll("'", quote)
    .replace('_', "'credential'")
    .replace('?', mark)

const databases: Record<string, () => Promise<Opened>> = {
  async sqlite() {
    const database = new Sqlite(':memory:')
    return {
      database,
      storage: betterSqlite3Storage(database, { fields }) as SqlStorage,
      execute: async (sql) => database.exec(sql),
      findHash: async (email) => database.prepare(query('"', '?')).get(email) as never,
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
      storage: pgStorage(pool, { fields }) as SqlStorage,
      execute: (sql) => pool.query(sql),
      findHash: async (email) => (await pool.query(query('"', '$1'), [email])).rows[0],
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
      storage: mysql2Storage(pool, { fields }) as SqlStorage,
      execute: (sql) => pool.query(sql),
      async findHash(email) {
        const [rows] = await pool.query(query('`', '?'), [email])
        return (rows as { id: string; password: string }[])[0]
      },
    }
  }
}

function createName(): string {
  return `latchkey_better_auth_${randomUUID().slice(0, 8)}`
}

/** Returns the script of the guide for a database. */
function getScript(dialect: string): string {
  const [, script = ''] = new RegExp(`\`\`\`sql\\n-- ${dialect}\\n([^]*?)\`\`\``).exec(guide) ?? []
  expect(script).toContain('INSERT INTO latchkey_users')
  return script
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

describe.for(Object.entries(databases))('the guide from better-auth: %s', ([dialect, open]) => {
  test('keeps users, their fields, accounts and tokens, and their passwords', async () => {
    const { database, storage, execute, findHash } = await open()
    const { alice, bob } = await fillBetterAuth(database)
    await storage.migrate()
    await execute(getScript(dialect))
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
    const { handle } = createAuth({
      serviceUrl: 'https://app.example',
      secret: 'a secret of thirty-two bytes or more',
      storage,
      logger: { error: () => undefined, warn: () => undefined },
      providers: [
        credentials({
          fields: { email: { label: 'Email' }, password: { label: 'P', type: 'password' } },
          async authorize({ email, password: typed }) {
            const user = await findHash(email)
            return user && (await verifyPassword(user.password, typed)) ? { id: user.id } : null
          },
        }),
      ],
    })
    const browser = new Browser((request) => handle(request), base)
    const signIn = async (typed: string): Promise<number> => {
      const fieldsOfForm = { email: 'alice@example.com', password: typed, json: 'true' }
      return (await browser.submit('/callback/credentials', fieldsOfForm)).status
    }
    expect(await signIn('another password')).toBe(401)
    expect(await signIn(password)).toBe(200)
    expect(await browser.json('/session')).toMatchObject({ user: { id: alice, name: 'Álice' } })
  })
})

describe('the password verifier of the guide', () => {
  test('is the tested one', () => {
    const file = new URL('support/better-auth-password.ts', import.meta.url)
    expect(guide).toContain(readFileSync(file, 'utf8').trim())
  })

  test('accepts the hashes of better-auth, in every form of Unicode, and no other password', async () => {
    const hash = await hashPassword(password)
    for (const form of ['NFC', 'NFD', 'NFKC'] as const) {
      expect(await verifyPassword(hash, password.normalize(form))).toBe(true)
    }
    for (const wrong of ['', `${password} `, password.toLowerCase(), hash]) {
      expect(await verifyPassword(hash, wrong)).toBe(false)
    }
  })

  test.each(['', ':', 'abc', `${'0'.repeat(32)}:${'0'.repeat(128)}`, '0:zz', '0:00'])(
    'refuses the hash of case %#',
    async (hash) => {
      expect(await verifyPassword(hash, '')).toBe(false)
      expect(await verifyPassword(hash, password)).toBe(false)
    },
  )
})
