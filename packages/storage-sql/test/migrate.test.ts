import type { Account, NewSession } from '@latchkey/core'
import type { Row } from '@latchkey/storage-sql'
import { buildAccount, buildSession, buildUser, HOUR, NOW } from '@latchkey/test-support/records'
import { describe, expect, test } from 'vitest'
import { mysql, postgres, sqlite } from '../src/dialects.ts'
import { getMigrations } from '../src/schema.ts'
import { alternate } from './support/alternate.ts'
import { createPrefix, getSelectedBackends } from './support/backends.ts'
import type { Opened } from './support/backends.ts'
import { migrationNames as names } from './support/migration-names.ts'
import { onSelectedBackends } from './support/on-every-backend.ts'

const dialects = { mysql, postgres, sqlite }
const ROWS = 24

onSelectedBackends('migrate', (ready) => {
  test('is idempotent', async () => {
    const { execute, prefix, storages } = ready()
    const [storage] = storages
    const user = buildUser()
    await storage.createUser(user)
    await storage.migrate()
    expect(await storage.getUser(user.id)).toEqual(user)
    const rows = await execute(`SELECT name FROM ${prefix}migrations ORDER BY name`)
    expect(rows.map(({ name }) => String(name))).toEqual(names)
  })

  test('pending migrations are listed', async () => {
    const { execute, prefix, storages } = ready()
    const [storage] = storages
    expect(await storage.listPendingMigrations()).toEqual([])
    await execute(`DELETE FROM ${prefix}migrations WHERE name = '0003_identities'`)
    expect(await storage.listPendingMigrations()).toEqual(['0003_identities'])
    await execute(`DROP TABLE ${prefix}migrations`)
    expect(await storage.listPendingMigrations()).toEqual(names)
    await storage.migrate()
    expect(await storage.listPendingMigrations()).toEqual([])
  })
})

test.for(await getSelectedBackends())('five concurrent migrations: $name', async (backend) => {
  const { close, storages } = await backend.open(createPrefix())
  try {
    const storage = alternate(storages)
    await Promise.all(Array.from({ length: 5 }, () => storage.migrate()))
    const user = buildUser()
    expect(await storages[0].createUser(user)).toEqual(user)
  } finally {
    await close()
  }
})

