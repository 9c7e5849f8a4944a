import { ConfigurationError, createAuth } from '@latchkey/core'
import { credentials } from '@latchkey/core/providers/credentials'
import { Browser } from '@latchkey/testing/browser'
import { userFields as coreUserFields } from '@latchkey/core/user-fields'
import { sqlStorage } from '@latchkey/storage-sql'
import type { Dialect, Driver } from '@latchkey/storage-sql'
import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
import { renderUserFields, userFields } from '@latchkey/storage-sql/user-fields'
import type { SqlUserFields } from '@latchkey/storage-sql/user-fields'
import { buildAccount, buildSession, buildUser, NOW } from '@latchkey/test-support/records'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { mysql, postgres, sqlite } from '../src/dialects.ts'
import { getMigrations } from '../src/schema.ts'
import { createSyncDriver } from '../src/sqlite.ts'
import { alternate } from './support/alternate.ts'
import { createPrefix, getSelectedBackends } from './support/backends.ts'
import type { Opened } from './support/backends.ts'

const dialects = { mysql, postgres, sqlite }
const MEMBER = "a member’s #1 'role'? \\"
const fields = userFields({
  role: { type: 'text', default: MEMBER },
  credits: { type: 'integer', default: -3 },
  ratio: { type: 'number', default: 0.25 },
  isAdmin: { type: 'boolean', default: true },
  since: { type: 'date', default: new Date(86_400_000) },
  settings: { type: 'json', default: { theme: 'dark' } },
  order: { type: 'text' },
})
const defaults = {
  role: MEMBER,
  credits: -3,
  ratio: 0.25,
  isAdmin: true,
  since: new Date(86_400_000),
  settings: { theme: 'dark' },
  order: null,
}

describe.for(await getSelectedBackends())('columns of fields: $name', (backend) => {
  const migrate = async ({ storages }: Opened): Promise<void> => {
    await Promise.all([1, 2, 3, 4, 5].map(() => alternate(storages).migrate()))
  }

  const open = async (): Promise<Opened & { readonly prefix: string }> => {
    const prefix = createPrefix()
    return { ...(await backend.open(prefix, fields)), prefix }
  }

  test('five concurrent migrations add them to new tables', async () => {
    const after = await open()
    try {
      await migrate(after)
      const user = buildUser()
      expect(await after.storages[0].createUser(user)).toEqual({ ...user, ...defaults })
      await migrate(after)
      expect(await after.storages[0].getUser(user.id)).toEqual({ ...user, ...defaults })
    } finally {
      await after.close()
    }
  })

  test('a filled table gets them, with the defaults in the rows themselves', async () => {
    const after = await open()
    const { prefix } = after
    try {
      const users = await fillWithoutFields(after, prefix, backend.dialect)
      await migrate(after)
      const [storage] = after.storages
      for (const user of users) {
        expect(await storage.getUser(user.id)).toEqual({ ...user, ...defaults })
      }
      const quote = backend.dialect === 'postgres' ? '"' : '`'
      const rows = await after.execute(
        `SELECT role, ${quote}isAdmin${quote} AS admin, ${quote}order${quote} AS ordered FROM ${prefix}users`,
      )
      expect(rows.map((row) => String(row['role']))).toEqual(users.map(() => MEMBER))
      expect(rows.map((row) => Number(row['admin']))).toEqual(users.map(() => 1))
      expect(rows.map((row) => row['ordered'])).toEqual(users.map(() => null))
    } finally {
      await after.close()
    }
  })

  test('a column that exists keeps its values, and null is the default', async () => {
    const after = await open()
    const { prefix } = after
    try {
      const users = await fillWithoutFields(after, prefix, backend.dialect)
      const [one, two] = users as [(typeof users)[0], (typeof users)[0]]
      const type = backend.dialect === 'mysql' ? 'VARCHAR(255)' : 'TEXT'
      await after.execute(`ALTER TABLE ${prefix}users ADD COLUMN role ${type}`)
      await after.execute(`UPDATE ${prefix}users SET role = 'admin' WHERE id = '${one.id}'`)
      await migrate(after)
      const [storage] = after.storages
      expect(await storage.getUser(one.id)).toEqual({ ...one, ...defaults, role: 'admin' })
      expect(await storage.getUser(two.id)).toEqual({ ...two, ...defaults })
      const updated = await storage.updateUser(two.id, { role: 'editor' } as object)
      expect(updated).toMatchObject({ role: 'editor' })
    } finally {
      await after.close()
    }
  })

  test('the file of renderUserFields adds the same columns', async () => {
    const after = await open()
    const { prefix } = after
    try {
      const [user] = await fillWithoutFields(after, prefix, backend.dialect)
      const file = renderUserFields(fields, backend.dialect, prefix)
      for (const text of file.split(';\n').filter((part) => part.trim() !== '')) {
        await after.execute(text)
      }
      expect(await after.storages[0].getUser(user?.id ?? '')).toEqual({ ...user, ...defaults })
      await migrate(after)
      expect(await after.storages[0].getUser(user?.id ?? '')).toEqual({ ...user, ...defaults })
    } finally {
      await after.close()
    }
  })
})

