import { storageContract } from '@latchkey/core/testing/storage-contract'
import type { StorageCase } from '@latchkey/core/testing/storage-contract'
import type { Storage } from '@latchkey/core'
import { authjsStorage } from '@latchkey/storage-authjs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { backends } from './support/databases.ts'
import type { Opened } from './support/databases.ts'

const AT_ONCE = 200
/** What an Auth.js adapter can do. */
const capabilities = ['sessions', 'verificationTokens']
const applicable = storageContract.filter(({ needs }) =>
  needs.every((capability) => capabilities.includes(capability)),
)

describe.for(backends)('the storage contract: $name', ({ name, open, exceptions, isAtomic }) => {
  let opened: Opened
  let storage: Storage
  beforeAll(async () => {
    opened = await open()
    storage = authjsStorage(opened.adapter)
    for (const [one, reason] of Object.entries(exceptions)) {
      console.info(`${name} cannot meet “${one}”: ${reason}`)
    }
  })
  afterAll(() => opened.close())
  const isException = (one: StorageCase): boolean => Object.hasOwn(exceptions, one.name)

  test('it is capable of sessions and verification tokens', () => {
    expect(storage.capabilities).toEqual(capabilities)
  })
  test.for(applicable.filter((one) => !isException(one)))('$name', ({ run }) => run(storage))

  test.for(applicable.filter(isException))('still cannot: $name', async ({ run }) => {
    await expect(run(storage)).rejects.toThrow()
  })
  test('what it cannot do are cases of the contract', () => {
    expect(applicable.map((one) => one.name)).toEqual(
      expect.arrayContaining(Object.keys(exceptions)),
    )
  })
  test(`by itself it gives a token ${isAtomic ? 'to one caller' : 'to several callers'}`, async () => {
    const token = { identifier: 'somebody@example.com', token: crypto.randomUUID() }
    await opened.adapter.createVerificationToken?.({ ...token, expires: inAnHour() })
    const given = await Promise.all(
      Array.from({ length: AT_ONCE }, async () => opened.adapter.useVerificationToken?.(token)),
    )
    const count = given.filter(Boolean).length
    console.info(`${name} by itself gives one token to ${count} of ${AT_ONCE} callers`)
    expect(count === 1).toBe(isAtomic)
  })
})

function inAnHour(): Date {
  return new Date(Math.ceil(Date.now() / 1000) * 1000 + 3_600_000)
}
