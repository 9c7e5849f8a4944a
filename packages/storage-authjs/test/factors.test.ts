import { ConfigurationError } from '@latchkey/core'
import { newFactor } from '@latchkey/testing/factors-contract'
import { getStorageCases } from '@latchkey/testing/storage-contract'
import { authjsStorage } from '@latchkey/storage-authjs'
import type { AuthjsFactors, AuthjsSteps } from '@latchkey/storage-authjs'
import { buildUser } from '@latchkey/test-support/records'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { checkSecondFactor, title } from '../../second-factor/test/support/each-storage.ts'
import { factorBackends } from './support/databases.ts'
import { FakeAdapter } from './support/fake.ts'
import { withSessions } from './support/with-sessions.ts'

const capabilities = [
  'sessions',
  'verificationTokens',
  'accountLists',
  'accountUpdates',
  'factors',
  'steps',
] as const

/** Statements that nothing calls. */
const unused: AuthjsFactors = {
  create: () => false,
  find: () => null,
  list: () => [],
  update: () => false,
  delete: () => false,
  deleteAll() {},
  unlink: () => false,
}

/** Statements that nothing calls. */
const unusedSteps: AuthjsSteps = { create() {}, take: () => null }

const adapter = new FakeAdapter()
const applicable = getStorageCases({
  ...authjsStorage(adapter, { factors: unused, steps: unusedSteps }),
  capabilities,
}).filter(({ needs }) =>
  needs.some((need) => need === 'factors' || need === 'steps' || need.startsWith('account')),
)

test('the contract has cases about factors', () => {
  expect(applicable.length).toBeGreaterThan(20)
})

describe.for(factorBackends)('the option factors: $name', ({ open }) => {
  let opened: Awaited<ReturnType<typeof open>>
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened.close())
  test.for(applicable)('$name', ({ run }) => run(authjsStorage(opened.adapter, opened)))
  test(title, () => checkSecondFactor(withSessions(authjsStorage(opened.adapter, opened))))
  test('the storage has the capability', () => {
    const { factors } = opened
    expect(authjsStorage(opened.adapter, opened).capabilities).toEqual(capabilities)
    const withoutAccounts = authjsStorage(opened.adapter, { factors })
    expect(withoutAccounts.capabilities).toEqual(['sessions', 'verificationTokens', 'factors'])
    expect(authjsStorage(opened.adapter).createFactor).toBeUndefined()
  })
})

test.for(Object.keys(unused))('factors without %s are refused', (method) => {
  const create = (factors: object): unknown =>
    authjsStorage(adapter, { factors: factors as AuthjsFactors })
  expect(create(unused)).toBeDefined()
  expect(() => create({ ...unused, [method]: undefined })).toThrow(ConfigurationError)
  expect(() => create({ ...unused, [method]: undefined })).toThrow(
    `factors: does not implement ${method}()`,
  )
})

test.for(Object.keys(unusedSteps))('steps without %s are refused', (method) => {
  const create = (steps: object): unknown => authjsStorage(adapter, { steps: steps as AuthjsSteps })
  expect(create(unusedSteps)).toBeDefined()
  expect(() => create({ ...unusedSteps, [method]: undefined })).toThrow(
    `steps: does not implement ${method}()`,
  )
})

test('a user with a factor whom the adapter gives another id is refused and deleted again', async () => {
  const numbering = new FakeAdapter()
  const storage = authjsStorage(numbering, { factors: { ...unused, create: () => true } })
  const create = storage.createUser(buildUser(), undefined, undefined, undefined, newFactor())
  await expect(create).rejects.toThrow('gave a user with a factor another id')
  expect(numbering.users).toEqual([])
  expect(await storage.createUser(buildUser())).toBeDefined()
})

test('a factor whose user is not found is an error while the factor is there', async () => {
  const factor = { ...newFactor(), userId: '1', version: 'v' }
  const found = [factor, factor, factor, null]
  const storage = authjsStorage(new FakeAdapter(), {
    factors: { ...unused, find: () => found.shift() },
  })
  const read = async (): Promise<unknown> => storage.getFactorAndUser?.(factor.type, factor.id)
  await expect(read()).rejects.toThrow('the user of a factor was not found')
  expect(await read()).toBeUndefined()
})
