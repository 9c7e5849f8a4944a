import { createClient } from '@latchkey/client'
import type { Failure, SessionOf } from '@latchkey/client'
import { createReactClient } from '@latchkey/client/react'
import * as defaults from '@latchkey/client/react'
import { createAuth } from '@latchkey/core'
import type { DefaultSession, ErrorCode } from '@latchkey/core'
import { describe, expectTypeOf, test } from 'vitest'
import { passport } from './support/provider.ts'

const auth = createAuth({
  secret: 'the secret of the tests of the client',
  providers: [passport],
  callbacks: {
    session: ({ session, token }) => ({
      ...session,
      user: { ...session.user, isAdmin: token.sub === '1', roles: ['reader'] as const },
      since: new Date(0),
    }),
  },
})

interface Seen {
  readonly user: {
    readonly id: string
    readonly name: string | null
    readonly email: string | null
    readonly image: string | null
    readonly isAdmin: boolean
    readonly roles: readonly ['reader']
  }
  readonly expires: string
  /** A `Date` on the server, text once it has been JSON. */
  readonly since: string
}

describe('the session’s type', () => {
  test('flows from callbacks.session to the client', () => {
    const client = createClient<typeof auth>()
    expectTypeOf<SessionOf<typeof auth>>().toEqualTypeOf<Seen>()
    expectTypeOf(client.getSession).returns.resolves.toEqualTypeOf<Seen | null>()
    expectTypeOf(client.getSnapshot().session).toEqualTypeOf<Seen | null>()
    const state = client.getSnapshot()
    if (state.status === 'authenticated') expectTypeOf(state.session).toEqualTypeOf<Seen>()
    else expectTypeOf(state.session).toEqualTypeOf<null>()
    expectTypeOf(state.error).toEqualTypeOf<ErrorCode | undefined>()
  })

  test('flows from callbacks.session to React', () => {
    const react = createReactClient<typeof auth>()
    type Value = ReturnType<typeof react.useSession<false>>
    expectTypeOf<Value['data']>().toEqualTypeOf<Seen | null>()
    expectTypeOf<Value['status']>().toEqualTypeOf<'authenticated' | 'loading' | 'unauthenticated'>()
    expectTypeOf<Extract<Value, { status: 'authenticated' }>['data']>().toEqualTypeOf<Seen>()
    type Needed = ReturnType<typeof react.useSession<true>>
    expectTypeOf<Needed['status']>().toEqualTypeOf<'authenticated' | 'loading'>()
    expectTypeOf<Value['update']>().returns.resolves.toEqualTypeOf<Seen | null>()
    expectTypeOf<Parameters<typeof react.SessionProvider>[0]['session']>().toEqualTypeOf<
      Seen | null | undefined
    >()
  })

  test('is the default one without a service', () => {
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
  test('say what to do next, or why not', () => {
    const { signIn, signOut, updateSession } = createClient<typeof auth>()
    type Result = { readonly ok: true; readonly url: string } | Failure
    expectTypeOf(signIn).returns.resolves.toEqualTypeOf<Result>()
    expectTypeOf(signOut).returns.resolves.toEqualTypeOf<Result>()
    expectTypeOf(updateSession).returns.resolves.toEqualTypeOf<
      { readonly ok: true; readonly session: Seen | null } | Failure
    >()
    expectTypeOf<Failure['error']>().toEqualTypeOf<ErrorCode>()
  })

  test('are next-auth’s in its place', () => {
    expectTypeOf(defaults.signIn).returns.resolves.toEqualTypeOf<
      defaults.SignInResponse | undefined
    >()
    expectTypeOf(defaults.signOut<false>).returns.resolves.toEqualTypeOf<{ readonly url: string }>()
    expectTypeOf(defaults.signOut<true>).returns.resolves.toEqualTypeOf<undefined>()
  })
})
