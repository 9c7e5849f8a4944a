import type { NewSession } from '@latchkey/core'
import type { Row, SqlStorage } from '@latchkey/storage-sql'
import { buildAccount, buildSession, buildUser, HOUR, NOW } from '@latchkey/test-support/records'
import { expect, test } from 'vitest'
import { mysql, postgres, sqlite } from '../src/dialects.ts'
import { getMigrations } from '../src/schema.ts'
import { alternate } from './support/alternate.ts'
import { createPrefix, getReachableBackends } from './support/backends.ts'
import type { Opened } from './support/backends.ts'
import { onEveryBackend } from './support/on-every-backend.ts'

const dialects = { mysql, postgres, sqlite }
const ROWS = 50

onEveryBackend('migrate', (ready) => {
  test('is idempotent', async () => {
    const { execute, prefix, storages } = ready()
    const [storage] = storages
    const user = buildUser()
    await storage.createUser(user)
    await storage.migrate()
    expect(await storage.getUser(user.id)).toEqual(user)
    const rows = await execute(`SELECT name FROM ${prefix}migrations ORDER BY name`)
    expect(rows.map(({ name }) => String(name))).toEqual(['0001_initial', '0002_revocations'])
  })
})

test.for(await getReachableBackends())('five concurrent migrations: $name', async (backend) => {
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

test.for(await getReachableBackends())('migrate a filled database: $name', async (backend) => {
  const prefix = createPrefix()
  const { close, execute, storages } = await backend.open(prefix)
  const [storage] = storages
  try {
    const [initial] = getMigrations(dialects[backend.dialect])
    for (const text of initial?.statements ?? []) await execute(text.replaceAll('#', prefix))
    const session = buildSession()
    await fill(storage, session)
    const before = await readTables(execute, prefix)
    expect(before.map((rows) => rows.length)).toEqual([ROWS, ROWS, ROWS, ROWS, ROWS])

    for (let i = 0; i < 2; i++) await storage.migrate()

    expect(await readTables(execute, prefix)).toEqual(before)
    const found = await storage.getSessionAndUser(session.id, NOW)
    expect(found?.session).toMatchObject(session)
    await storage.createRevocation({ key: session.id, revokedAt: NOW, expires: NOW + HOUR })
    expect(await storage.getRevocation(session.id, NOW)).toBe(NOW)
  } finally {
    await close()
  }
})

/** Fills the tables of the first migration. */
async function fill(storage: SqlStorage, first: NewSession): Promise<void> {
  for (let i = 0; i < ROWS; i++) {
    const session = i === 0 ? first : buildSession()
    const user = buildUser({ name: `Zoë ${i}` })
    await storage.createUser(user, buildAccount({ refresh_token: `refresh ${i}` }), session)
    const { id, email } = user
    await storage.createVerificationToken({ identifier: email, token: id, expires: NOW + HOUR })
    await storage.increment(id, HOUR, NOW)
  }
}

function readTables(execute: Opened['execute'], prefix: string): Promise<(readonly Row[])[]> {
  const tables = ['users', 'accounts', 'sessions', 'verification_tokens', 'counters']
  return Promise.all(
    tables.map(async (table) => [...(await execute(`SELECT * FROM ${prefix}${table} ORDER BY 1`))]),
  )
}
