import { test } from 'vitest'
import { checkSameAsMemory } from '../../core/test/support/storage-calls.ts'
import { onSelectedBackends } from './support/on-every-backend.ts'

onSelectedBackends('any sequence of calls', (ready) => {
  test('returns what the memory storage returns', () => checkSameAsMemory(ready().storages[0]))
})
