import { storageContract } from '@latchkey/core/testing/storage-contract'
import { test } from 'vitest'
import { alternate } from './support/alternate.ts'
import { onEveryBackend } from './support/on-every-backend.ts'

onEveryBackend('the storage contract', (ready) => {
  test.for(storageContract)('$name', ({ run }) => run(alternate(ready().storages)))
})
