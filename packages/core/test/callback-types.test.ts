import { createAuth } from '@latchkey/core'
import type {
  Account,
  AuthConfig,
  DefaultSession,
  JwtArguments,
  SessionToken,
  UntypedToken,
  User,
} from '@latchkey/core'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { passport, secret, serve, signIn } from './support/service.ts'

type Role = 'admin' | 'member'

interface AppToken extends SessionToken {
  readonly role: Role
  readonly renewals: number
}

const base = { secret, providers: [passport()] }

describe('the claims of callbacks.jwt are typed at a renewal (I-46)', () => {
  test('by the return type of the callback', () => {
    const auth = createAuth({
      ...base,
      callbacks: {
        jwt: ({ token, user, account, isNewUser }): AppToken => {
          if (!user) {
            expectTypeOf(token).toEqualTypeOf<AppToken>()
            expectTypeOf(account).toEqualTypeOf<undefined>()
            return { ...token, renewals: token.renewals + 1 }
          }
          expectTypeOf(user).toEqualTypeOf<User>()
          expectTypeOf(account).toEqualTypeOf<Account>()
          expectTypeOf(isNewUser).toEqualTypeOf<boolean>()
          return { ...token, role: 'member', renewals: 0 }
        },
        session: ({ session, token }) => ({ ...session, role: token.role }),
      },
      session: {
        update: ({ token }) => {
          expectTypeOf(token).toEqualTypeOf<AppToken>()
          return { ...token, renewals: 0 }
        },
      },
      events: {
        signOut: ({ token }) => void expectTypeOf(token).toEqualTypeOf<AppToken>(),
        session: ({ session }) => void expectTypeOf(session.role).toEqualTypeOf<Role>(),
      },
    })
    expectTypeOf(auth.getToken).returns.resolves.toEqualTypeOf<AppToken | null>()
  })

  test('by the type of its argument, in functions before it too', () => {
    const auth = createAuth({
      ...base,
      session: {
        update: ({ token }) => {
          expectTypeOf(token).toEqualTypeOf<AppToken>()
          return token
        },
      },
      callbacks: {
        session: ({ session, token }) => ({ ...session, role: token.role }),
        jwt: ({ token, trigger }: JwtArguments<AppToken>): AppToken =>
          trigger === 'renew' ? token : { ...token, role: 'member', renewals: 0 },
      },
    })
    expectTypeOf(auth.getToken).returns.resolves.toEqualTypeOf<AppToken | null>()
    expectTypeOf(auth.getSession)
      .returns.resolves.toHaveProperty('session')
      .toEqualTypeOf<{ role: Role; user: DefaultSession['user']; expires: string } | null>()
  })

  test('by the type arguments of createAuth', () => {
    const auth = createAuth<{ readonly role: Role }, AppToken>({
      ...base,
      callbacks: {
        jwt: ({ token, user }) =>
          user ? { ...token, role: 'member', renewals: 0 } : { ...token, role: token.role },
        session: ({ token }) => ({ role: token.role }),
      },
    })
    expectTypeOf(auth.getToken).returns.resolves.toEqualTypeOf<AppToken | null>()
  })

  test('without any of these they are unknown there, and inferred everywhere else', () => {
    const auth = createAuth({
      ...base,
      callbacks: {
        jwt: ({ token, trigger, user }) => {
          if (!user) expectTypeOf(token).toEqualTypeOf<UntypedToken>()
          expectTypeOf(trigger).toEqualTypeOf<'signIn' | 'signUp' | 'renew'>()
          return { ...token, role: 'admin' as Role }
        },
        session: ({ session, token }) => ({ ...session, role: token.role }),
      },
    })
    type Token = NonNullable<Awaited<ReturnType<typeof auth.getToken>>>
    expectTypeOf<Token['role']>().toEqualTypeOf<Role>()
  })
})

test('session.update and events before callbacks keep the types of the token and the session', () => {
  const auth = createAuth({
    ...base,
    events: {
      session: ({ token }) => void expectTypeOf(token.sub).toEqualTypeOf<string>(),
    },
    session: { update: ({ token, data }) => ({ ...token, theme: String(data) }) },
    callbacks: {
      jwt: ({ token }) => ({ ...token, role: 'admin' as Role }),
      session: ({ session, token }) => ({ ...session, role: token.role }),
    },
  })
  type Session = NonNullable<Awaited<ReturnType<typeof auth.getSession>>['session']>
  expectTypeOf<Session['role']>().toEqualTypeOf<Role>()
  expectTypeOf<Session['role']>().not.toBeAny()
})

