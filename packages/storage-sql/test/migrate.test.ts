import { expect, test } from 'vitest'
import { alternate } from './support/alternate.ts'
import { onEveryBackend } from './support/on-every-backend.ts'
import { newPrefix, reachableBackends } from './support/backends.ts'
import { aUser } from './support/people.ts'

onEveryBackend('migrate', (ready) => {
  test('a second time changes nothing', async () => {
    const { execute, prefix, storages } = ready()
    const [storage] = storages
    const user = aUser()
    await storage.createUser(user)
    await storage.migrate()
    expect(await storage.getUser(user.id)).toEqual(user)
    const rows = await execute(`SELECT name FROM ${prefix}migrations`)
    expect(rows.map(({ name }) => String(name))).toEqual(['0001_initial'])
  })
})

test.for(await reachableBackends())('migrate five times at once: $name', async (backend) => {
  const { close, storages } = await backend.open(newPrefix())
  try {
    const one = alternate(storages)
    await Promise.all(Array.from({ length: 5 }, () => one.migrate()))
    const user = aUser()
    expect(await storages[0].createUser(user)).toEqual(user)
  } finally {
    await close()
  }
})
