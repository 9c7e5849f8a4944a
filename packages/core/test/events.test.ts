import type { AuthConfig, Events } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import type { Browser } from '@latchkey/testing/browser'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { createBrowserAt } from './support/limits.ts'
import { Mailbox, createEmailProvider, requestEmail } from './support/mailbox.ts'
import { getUser, passport, serve, signIn, signInWith } from './support/service.ts'
import type { TestService } from './support/service.ts'

/** An event with its name. */
interface Recorded {
  readonly name: string
  readonly event: Readonly<Record<string, unknown>>
}

interface Recording extends TestService<unknown> {
  readonly events: Recorded[]
  /** Creates a browser whose host reports the IP address 192.0.2.1. */
  readonly browseAt: () => Browser
}

/** Serves with a listener for every event. */
function serveRecording(over: Partial<AuthConfig> = {}): Recording {
  const events: Recorded[] = []
  const record = (name: string) => (event: unknown) =>
    void events.push({ name, event: event as Recorded['event'] })
  const listeners: Required<Events> = {
    signIn: record('signIn'),
    signInFailed: record('signInFailed'),
    signOut: record('signOut'),
    createUser: record('createUser'),
    updateUser: record('updateUser'),
    deleteUser: record('deleteUser'),
    linkAccount: record('linkAccount'),
    joinUser: record('joinUser'),
    unlinkAccount: record('unlinkAccount'),
    enrolFactor: record('enrolFactor'),
    removeFactor: record('removeFactor'),
    session: () => undefined,
    updateSession: () => undefined,
    revokeSession: record('revokeSession'),
    securityChanged: record('securityChanged'),
    providerLogout: record('providerLogout'),
  }
  const service = serve({ events: listeners, ...over })
  return { ...service, events, browseAt: () => createBrowserAt(service, '192.0.2.1') }
}

const tokens = {
  access_token: 'raw-access-token',
  refresh_token: 'raw-refresh-token',
  id_token: 'raw-id-token',
  token_type: 'bearer',
  scope: 'openid',
  expires_at: 2_000_000_000,
}

const trusted = { linkByVerifiedEmail: true, trustEmailVerified: true } as object

/** Creates a provider whose identities have tokens. */
const createProvider = (id: string): ReturnType<typeof passport> =>
  passport({
    id,
    name: id,
    ...trusted,
    identify: (subject) => ({ tokens, claims: { sub: subject, groups: ['staff'] } }),
  })

describe('a sign-in that stores the user', () => {
  test('emits createUser, linkAccount and signIn, with session, provider and IP address, without tokens', async () => {
    const storage = memoryStorage()
    const { browseAt, events, auth } = serveRecording({
      storage,
      providers: [createProvider('passport')],
    })
    const browser = browseAt()
    await signIn(browser)
    const user = await getUser(browser)
    const [session] = await auth.sessions.list(user.id)
    const common = { provider: 'passport', sessionId: session?.id, ip: '192.0.2.1' }
    const linked = {
      user: expect.objectContaining({ id: user.id, email: 'alice@example.com' }),
      account: { provider: 'passport', type: 'oauth', providerAccountId: 'alice' },
      profile: { sub: 'alice', groups: ['staff'] },
      ...common,
    }
    expect(events).toEqual([
      {
        name: 'createUser',
        event: { user: expect.objectContaining({ id: user.id }), ...common },
      },
      { name: 'linkAccount', event: linked },
      { name: 'signIn', event: { ...linked, isNewUser: true, authentication: { methods: [] } } },
    ])
    expect(JSON.stringify(events)).not.toContain('raw-')
    // Callbacks and the storage have them.
    expect(await storage.listAccounts(user.id)).toMatchObject([tokens])
  })

  test('says at the next sign-in that the user is not new', async () => {
    const { browse, events } = serveRecording({ storage: memoryStorage() })
    await signIn(browse())
    events.length = 0
    await signIn(browse())
    expect(events).toMatchObject([{ name: 'signIn', event: { isNewUser: false } }])
    expect(events[0]?.event).not.toHaveProperty('ip')
  })
})

