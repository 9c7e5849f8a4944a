import { DrizzleAdapter } from '@auth/drizzle-adapter'
import { KyselyAdapter } from '@auth/kysely-adapter'
import type { Database } from '@auth/kysely-adapter'
import { ConfigurationError, createAuth } from '@latchkey/core'
import type { StoredUser, UserFields } from '@latchkey/core'
import { credentials } from '@latchkey/core/providers/credentials'
import { Browser } from '@latchkey/testing/browser'
import { contractFields, userFieldsContract } from '@latchkey/testing/user-fields-contract'
import { userFields } from '@latchkey/core/user-fields'
import { authjsStorage } from '@latchkey/storage-authjs'
import type { AuthjsAdapter } from '@latchkey/storage-authjs'
import { buildAccount, buildSession, buildUser, NOW } from '@latchkey/test-support/records'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { Kysely, SqliteDialect } from 'kysely'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { getPgBackend, openSqlite } from './support/databases.ts'
import { FakeAdapter } from './support/fake.ts'
import { createUserColumns } from './support/user-columns.ts'

const user = buildUser()

const usersTable = sqliteTable('user', {
  ...createUserColumns(),
  nickname: text(),
  balance: real(),
  isAdmin: integer({ mode: 'boolean' }),
  trialEnds: integer({ mode: 'timestamp_ms' }),
  preferences: text({ mode: 'json' }),
  order: text(),
  provider: text(),
  expires: integer(),
})
const columns = ['role TEXT', 'nickname TEXT', 'credits INTEGER', 'balance REAL']
const further = ['isAdmin INTEGER', 'trialEnds INTEGER', 'preferences TEXT', '"order" TEXT']
const others = ['provider TEXT', 'expires INTEGER']

describe('the contract of user fields: @auth/drizzle-adapter, SQLite', () => {
  const { database } = openSqlite('drizzle', [...columns, ...further, ...others])
  const adapter = DrizzleAdapter(drizzle({ client: database }), { usersTable } as never)
  const storage = authjsStorage(adapter, { fields: contractFields })
  test.for(userFieldsContract)('$name', ({ run }) => run(storage))
})

describe('@auth/kysely-adapter, SQLite', () => {
  const { database } = openSqlite('kysely', [
    "role TEXT DEFAULT 'of the database'",
    'credits INTEGER',
  ])
  const adapter = KyselyAdapter(new Kysely<Database>({ dialect: new SqliteDialect({ database }) }))
  const fields = userFields({ role: { type: 'text' }, credits: { type: 'integer', default: 3 } })

  test('a default of the database stays if there is none of the field', async () => {
    const storage = authjsStorage(adapter, { fields })
    const created = await storage.createUser(buildUser())
    const expected = { role: 'of the database', credits: 3 }
    expect(await storage.getUser(created?.id ?? '')).toMatchObject(expected)
    expect(await storage.updateUser(created?.id ?? '', { role: null })).toMatchObject({
      role: null,
    })
  })
  test('columns that are not declared are returned by every getter', async () => {
    const storage = authjsStorage(adapter)
    const [account, session] = [buildAccount(), buildSession()]
    const created = await storage.createUser(buildUser(), account, session)
    const { id = '', email } = created ?? {}
    const expected = { id, role: 'of the database', credits: null }
    expect(await storage.getUser(id)).toMatchObject(expected)
    expect(await storage.getUserByEmail(email ?? '')).toMatchObject(expected)
    const byAccount = await storage.getUserByAccount('passport', account.providerAccountId)
    expect(byAccount).toMatchObject(expected)
    expect((await storage.getSessionAndUser(session.id, NOW))?.user).toMatchObject(expected)
    expect(await storage.updateUser(id, { name: 'Bob' })).toMatchObject(expected)
  })
})

const postgres = getPgBackend()
if (postgres) {
  test('@auth/pg-adapter returns columns, and writes none', async () => {
    const opened = await postgres.open()
    try {
      await opened.execute("ALTER TABLE users ADD COLUMN role TEXT DEFAULT 'member'")
      const fields = userFields({ role: { type: 'text' } })
      const storage = authjsStorage(opened.adapter, { fields })
      const created = await storage.createUser({ ...user, role: 'admin' })
      expect(await storage.getUser(created?.id ?? '')).toMatchObject({ role: 'member' })
      expect(await storage.getUserByEmail(user.email)).toMatchObject({ role: 'member' })
    } finally {
      await opened.close()
    }
  })
}