/** Creates the tables as they are without fields, with three users. */
async function fillWithoutFields(
  { execute }: Opened,
  prefix: string,
  dialect: Dialect,
): Promise<ReturnType<typeof buildUser>[]> {
  for (const { additions, statements } of getMigrations(dialects[dialect])) {
    for (const text of [...additions.map(({ sql }) => sql), ...statements]) {
      await execute(text.replaceAll('#', prefix))
    }
  }
  const users = [buildUser(), buildUser(), buildUser()]
  for (const { id, name, email } of users) {
    const values = `'${id}', '${name}', '${email}', 1`
    await execute(`INSERT INTO ${prefix}users (id, name, email, email_verified) VALUES (${values})`)
  }
  return users
}

test('a column of another type is an error that names it', async () => {
  const database = new DatabaseSync(':memory:')
  const storage = nodeSqliteStorage(database, { fields: userFields({ role: { type: 'text' } }) })
  await storage.migrate()
  const user = buildUser()
  await storage.createUser({ ...user, role: 'not a number' })
  const other = nodeSqliteStorage(database, { fields: userFields({ role: { type: 'integer' } }) })
  await expect(other.getUser(user.id)).rejects.toThrow('the column role of a user must be')
})

test('a column of another type signs in every other user, and the log names it', async () => {
  const database = new DatabaseSync(':memory:')
  const isBlocked = { type: 'boolean', default: false } as const
  const storage = nodeSqliteStorage(database, { fields: userFields({ isBlocked }) })
  await storage.migrate()
  const causes: unknown[] = []
  const provider = credentials({
    fields: { name: { label: 'Name' } },
    authorize: ({ name }) => ({ id: name }),
  })
  const { handle } = createAuth({
    serviceUrl: 'https://app.example',
    secret: 'a secret of thirty-two bytes or more',
    storage,
    providers: [provider],
    logger: { error: (_, details) => void causes.push(details.causes), warn: () => undefined },
  })
  const users = [buildUser(), buildUser()] as const
  for (const user of users) await storage.createUser(user)
  const signIn = async ({ id }: { readonly id: string }): Promise<number> => {
    const browser = new Browser(handle, 'https://app.example/api/auth')
    return (await browser.submit('/signin/credentials', { name: id, json: 'true' })).status
  }
  expect([await signIn(users[0]), await signIn(users[1])]).toEqual([200, 200])
  database.prepare('UPDATE latchkey_users SET isBlocked = ? WHERE id = ?').run(7, users[0].id)
  expect([await signIn(users[0]), await signIn(users[1])]).toEqual([503, 200])
  expect(JSON.stringify(causes)).toContain('the column isBlocked of a user must be true or false')
})

test('a migration changes nothing if the columns exist', async () => {
  const driver = createSyncDriver(new DatabaseSync(':memory:'))
  const texts: string[] = []
  const run: Driver['run'] = (statements) => {
    texts.push(...statements.map(({ sql }) => sql))
    return driver.run(statements)
  }
  const storage = sqlStorage({ ...driver, run }, { fields })
  await storage.migrate()
  expect(texts.filter((text) => text.startsWith('ALTER TABLE latchkey_users'))).toHaveLength(8)
  texts.length = 0
  await storage.migrate()
  expect(texts.filter((text) => text.startsWith('ALTER'))).toEqual([])
})

test('a migration that may not add a column fails with the error of the database', async () => {
  const driver = createSyncDriver(new DatabaseSync(':memory:'))
  await sqlStorage(driver).migrate()
  const run: Driver['run'] = async (statements) => {
    if (statements.some(({ sql }) => sql.startsWith('ALTER'))) throw new Error('not the owner')
    return driver.run(statements)
  }
  const storage = sqlStorage({ ...driver, run }, { fields })
  await expect(storage.migrate()).rejects.toThrow('not the owner')
})

test('getSessionAndUser is still one query', async () => {
  const storage = nodeSqliteStorage(':memory:', { fields })
  await storage.migrate()
  const session = buildSession()
  const user = buildUser()
  await storage.createUser({ ...user, credits: 4 }, buildAccount(), session)
  const found = await storage.getSessionAndUser(session.id, NOW)
  expect(found?.user).toEqual({ ...user, ...defaults, credits: 4 })
  expectTypeOf(found?.user.credits).toEqualTypeOf<number | undefined>()
  expectTypeOf(found?.user.order).toEqualTypeOf<string | null | undefined>()
  await storage.close()
})

test.for([
  ['a plain object', { role: { type: 'text' } }],
  ['userFields of core', coreUserFields({ role: { type: 'text' } })],
] as const)('fields that another package made are refused: %s', ([, given]) => {
  const create = (): unknown => nodeSqliteStorage(':memory:', { fields: given as SqlUserFields })
  expect(create).toThrow(ConfigurationError)
  expect(create).toThrow('fields: must come from @latchkey/storage-sql/user-fields')
})

test('renderUserFields checks the prefix', () => {
  expect(() => renderUserFields(fields, 'sqlite', "x'; DROP TABLE y; --")).toThrow('prefix: ')
})
