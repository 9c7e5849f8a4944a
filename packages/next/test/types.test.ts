import type { Auth, DefaultSession } from '@latchkey/core'
import type { NextApiHandler } from 'next'
import type { NextProxy } from 'next/server.js'
import { describe, expectTypeOf, test } from 'vitest'
import { createNextAuth, getServerSession, getToken } from '../src/index.ts'
import type { InferSession, NextAuth } from '../src/index.ts'
import { withAuth } from '../src/proxy.ts'
import type { AuthProxy } from '../src/proxy.ts'
import { passport, secret } from '../../core/test/support/service.ts'

const next = createNextAuth(() => ({
  secret,
  providers: [passport()],
  callbacks: {
    jwt: ({ token }) => ({ ...token, role: 'member' as const }),
    session: ({ session, token }) => ({ id: session.user.id, role: token.role }),
  },
}))
type Mine = { id: string; role: 'member' }

const later = createNextAuth(async () => ({
  secret,
  providers: [passport()],
  callbacks: { session: ({ token }) => ({ id: token.sub }) },
}))
const plain = createNextAuth({ secret, providers: [passport()] })

describe('the type of the session', () => {
  test('is the return type of callbacks.session', () => {
    expectTypeOf(next.auth).returns.resolves.toEqualTypeOf<Mine | null>()
    expectTypeOf<InferSession<typeof next>>().toEqualTypeOf<Mine>()
    expectTypeOf(later.auth).returns.resolves.toEqualTypeOf<{ id: string } | null>()
    expectTypeOf(plain.auth).returns.resolves.toEqualTypeOf<DefaultSession | null>()
    expectTypeOf<NextAuth['auth']>().returns.resolves.toEqualTypeOf<DefaultSession | null>()
  })

  test('is the same for getServerSession, withAuth and the service', () => {
    expectTypeOf(() => getServerSession(next)).returns.resolves.toEqualTypeOf<Mine | null>()
    withAuth(next, {
      authorized: ({ session }) => {
        expectTypeOf(session).toEqualTypeOf<Mine | null>()
        return true
      },
    })
    expectTypeOf(next.service).returns.resolves.toExtend<Auth<Mine>>()
  })
})

test('the type of the token is the return type of callbacks.jwt', () => {
  expectTypeOf(() => getToken(next)).returns.resolves.toExtend<{ role: 'member' } | null>()
  expectTypeOf(() => getToken(new Request(''), next)).returns.resolves.toExtend<{
    role: 'member'
  } | null>()
})

test('the handlers have the types of Next.js', () => {
  expectTypeOf(next.apiHandler).toExtend<NextApiHandler>()
  expectTypeOf<AuthProxy>().toExtend<NextProxy>()
})

test('an unknown option does not compile', () => {
  // @ts-expect-error: there is no such option
  void (() => createNextAuth(() => ({ secret, providers: [] }), { ip: () => '' }))
})
