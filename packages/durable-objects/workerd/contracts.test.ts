import { applyD1Migrations } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { createAuth } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { contractConfig } from '@latchkey/testing/contract-config'
import { limiterContract } from '@latchkey/testing/limiter-contract'
import { serviceContract } from '@latchkey/testing/service-contract'
import { getStorageCases } from '@latchkey/testing/storage-contract'
import { contractFields, userFieldsContract } from '@latchkey/testing/user-fields-contract'
import { durableLimiter, withDurableObjects } from '@latchkey/durable-objects'
import { d1Storage } from '@latchkey/storage-sql/d1'
import { sqlFactors } from '@latchkey/storage-sql/factors'
import { sqlGrants } from '@latchkey/storage-sql/grants'
import { beforeAll, describe, test } from 'vitest'
import { checkSecondFactor, title } from '../../second-factor/test/support/each-storage.ts'

beforeAll(() => applyD1Migrations(env.DB, env.MIGRATIONS))

describe('the limiter contract', () => {
  test.for(limiterContract)('$name', ({ run }) => run(durableLimiter(env.LATCHKEY)))
})

describe('the storage contract, with sessions', () => {
  const database = d1Storage(env.DB, { factors: sqlFactors(), grants: sqlGrants() })
  const storage = withDurableObjects(database, env.LATCHKEY, { sessions: true })
  test.for(getStorageCases(storage))('$name', ({ run }) => run(storage))
  test(title, () => checkSecondFactor(storage))
})

describe('the storage contract, without sessions', () => {
  const storage = withDurableObjects(memoryStorage(), env.LATCHKEY)
  test.for(getStorageCases(storage))('$name', ({ run }) => run(storage))
})

describe('the contract of user fields, with sessions', () => {
  const memory = memoryStorage({ fields: contractFields })
  const storage = withDurableObjects(memory, env.LATCHKEY, { sessions: true })
  test.for(userFieldsContract)('$name', ({ run }) => run(storage))
})

describe('the service contract, with sessions', () => {
  const serviceUrl = 'https://app.example'
  const database = d1Storage(env.DB, { factors: sqlFactors(), grants: sqlGrants() })
  const storage = withDurableObjects(database, env.LATCHKEY, { sessions: true })
  const { handle } = createAuth(contractConfig({ serviceUrl, storage }))
  const host = { base: `${serviceUrl}/api/auth`, send: handle }
  test.for(serviceContract)('$name', ({ run }) => run(host))
})
