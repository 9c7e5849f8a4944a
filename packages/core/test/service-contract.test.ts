import { createAuth } from '@latchkey/core'
import { contractConfig } from '@latchkey/core/testing/contract-config'
import { serviceContract } from '@latchkey/core/testing/service-contract'
import { describe, test } from 'vitest'
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
