import { createClient } from '@latchkey/client'
import type { Failure, InferSession } from '@latchkey/client'
import { createFactors } from '@latchkey/client/factors'
import type { FactorInfo } from '@latchkey/client/factors'
import { createReactClient } from '@latchkey/client/react'
import * as defaults from '@latchkey/client/react'
import { createReactFactors } from '@latchkey/client/react-factors'
import type { UseFactorsValue } from '@latchkey/client/react-factors'
import { createAuth } from '@latchkey/core'
import type { DefaultSession, ErrorCode } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { userFields } from '@latchkey/core/user-fields'
import { describe, expectTypeOf, test } from 'vitest'
import { passport } from './support/provider.ts'

const auth = createAuth({
  secret: 'client test secret of at least 32 bytes',
  providers: [passport],
  callbacks: {
    session: ({ session, token }) => ({
      ...session,
      user: { ...session.user, isAdmin: token.sub === '1', roles: ['reader'] as const },
      since: new Date(0),
    }),
  },
})

interface ClientSession {
  readonly user: {
    readonly id: string
    readonly name: string | null
    readonly email: string | null
    readonly emailVerified: boolean
    readonly image: string | null
    readonly isAdmin: boolean
    readonly roles: readonly ['reader']
  }
  readonly expires: string
  /** A `Date` on the server, a string after JSON serialisation. */
  readonly since: string
}

describe('the session type', () => {
  test('of a client is the return type of callbacks.session', () => {
    const client = createClient<typeof auth>()
    expectTypeOf<InferSession<typeof auth>>().toEqualTypeOf<ClientSession>()
    expectTypeOf(client.getSession).returns.resolves.toEqualTypeOf<ClientSession | null>()
    expectTypeOf(client.getSnapshot().session).toEqualTypeOf<ClientSession | null>()
    const state = client.getSnapshot()
    if (state.status === 'authenticated') expectTypeOf(state.session).toEqualTypeOf<ClientSession>()
    else expectTypeOf(state.session).toEqualTypeOf<null>()
    expectTypeOf(state.error).toEqualTypeOf<ErrorCode | undefined>()
  })

  test('of React is the return type of callbacks.session', () => {
    const react = createReactClient<typeof auth>()
    type Value = ReturnType<typeof react.useSession<false>>
    expectTypeOf<Value['data']>().toEqualTypeOf<ClientSession | null | undefined>()
    expectTypeOf<Extract<Value, { status: 'loading' }>['data']>().toEqualTypeOf<undefined>()
    expectTypeOf<Extract<Value, { status: 'unauthenticated' }>['data']>().toEqualTypeOf<null>()
    expectTypeOf<Value['status']>().toEqualTypeOf<'authenticated' | 'loading' | 'unauthenticated'>()
    expectTypeOf<
      Extract<Value, { status: 'authenticated' }>['data']
    >().toEqualTypeOf<ClientSession>()
    type RequiredValue = ReturnType<typeof react.useSession<true>>
    expectTypeOf<RequiredValue['status']>().toEqualTypeOf<'authenticated' | 'loading'>()
    expectTypeOf<RequiredValue['data']>().toEqualTypeOf<ClientSession | null>()
    expectTypeOf<Value['update']>().returns.resolves.toEqualTypeOf<ClientSession | null>()
    expectTypeOf<Parameters<typeof react.SessionProvider>[0]['session']>().toEqualTypeOf<
      ClientSession | null | undefined
    >()
  })

  test('has the fields of users that the storage declares', () => {
    const withFields = createAuth({
      secret: 'client test secret of at least 32 bytes',
      providers: [passport],
      storage: memoryStorage({
        fields: userFields({
          role: { type: 'text', default: 'member' },
          trialEnds: { type: 'date' },
        }),
      }),
      callbacks: {
        session: ({ session, user }) => ({
          ...session,
          role: user?.role ?? 'member',
          trialEnds: user?.trialEnds ?? null,
        }),
      },
    })
    const { useSession } = createReactClient<typeof withFields>()
    type Data = NonNullable<ReturnType<typeof useSession<false>>['data']>
    expectTypeOf<Data['role']>().toEqualTypeOf<string>()
    expectTypeOf<Data['trialEnds']>().toEqualTypeOf<string | null>()
    expectTypeOf<Data['user']['id']>().toEqualTypeOf<string>()
  })

  test('is the default session without a service', () => {
    expectTypeOf(createClient().getSession).returns.resolves.toEqualTypeOf<DefaultSession | null>()
    expectTypeOf(defaults.getSession).returns.resolves.toEqualTypeOf<DefaultSession | null>()
  })

  test('is never any', () => {
    const client = createClient<typeof auth>()
    expectTypeOf(client.getSnapshot().session).not.toBeAny()
    expectTypeOf(client.getProviders).returns.resolves.not.toBeAny()
    // @ts-expect-error -- there is no such member
    void (() => client.getSnapshot().session?.user.isOwner)
  })
})