test('callbacks.signIn may be asked for a message', () => {
  type SignInArguments = Parameters<NonNullable<NonNullable<AuthConfig['callbacks']>['signIn']>>[0]
  expectTypeOf<SignInArguments['email']>().toEqualTypeOf<
    { readonly verificationRequest: true } | undefined
  >()
})

test('at a renewal callbacks.jwt gets what it returned last time, and no user (I-46)', async () => {
  const received: JwtArguments<AppToken>[] = []
  const { browse, wait } = serve({
    callbacks: {
      jwt: (args: JwtArguments<AppToken>): AppToken => {
        received.push(args)
        const { token, trigger } = args
        if (trigger !== 'renew') return { ...token, role: 'member', renewals: 0 }
        return { ...token, renewals: token.renewals + 1 }
      },
    },
  })
  const browser = browse()
  await signIn(browser)
  for (let day = 0; day < 2; day++) {
    wait(86_400)
    await browser.json('/session')
  }
  expect(received.map(({ trigger }) => trigger)).toEqual(['signIn', 'renew', 'renew'])
  expect(received[0]).toMatchObject({
    user: { id: 'passport:alice' },
    account: { provider: 'passport', access_token: 'access-token-of-the-person' },
    profile: { sub: 'alice' },
    isNewUser: false,
    token: { sub: 'passport:alice', name: 'Person alice' },
  })
  expect(Object.keys(received[2] ?? {})).toEqual(['trigger', 'token'])
  expect(received[2]?.token).toMatchObject({ role: 'member', renewals: 1 })
})

describe('a callback without a return value does not compile, and is refused (I-33.3)', () => {
  const run = async (config: Partial<AuthConfig>): Promise<readonly [number, string[]]> => {
    const { browse, lines } = serve(config)
    const browser = browse()
    await signIn(browser)
    const { status } = await browser.visit('/session')
    return [status, lines.map(({ message }) => message)]
  }

  test('callbacks.session', async () => {
    expect(await run({ callbacks: { session: ({ session }) => session } })).toEqual([200, []])
    // @ts-expect-error -- it returns nothing
    createAuth({ ...base, callbacks: { session: () => undefined } })
    // @ts-expect-error -- it resolves to nothing
    createAuth({ ...base, callbacks: { session: async () => undefined } })
    // @ts-expect-error -- its body returns nothing
    createAuth({ ...base, callbacks: { session: ({ session }) => void Object(session) } })
    createAuth({
      ...base,
      callbacks: {
        // @ts-expect-error -- one path returns nothing
        session: ({ session }) => (session.user.email === null ? undefined : session),
      },
    })
    const session = (() => undefined) as unknown as () => DefaultSession
    const message = 'callbacks.session returned nothing: return what clients see'
    expect(await run({ callbacks: { session } })).toEqual([500, [message]])
  })

  test('callbacks.session can return null: clients see no session', async () => {
    const { auth, browse } = serve({ callbacks: { session: () => null } })
    expectTypeOf(auth.getSession).returns.resolves.toHaveProperty('session').toEqualTypeOf<null>()
    const browser = browse()
    await signIn(browser)
    expect(await browser.json('/session')).toEqual({})
  })

  test('callbacks.jwt', async () => {
    expect(await run({ callbacks: { jwt: ({ token }) => ({ ...token }) } })).toEqual([200, []])
    // @ts-expect-error -- it returns nothing
    createAuth({ ...base, callbacks: { jwt: ({ token }) => void Object(token) } })
    const jwt = (() => undefined) as unknown as () => UntypedToken
    const message = 'callbacks.jwt must return a token with a sub, found undefined'
    expect(await run({ callbacks: { jwt } })).toEqual([200, [message]])
  })

  test('callbacks.signIn', async () => {
    const { browse, lines } = serve({ callbacks: { signIn: (() => undefined) as never } })
    await signIn(browse())
    expect(lines.map(({ message }) => message)).toEqual([
      'callbacks.signIn refused: it returned undefined, not true',
    ])
  })
})