test.each(['storage', 'cookie'] as const)(
  'signIn and signOut name the same session, strategy %s',
  async (strategy) => {
    const { browse, events } = serveRecording({ storage: memoryStorage(), session: { strategy } })
    const browser = browse()
    await signIn(browser)
    await browser.submit('/signout')
    const [, , begun, ended] = events
    expect([begun?.name, ended?.name]).toEqual(['signIn', 'signOut'])
    expect(begun?.event['sessionId']).toMatch(/^[\w-]{22,43}$/)
    expect(ended?.event['sessionId']).toBe(begun?.event['sessionId'])
  },
)

describe('updateUser is emitted when a sign-in proves the email address of its user (I-38)', () => {
  const unproven = (id: string): ReturnType<typeof passport> =>
    passport({ id, name: id, identify: () => ({ emailProven: false }) })

  test('by another sign-in', async () => {
    let emailProven = false
    const { browseAt, events } = serveRecording({
      storage: memoryStorage(),
      providers: [passport({ identify: () => ({ emailProven }) })],
    })
    await signIn(browseAt())
    events.length = 0
    emailProven = true
    const browser = browseAt()
    await signIn(browser)
    expect(events).toEqual([
      {
        name: 'updateUser',
        event: {
          user: expect.objectContaining({ email: 'alice@example.com', emailVerified: true }),
          provider: 'passport',
          sessionId: expect.stringMatching(/^[\w-]{43}$/),
          ip: '192.0.2.1',
        },
      },
      { name: 'signIn', event: expect.objectContaining({ isNewUser: false }) },
    ])
    events.length = 0
    await signIn(browser)
    expect(events.map(({ name }) => name)).toEqual(['signIn'])
  })

  test('by an account that the user links', async () => {
    const { browse, events } = serveRecording({
      storage: memoryStorage(),
      providers: [unproven('passport'), createProvider('licence')],
    })
    const browser = browse()
    await signIn(browser)
    events.length = 0
    await signInWith(browser, 'licence', 'alice', { link: 'true' })
    expect(events).toMatchObject([
      { name: 'updateUser', event: { user: { emailVerified: true }, provider: 'licence' } },
      { name: 'linkAccount', event: { provider: 'licence' } },
    ])
  })
})

describe('linkAccount has no tokens', () => {
  const serveTwo = (): Recording =>
    serveRecording({
      storage: memoryStorage(),
      providers: [createProvider('passport'), createProvider('licence')],
    })
  const account = { provider: 'licence', type: 'oauth', providerAccountId: 'alice' }

  test('when an account is linked by its email address', async () => {
    const { browseAt, events } = serveTwo()
    await signIn(browseAt())
    events.length = 0
    await signInWith(browseAt(), 'licence')
    const common = { account, provider: 'licence', ip: '192.0.2.1' }
    expect(events).toMatchObject([
      { name: 'linkAccount', event: common },
      { name: 'signIn', event: { ...common, isNewUser: false } },
    ])
    expect(events[0]?.event['sessionId']).toBe(events[1]?.event['sessionId'])
    expect(JSON.stringify(events)).not.toContain('raw-')
  })

  test('when the user links it', async () => {
    const { browseAt, events } = serveTwo()
    const browser = browseAt()
    await signIn(browser)
    const { sessionId } = events[2]?.event ?? {}
    events.length = 0
    await signInWith(browser, 'licence', 'alice', { link: 'true' })
    expect(events).toEqual([
      {
        name: 'linkAccount',
        event: {
          user: expect.objectContaining({ email: 'alice@example.com' }),
          account,
          profile: { sub: 'alice', groups: ['staff'] },
          provider: 'licence',
          sessionId,
          ip: '192.0.2.1',
        },
      },
    ])
  })
})

