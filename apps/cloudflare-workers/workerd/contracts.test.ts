import { applyD1Migrations } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { createAuth } from '@latchkey/core'
import { contractConfig } from '@latchkey/testing/contract-config'
import { serviceContract } from '@latchkey/testing/service-contract'
import { storageContract } from '@latchkey/testing/storage-contract'
import { d1Storage } from '@latchkey/storage-sql/d1'
import { sqlFactors } from '@latchkey/storage-sql/factors'
import { sqlGrants } from '@latchkey/storage-sql/grants'
import { beforeAll, describe, test } from 'vitest'
import { platform } from '../../../packages/core/src/crypto/web.ts'
import { platformContract } from '../../../packages/core/test/support/platform-contract.ts'

beforeAll(() => applyD1Migrations(env.DB, env.MIGRATIONS))

describe('the service contract, with D1', () => {
  const serviceUrl = 'https://app.example'
  const storage = d1Storage(env.DB, { factors: sqlFactors(), grants: sqlGrants() })
  const { handle } = createAuth(contractConfig({ serviceUrl, storage }))
  const host = { base: `${serviceUrl}/api/auth`, send: handle }
  test.for(serviceContract)('$name', ({ run }) => run(host))
})

describe('the storage contract, on D1', () => {
  const storage = d1Storage(env.DB, { factors: sqlFactors(), grants: sqlGrants() })
  test.for(storageContract)('$name', ({ run }) => run(storage))
})

describe('the contract of a platform, with WebCrypto of workerd', () => {
  test.for(platformContract)('$name', ({ run }) => run(platform))
})
