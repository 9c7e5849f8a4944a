import { memoryStorage } from '@latchkey/core/memory'
import { storageContract } from '@latchkey/core/testing/storage-contract'
import { contractFields, userFieldsContract } from '@latchkey/core/testing/user-fields-contract'
import { describe, test } from 'vitest'

describe('the storage contract: memory', () => {
  test.for(storageContract)('$name', ({ run }) => run(memoryStorage()))
})

describe('the contract of user fields: memory', () => {
  test.for(userFieldsContract)('$name', ({ run }) => run(memoryStorage({ fields: contractFields })))
})
