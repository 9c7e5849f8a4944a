import { createAuth } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { contractConfig } from '@latchkey/testing/contract-config'
import { getServiceCases, serviceContract } from '@latchkey/testing/service-contract'
import { describe, expect, test } from 'vitest'
import { asDocumented } from './support/openapi.ts'

const mounts = [
  ['https://app.example', '/api/auth', {}],
  ['http://localhost:3000', '/api/auth', {}],
  ['https://app.example/sso', '/sso', {}],
  ['https://app.example', '/api/auth', { session: { strategy: 'cookie', revocable: true } }],
] as const

describe.for(mounts)('the service contract at %s (%s, %j)', ([serviceUrl, path, over]) => {
  const { session } = contractConfig()
  const { handle } = createAuth(
    contractConfig({
      serviceUrl,
      session: { ...session, ...('session' in over && over.session) },
    }),
  )
  const base = new URL(serviceUrl).origin + path
  const host = { base, send: asDocumented(base, handle) }
  test.for(serviceContract)('$name', ({ run }) => run(host))
})

test('a service that cannot have second factors is spared their cases only', () => {
  expect(getServiceCases(contractConfig())).toEqual(serviceContract)
  const storage = { ...memoryStorage(), capabilities: ['sessions', 'sessionData'] } as const
  for (const over of [{ storage }, { session: { strategy: 'cookie' } }] as const) {
    const config = contractConfig(over)
    expect(createAuth(config)).toHaveProperty('handle')
    const left = serviceContract.filter((each) => !getServiceCases(config).includes(each))
    expect(left.map(({ needs }) => needs)).toEqual(['secondFactor', 'account'])
  }
})