describe('fields', () => {
  const fields = userFields({ role: { type: 'text', default: 'member' } })

  test('are typed', async () => {
    const storage = authjsStorage(new FakeAdapter(), { fields })
    const stored = await storage.createUser(user)
    expectTypeOf(stored).toEqualTypeOf<(StoredUser & { readonly role: string }) | undefined>()
    expect(stored?.role).toBe('member')
  })
  test('that are not declared are not written', async () => {
    const adapter = new FakeAdapter()
    const storage = authjsStorage(adapter, { fields })
    const created = await storage.createUser({ ...user, isAdmin: true } as StoredUser)
    await storage.updateUser(created?.id ?? '', { isAdmin: true, role: 'editor' } as object)
    expect(adapter.users).toEqual([
      { ...user, id: 1, emailVerified: expect.any(Date), role: 'editor' },
    ])
  })
  test('that userFields has not created are refused', () => {
    const given = { role: { type: 'text' } } as unknown as UserFields
    const create = (): unknown => authjsStorage(new FakeAdapter(), { fields: given })
    expect(create).toThrow(ConfigurationError)
    expect(create).toThrow('fields: must be created by userFields')
  })
  test('a column cannot replace what the storage itself returns', async () => {
    const adapter: AuthjsAdapter = new FakeAdapter()
    const storage = authjsStorage(adapter)
    await storage.createUser(user)
    expect(await storage.getUser('1')).toEqual({ ...user, id: '1' })
  })
})

describe('columns whose names say that they are secret', () => {
  const secrets = { password: 'argon2', passwordHash: 'x', pass_word: 'x', PWD: 'x', salt: 'x' }
  const tokens = { twoFactorSecret: 'x', resetToken: 'x', apiKey: 'x' }
  const shown = { role: 'admin', tokenVersion: 3, passport: 'P1' }

  test('reach no callback, event, session or log, unless they are declared', async () => {
    const seen: unknown[] = []
    const see = (value: unknown): true => {
      seen.push(value)
      return true
    }
    const adapter = new FakeAdapter()
    const created = await adapter.createUser({ ...user, emailVerified: null })
    Object.assign(created, secrets, tokens, shown)
    const account = { provider: 'credentials', type: 'credentials', providerAccountId: '1' }
    await adapter.linkAccount({ ...account, userId: created.id })
    const auth = createAuth({
      serviceUrl: 'https://app.example',
      secret: 'fBkS1nT3vQ8yZ0aLx5GdR7cWm2JpU9hE4oKiXtYwVbN',
      storage: authjsStorage(adapter),
      session: { strategy: 'cookie', acceptsDeletedUsers: true },
      providers: [
        credentials({ fields: { name: { label: 'Name' } }, authorize: () => ({ id: '1' }) }),
      ],
      callbacks: { signIn: see, jwt: ({ token, user: row }) => ({ ...token, ...row }) },
      events: { signIn: see, session: see },
      logger: { error: see, warn: see, debug: see },
    })
    const browser = new Browser((request) => auth.handle(request), 'https://app.example/api/auth')
    expect((await browser.submit('/callback/credentials', { name: 'alice' })).status).toBe(302)
    see(await browser.json('/session'))
    expect(seen.length).toBeGreaterThan(3)
    expect(seen[0]).toMatchObject({ user: shown })
    for (const name of Object.keys({ ...secrets, ...tokens })) {
      expect(JSON.stringify(seen)).not.toContain(`"${name}"`)
    }
  })

  test('are returned if they are declared', async () => {
    const adapter = new FakeAdapter()
    Object.assign(await adapter.createUser({ ...user, emailVerified: null }), secrets)
    const fields = userFields({ passwordHash: { type: 'text' } })
    const found = await authjsStorage(adapter, { fields }).getUser('1')
    expect(found).toMatchObject({ passwordHash: 'x' })
    expect(found).not.toHaveProperty('password')
  })
})
