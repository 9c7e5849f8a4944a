import { createAuth } from '@latchkey/core'
import type { Auth, SessionToken } from '@latchkey/core'
import { contractConfig } from '@latchkey/testing/contract-config'
import { instrumentConfig, telemetry } from '@latchkey/opentelemetry'
import { expectTypeOf, test } from 'vitest'

interface Session {
  readonly role: 'admin' | 'member'
}

type Token = SessionToken & { readonly role: 'admin' }

const { secret, providers } = contractConfig()

test('the types of session and token are inferred as by createAuth', () => {
  const auth = telemetry(createAuth)({
    secret,
    providers,
    callbacks: {
      jwt: ({ token }): Token => ({ ...token, role: 'admin' }),
      session: ({ token }): Session => ({ role: token.role }),
    },
  })
  expectTypeOf(auth).toEqualTypeOf<Auth<Session, Token>>()
  expectTypeOf(telemetry(createAuth)).toEqualTypeOf<typeof createAuth>()
})

test('instrumentConfig keeps the type of a configuration', () => {
  const config = contractConfig()
  expectTypeOf(instrumentConfig(config)).toEqualTypeOf<typeof config>()
})