describe('results', () => {
  test('are a URL or a session, or a failure', () => {
    const { signIn, signOut, updateSession } = createClient<typeof auth>()
    type Result = { readonly ok: true; readonly url: string } | Failure
    expectTypeOf(signIn).returns.resolves.toEqualTypeOf<Result>()
    expectTypeOf(signOut).returns.resolves.toEqualTypeOf<Result>()
    expectTypeOf(updateSession).returns.resolves.toEqualTypeOf<
      { readonly ok: true; readonly session: ClientSession | null } | Failure
    >()
    expectTypeOf<Failure['error']>().toEqualTypeOf<ErrorCode>()
  })

  test('of the React entry are the types of next-auth', () => {
    expectTypeOf(defaults.signIn).returns.resolves.toEqualTypeOf<
      defaults.SignInResponse | undefined
    >()
    expectTypeOf(defaults.signOut<false>).returns.resolves.toEqualTypeOf<{ readonly url: string }>()
    expectTypeOf(defaults.signOut<true>).returns.resolves.toEqualTypeOf<undefined>()
  })
})

describe('factors', () => {
  test('are what auth.factors.list returns, or a failure', () => {
    const { list, enrol, rename, remove } = createFactors(createClient<typeof auth>())
    expectTypeOf<FactorInfo>().toEqualTypeOf<
      Awaited<ReturnType<typeof auth.factors.list>>[number]
    >()
    expectTypeOf(list).returns.resolves.toEqualTypeOf<
      { readonly ok: true; readonly factors: readonly FactorInfo[] | null } | Failure
    >()
    expectTypeOf(enrol).returns.resolves.toEqualTypeOf<
      { readonly ok: true; readonly url: string; readonly codes?: readonly string[] } | Failure
    >()
    type Result = { readonly ok: true; readonly url: string } | Failure
    expectTypeOf(rename).returns.resolves.toEqualTypeOf<Result>()
    expectTypeOf(remove).returns.resolves.toEqualTypeOf<Result>()
    expectTypeOf(rename).parameter(1).toEqualTypeOf<string | null>()
  })

  test('of React are there if the status is ready, and the error if it is failed', () => {
    type Value = UseFactorsValue
    type Ready = Extract<Value, { status: 'ready' }>
    expectTypeOf<Ready['factors']>().toEqualTypeOf<readonly FactorInfo[]>()
    expectTypeOf<Ready['error']>().toEqualTypeOf<ErrorCode | undefined>()
    expectTypeOf<Extract<Value, { status: 'failed' }>['error']>().toEqualTypeOf<ErrorCode>()
    expectTypeOf<Value['status']>().toEqualTypeOf<
      'loading' | 'ready' | 'unauthenticated' | 'failed'
    >()
    const typed = createReactFactors(createReactClient<typeof auth>())
    expectTypeOf(typed.useFactors).returns.toEqualTypeOf<Value>()
  })
})