describe.for(await getSelectedBackends())('migrate a filled database: $name', (backend) => {
  const migrations = getMigrations(dialects[backend.dialect])

  /** Opens a database with the tables of the first migrations, filled as their version did. */
  const openFilled = async (count: number, rows = ROWS): Promise<Filled> => {
    const prefix = createPrefix()
    const opened = await backend.open(prefix)
    for (const { additions, statements } of migrations.slice(0, count)) {
      for (const text of [...additions.map(({ sql }) => sql), ...statements]) {
        await opened.execute(text.replaceAll('#', prefix))
      }
    }
    const people = Array.from({ length: rows }, (_, i) => createPerson(i))
    for (const person of people) await insertPerson(opened.execute, prefix, person)
    return { ...opened, prefix, people }
  }

  test.for([1, 2])('from %i migrations: no row is lost', async (count) => {
    const { close, execute, people, prefix, storages } = await openFilled(count)
    const [storage] = storages
    try {
      const before = await readTables(execute, prefix)
      expect(before.map((rows) => rows.length)).toEqual([ROWS, ROWS, ROWS, ROWS, ROWS])
      await Promise.all([1, 2, 3].map(() => alternate(storages).migrate()))
      await storage.migrate()
      const after = await readTables(execute, prefix)
      expect(after.map((rows) => rows.length)).toEqual([ROWS, ROWS, ROWS, ROWS, ROWS])
      const [, accounts, , tokens, counters] = before
      const times = { created_at: null, last_used_at: null }
      const withTimes = accounts?.map((row) => ({ ...row, ...times }))
      expect([after[1], after[3], after[4]]).toEqual([withTimes, tokens, counters])

      for (const { user, account, session } of people) {
        expect(await storage.getUser(user.id)).toEqual(user)
        expect(await storage.listAccounts(user.id)).toEqual([account])
        expect(await storage.getSessionAndUser(session.id, NOW)).toEqual({
          session: { ...session, userId: user.id },
          user,
        })
        const owner = user.emailVerified ? user : undefined
        expect(await storage.getUserByEmail(user.email)).toEqual(owner)
      }
      await storage.createRevocation({ key: 'key', revokedAt: NOW, expires: NOW + HOUR })
      expect(await storage.getRevocation('key', NOW)).toBe(NOW)
    } finally {
      await close()
    }
  })

  test('an unverified email address blocks its owner no longer', async () => {
    const { close, people, storages } = await openFilled(2)
    const [storage] = storages
    try {
      await storage.migrate()
      const squatter = people.find(({ user }) => !user.emailVerified)?.user
      if (!squatter) throw new Error('every user has verified an email address')
      const owner = buildUser({ email: squatter.email })
      expect(await storage.createUser(owner, buildAccount(), buildSession())).toEqual(owner)
      expect(await storage.getUserByEmail(squatter.email)).toEqual(owner)
      expect(await storage.getUser(squatter.id)).toEqual(squatter)
    } finally {
      await close()
    }
  })

  test('an interrupted migration is completed', async () => {
    const { additions = [], statements = [] } = migrations[2] ?? {}
    const texts = [...additions.map(({ sql }) => sql), ...statements]
    for (const done of [1, additions.length, texts.length - 1]) {
      const { close, execute, people, prefix, storages } = await openFilled(2, 3)
      try {
        for (const text of texts.slice(0, done)) await execute(text.replaceAll('#', prefix))
        await storages[0].migrate()
        for (const { user } of people) expect(await storages[0].getUser(user.id)).toEqual(user)
      } finally {
        await close()
      }
    }
  })
})

interface Person {
  readonly user: ReturnType<typeof buildUser>
  readonly account: Account
  readonly session: NewSession
}

interface Filled extends Opened {
  readonly prefix: string
  readonly people: readonly Person[]
}

/** Creates a person; every third email address is unverified. */
function createPerson(i: number): Person {
  return {
    user: buildUser({ name: `Zoë ${i}`, emailVerified: i % 3 !== 0 }),
    account: buildAccount({ refresh_token: `refresh ${i}` }),
    session: buildSession(),
  }
}

/** Inserts the rows of a person into the tables of the first migration. */
async function insertPerson(
  execute: Opened['execute'],
  prefix: string,
  { user, account, session }: Person,
): Promise<void> {
  const insert = async (table: string, row: Record<string, string | number>): Promise<unknown> => {
    const values = Object.values(row).map((value) =>
      typeof value === 'number' ? value : `'${value}'`,
    )
    return execute(
      `INSERT INTO ${prefix}${table} (${Object.keys(row).join(', ')}) VALUES (${values.join(', ')})`,
    )
  }
  const { id, name, email, emailVerified } = user
  await insert('users', { id, name: name ?? '', email, email_verified: Number(emailVerified) })
  const { provider, type, providerAccountId, refresh_token = '' } = account
  await insert('accounts', {
    user_id: id,
    provider,
    provider_account_id: providerAccountId,
    type,
    refresh_token,
  })
  const { createdAt, renewedAt, expires, data } = session
  await insert('sessions', {
    id: session.id,
    user_id: id,
    created_at: createdAt,
    renewed_at: renewedAt,
    expires,
    data,
  })
  await insert('verification_tokens', { identifier: email, token: id, expires: NOW + HOUR })
  await insert('counters', { id, hits: 1, expires: NOW + HOUR })
}

function readTables(execute: Opened['execute'], prefix: string): Promise<(readonly Row[])[]> {
  const tables = ['users', 'accounts', 'sessions', 'verification_tokens', 'counters']
  return Promise.all(
    tables.map(async (table) => [...(await execute(`SELECT * FROM ${prefix}${table} ORDER BY 1`))]),
  )
}
