import { memoryStorage } from '@latchkey/core/memory'
import { storageContract } from '@latchkey/core/testing/storage-contract'
import { describe, test } from 'vitest'

describe('the storage contract: memory', () => {
  test.for(storageContract)('$name', ({ run }) => run(memoryStorage()))
})
