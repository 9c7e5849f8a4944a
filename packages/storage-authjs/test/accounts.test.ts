import { ConfigurationError } from '@latchkey/core'
import { storageContract } from '@latchkey/testing/storage-contract'
import { authjsStorage } from '@latchkey/storage-authjs'
import type { AuthjsAccounts } from '@latchkey/storage-authjs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountBackends } from './support/databases.ts'
import type { Opened } from './support/databases.ts'
import { FakeAdapter } from './support/fake.ts'

const capabilities = ['sessions', 'verificationTokens', 'accountLists', 'accountUpdates']
const applicable = storageContract.filter(
  ({ needs }) =>
    needs.some((capability) => capability.startsWith('account')) &&
    needs.every((capability) => capabilities.includes(capability)),
)

test('the contract has cases about accounts', () => {
  expect(applicable.length).toBeGreaterThan(5)
})

describe.for(accountBackends)('the option accounts: $name', ({ open }) => {
  let opened: Opened & { readonly accounts: AuthjsAccounts }
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened.close())
  test.for(applicable)('$name', ({ run }) => {
    const { adapter, accounts } = opened
    return run(authjsStorage(adapter, { accounts }))
  })
  test('the storage has the capabilities', () => {
    const { adapter, accounts } = opened
    expect(authjsStorage(adapter, { accounts }).capabilities).toEqual(capabilities)
  })
})

test.for(['list', 'update', 'unlink'])('accounts without %s are refused', (method) => {
  const accounts = { list() {}, update() {}, unlink() {}, [method]: undefined }
  const create = (): unknown =>
    authjsStorage(new FakeAdapter(), { accounts: accounts as unknown as AuthjsAccounts })
  expect(create).toThrow(ConfigurationError)
  expect(create).toThrow(`accounts: does not implement ${method}()`)
})
