import { storageContract } from '@latchkey/testing/storage-contract'
import { contractFields, userFieldsContract } from '@latchkey/testing/user-fields-contract'
import type { ContractFieldValues } from '@latchkey/testing/user-fields-contract'
import type { SqlStorage } from '@latchkey/storage-sql'
import { userFields } from '@latchkey/storage-sql/user-fields'
import { test } from 'vitest'
import { alternate } from './support/alternate.ts'
import { onSelectedBackends } from './support/on-every-backend.ts'

onSelectedBackends('the storage contract', (ready) => {
  test.for(storageContract)('$name', ({ run }) => run(alternate(ready().storages)))
})

onSelectedBackends(
  'the contract of user fields',
  (ready) => {
    test.for(userFieldsContract)('$name', ({ run }) =>
      run(alternate(ready().storages) as SqlStorage<ContractFieldValues>),
    )
  },
  userFields(contractFields.declarations),
)
