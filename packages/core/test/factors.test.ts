import { AuthError } from '@latchkey/core'
import { newFactor } from '@latchkey/testing/factors-contract'
import { expect, test } from 'vitest'
import { platformClock } from '../src/lib/clock.ts'
import { guardStorage } from '../src/storage/guard-storage.ts'
import type { GuardedStorage } from '../src/storage/guard-storage.ts'
import { breakableStorage } from './support/breakable.ts'

type Call = (storage: GuardedStorage) => Promise<unknown>

const factor = newFactor()
const { type, id } = factor

test.for<readonly [string, Call, unknown]>([
  ['getFactorAndUser', (storage) => storage.getFactorAndUser(type, id), undefined],
  ['listFactors', (storage) => storage.listFactors('alice'), []],
  ['createFactor', (storage) => storage.createFactor('alice', factor), false],
  ['updateFactor', (storage) => storage.updateFactor(type, id, '1', {}), false],
  ['deleteFactor', (storage) => storage.deleteFactor('alice', type, id), 'absent'],
])('I-49.6: %s that fails is Unavailable, never “no factor”', async ([name, call, absent]) => {
  const { storage: breakable, fail } = breakableStorage()
  const storage = guardStorage(breakable, 10, platformClock)
  expect(await call(storage)).toEqual(absent)
  fail()
  const thrown: unknown = await call(storage).catch((error: unknown) => error)
  expect(thrown).toBeInstanceOf(AuthError)
  expect(thrown).toMatchObject({ code: 'Unavailable', message: `storage.${name} failed` })
})