describe('signInFailed', () => {
  test('is emitted if a sign-in cannot begin', async () => {
    const begin = async (): Promise<never> => Promise.reject(new Error('no route to host'))
    const { browseAt, events } = serveRecording({ providers: [passport({ begin })] })
    await browseAt().submit('/signin/passport')
    const event = { provider: 'passport', error: 'OAuthSignin', ip: '192.0.2.1' }
    expect(events).toEqual([{ name: 'signInFailed', event }])
  })

  test.each([
    ['an email cannot be sent', 'alice@example.com', 'EmailSignin'],
    ['the email address is invalid', 'alice', 'EmailSignin'],
  ])('is emitted if %s', async (_, address, error) => {
    const mailbox = new Mailbox()
    mailbox.failure = async () => Promise.reject(new Error('550 no such user'))
    const providers = [createEmailProvider({ mailer: mailbox })]
    const { browse, events } = serveRecording({ storage: memoryStorage(), providers })
    await requestEmail(browse(), address)
    expect(events).toEqual([{ name: 'signInFailed', event: { provider: 'email', error } }])
    expect(JSON.stringify(events)).not.toContain('alice')
  })

  test('is emitted only once if a form that proves the identity immediately is refused', async () => {
    const identity = { subject: 'alice', profile: {}, tokens: {}, claims: {} }
    const { browse, events } = serveRecording({
      providers: [passport({ begin: async () => ({ identity }) })],
      callbacks: { signIn: () => false },
    })
    await browse().submit('/signin/passport')
    const event = { provider: 'passport', error: 'AccessDenied' }
    expect(events).toEqual([{ name: 'signInFailed', event }])
  })

  test('is emitted if a callback is refused, and not if it is accepted', async () => {
    const { browseAt, events } = serveRecording()
    const browser = browseAt()
    await signIn(browser)
    expect(events).toMatchObject([{ name: 'signIn' }])
    await browseAt().visit(`/callback/passport?code=alice&state=${'x'.repeat(43)}`)
    const event = { provider: 'passport', error: 'OAuthCallback', ip: '192.0.2.1' }
    expect(events.slice(1)).toEqual([{ name: 'signInFailed', event }])
  })

  test('is not emitted for a forged POST', async () => {
    const { browse, events } = serveRecording()
    expect((await browse().post('/signin/passport', {})).status).toBe(403)
    expect(events).toEqual([])
  })
})

describe('what the application does on its server', () => {
  test('auth.sessions.revoke and revokeAll emit revokeSession', async () => {
    const { auth, browse, events } = serveRecording({ storage: memoryStorage() })
    const browser = browse()
    await signIn(browser)
    const { id: userId } = await getUser(browser)
    const [session] = await auth.sessions.list(userId)
    const sessionId = session?.id ?? ''
    events.length = 0
    expect(await auth.sessions.revoke(userId, 'unknown')).toBe(false)
    expect(await auth.sessions.revoke('another user', sessionId)).toBe(false)
    expect(events).toEqual([])
    await auth.sessions.revoke(userId, sessionId)
    await auth.sessions.revokeAll(userId, { except: 'this one' })
    await auth.sessions.revokeAll(userId)
    expect(events).toEqual([
      { name: 'revokeSession', event: { userId, sessionId } },
      { name: 'revokeSession', event: { userId, except: 'this one' } },
      { name: 'revokeSession', event: { userId } },
    ])
  })

  test('auth.accounts.unlink emits unlinkAccount', async () => {
    const { auth, browse, events } = serveRecording({
      storage: memoryStorage(),
      providers: [createProvider('passport'), createProvider('licence')],
    })
    const browser = browse()
    await signIn(browser)
    await signInWith(browser, 'licence', 'alice', { link: 'true' })
    const { id: userId } = await getUser(browser)
    const account = { provider: 'licence', providerAccountId: 'alice' }
    events.length = 0
    await auth.accounts.unlink(userId, { ...account, providerAccountId: 'bob' })
    await auth.accounts.unlink(userId, account)
    await auth.accounts.unlink(userId, { provider: 'passport', providerAccountId: 'alice' })
    expect(events).toEqual([{ name: 'unlinkAccount', event: { userId, account } }])
  })

  test('waits for the listener, whose error is logged', async () => {
    const { auth, lines } = serve({
      storage: memoryStorage(),
      events: { revokeSession: async () => Promise.reject(new Error('disk full')) },
    })
    await auth.sessions.revokeAll('alice')
    expect(lines).toMatchObject([
      { message: 'events.revokeSession threw', details: { causes: ['Error: disk full'] } },
    ])
  })
})

test('the types of events have no tokens', () => {
  type Payload<Name extends keyof Events> = Parameters<NonNullable<Events[Name]>>[0]
  expectTypeOf<Payload<'signIn'>['account']>().not.toHaveProperty('access_token')
  expectTypeOf<Payload<'linkAccount'>['account']>().not.toHaveProperty('refresh_token')
  expectTypeOf<Payload<'signIn'>['isNewUser']>().toEqualTypeOf<boolean>()
  expectTypeOf<Payload<'signIn'>['ip']>().toEqualTypeOf<string | undefined>()
})
