import type { Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { storageContract } from '@latchkey/testing/storage-contract'
import { contractFields, userFieldsContract } from '@latchkey/testing/user-fields-contract'
import { describe, expect, test } from 'vitest'

describe('the storage contract: memory', () => {
  test.for(storageContract)('$name', ({ run }) => run(memoryStorage()))
})

describe('the contract of user fields: memory', () => {
  test.for(userFieldsContract)('$name', ({ run }) => run(memoryStorage({ fields: contractFields })))
})

test('a deleted user leaves no session to a new user with the same id', async () => {
  const storage = memoryStorage()
  const user = { name: null, email: null, emailVerified: false, image: null }
  const session = { createdAt: 100, renewedAt: 100, expires: 200, data: '' }
  for (const id of ['alice', 'bob']) {
    await storage.createUser({ id, ...user })
    await storage.createSession(id, { id: `session of ${id}`, ...session })
  }
  await storage.deleteUser('alice')
  await storage.createUser({ id: 'alice', ...user })
  expect(await storage.listSessions('alice', 100)).toEqual([])
  expect(await storage.getSessionAndUser('session of alice', 100)).toBeUndefined()
  expect(await storage.listSessions('bob', 100)).toHaveLength(1)
})

describe('revocations in memory', () => {
  const NOW = 1_900_000_000
  const revoke = (storage: Storage, name: string, at = NOW): Promise<void> =>
    storage.createRevocation({ key: name, revokedAt: at, expires: at + 600 })

  test('are the latest 50,000: the memory of a process is bounded', async () => {
    const storage = memoryStorage()
    for (let i = 0; i < 50_000; i++) await revoke(storage, `key ${i}`)
    expect(await storage.getRevocation('key 0', NOW)).toBe(NOW)
    await revoke(storage, 'key 0')
    await revoke(storage, 'another key')
    expect(await storage.getRevocation('key 1', NOW)).toBeUndefined()
    for (const key of ['key 0', 'key 2', 'key 49999', 'another key']) {
      expect(await storage.getRevocation(key, NOW)).toBe(NOW)
    }
  })

  test('that have expired make room for others', async () => {
    const storage = memoryStorage()
    await revoke(storage, 'key that lasts', NOW + 600)
    for (let i = 0; i < 49_999; i++) await revoke(storage, `key ${i}`)
    for (let i = 0; i < 40_000; i++) await revoke(storage, `later key ${i}`, NOW + 600)
    expect(await storage.getRevocation('key that lasts', NOW + 600)).toBe(NOW + 600)
  })
})
