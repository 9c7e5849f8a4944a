import type { Storage } from '@latchkey/core'
import { storageContract } from '@latchkey/testing/storage-contract'
import type { StorageCase } from '@latchkey/testing/storage-contract'
import { authjsStorage } from '@latchkey/storage-authjs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { backends } from './support/databases.ts'
import type { Opened } from './support/databases.ts'

const CALLERS = 64
/** The capabilities of these adapters. */
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
    for (const [title, reason] of Object.entries(exceptions)) {
      console.info(`${name} fails “${title}”: ${reason}`)
    }
  })
  afterAll(() => opened.close())
  const isException = ({ name: title }: StorageCase): boolean => Object.hasOwn(exceptions, title)

  test('it has the capabilities sessions and verificationTokens', () => {
    expect(storage.capabilities).toEqual(capabilities)
  })
  test.for(applicable.filter((one) => !isException(one)))('$name', ({ run }) => run(storage))

  test.for(applicable.filter(isException))('known failure: $name', async ({ run }) => {
    await expect(run(storage)).rejects.toThrow()
  })
  test('known failures are cases of the contract', () => {
    expect(applicable.map((one) => one.name)).toEqual(
      expect.arrayContaining(Object.keys(exceptions)),
    )
  })
  test(`the adapter itself gives a token to ${isAtomic ? 'one caller' : 'several callers'}`, async () => {
    const token = { identifier: 'alice@example.com', token: crypto.randomUUID() }
    await opened.adapter.createVerificationToken?.({ ...token, expires: getInOneHour() })
    const given = await Promise.all(
      Array.from({ length: CALLERS }, async () => opened.adapter.useVerificationToken?.(token)),
    )
    const count = given.filter(Boolean).length
    console.info(`${name} itself gives one token to ${count} of ${CALLERS} callers`)
    expect(count === 1).toBe(isAtomic)
  })
})

function getInOneHour(): Date {
  return new Date(Math.ceil(Date.now() / 1000) * 1000 + 3_600_000)
}
