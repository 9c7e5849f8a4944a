import { buildUser } from '@latchkey/test-support/records'
import { expect, test } from 'vitest'
import { alternate } from './support/alternate.ts'
import { createPrefix, getReachableBackends } from './support/backends.ts'
import { onEveryBackend } from './support/on-every-backend.ts'

onEveryBackend('migrate', (ready) => {
  test('is idempotent', async () => {
    const { execute, prefix, storages } = ready()
    const [storage] = storages
    const user = buildUser()
    await storage.createUser(user)
    await storage.migrate()
    expect(await storage.getUser(user.id)).toEqual(user)
    const rows = await execute(`SELECT name FROM ${prefix}migrations`)
    expect(rows.map(({ name }) => String(name))).toEqual(['0001_initial'])
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
