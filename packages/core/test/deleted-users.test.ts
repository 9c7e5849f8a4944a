import type { TokenMembers } from '@latchkey/tokens'
import type { SessionToken, Storage } from '@latchkey/core'
import { apiTokens } from '@latchkey/tokens'
import { memoryStorage } from '@latchkey/core/memory'
import type { Browser } from '@latchkey/testing/browser'
import { generateTokenKey } from '@latchkey/tokens/token-key'
import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import { breakableStorage } from './support/breakable.ts'
import {
  createPageRequest,
  getConfigError,
  getUser,
  passport,
  serve,
  signIn,
} from './support/service.ts'
import type { LogLine, TestService } from './support/service.ts'

const DAY = 86_400
const keys = [await generateTokenKey()]
const sessionCookie = '__Host-latchkey.session'
const none = { session: null }

type Session = NonNullable<NonNullable<Parameters<typeof serve>[0]>['session']>

interface AppToken extends SessionToken {
  readonly role: string
}

/** A signed-in user whose role the application decides, and what the application knows of it. */
interface SignedIn extends TestService<unknown, AppToken, TokenMembers> {
  readonly browser: Browser
  readonly userId: string
  readonly setRole: (role: string) => void
  /** The number of times that `callbacks.jwt` was asked since the sign-in. */
  readonly countAsked: () => number
  readonly refuse: () => void
}

async function serveSignedIn(
  session: Session,
  storage: Storage = memoryStorage(),
): Promise<SignedIn> {
  let [role, asked, refuses] = ['admin', 0, false]
  const service = serve({
    storage,
    session: { ...session },
    use: [
      apiTokens({
        audience: 'https://api.example',
        keys,
        claims: ({ token }) => ({ role: (token as AppToken).role }),
      }),
    ],
    callbacks: {
      jwt({ token }): AppToken {
        asked++
        if (refuses) throw new Error('the directory cannot be reached')
        return { ...token, role }
      },
    },
  })
  const browser = service.browse()
  await signIn(browser)
  asked = 0
  return {
    ...service,
    browser,
    userId: (await getUser(browser)).id,
    setRole: (next) => (role = next),
    countAsked: () => asked,
    refuse: () => (refuses = true),
  }
}

async function postToken(browser: Browser): Promise<Readonly<Record<string, unknown>>> {
  const response = await browser.submit('/token')
  const body = (await response.json()) as { readonly token?: string; readonly error?: string }
  const claims = body.token === undefined ? {} : decodeJwt(body.token)
  return { status: response.status, error: body.error, ...claims }
}

async function issueToken({ auth, browser }: SignedIn): Promise<unknown> {
  const issued = await auth.issueToken(createPageRequest(browser))
  return issued && decodeJwt(issued.token)
}

const strategies: readonly (readonly [string, Session])[] = [
  ['in the storage', { strategy: 'storage' }],
  ['in the cookie', { strategy: 'cookie', acceptsDeletedUsers: true }],
  ['in the cookie and revocable', { strategy: 'cookie', revocable: true }],
]

describe.for(strategies)('a session %s that is due (I-58)', ([name, session]) => {
  test('is renewed by POST /token, which sets its cookie: a demoted user gets the new rights', async () => {
    const { browser, setRole, wait, countAsked } = await serveSignedIn(session)
    expect(await postToken(browser)).toMatchObject({ status: 200, role: 'admin' })
    expect(countAsked()).toBe(0)
    setRole('member')
    wait(DAY)
    const csrfToken = await browser.csrfToken()
    const response = await browser.post('/token', { csrfToken })
    const { token } = (await response.json()) as { token: string }
    expect(decodeJwt(token)).toMatchObject({ role: 'member' })
    expect(response.headers.getSetCookie().join()).toContain(`${sessionCookie}=`)
    // It is not due any more.
    expect((await browser.visit('/session')).headers.getSetCookie()).toEqual([])
    expect(countAsked()).toBe(1)
  })

  test('gets no token by POST /token if its user is deleted, and has ended in this browser', async () => {
    const storage = memoryStorage()
    const { auth, browser, userId, wait } = await serveSignedIn(session, storage)
    wait(29 * DAY)
    expect(await postToken(browser)).toMatchObject({ status: 200, sub: userId })
    await storage.deleteUser(userId)
    wait(DAY)
    expect(await postToken(browser)).toMatchObject({ status: 401, error: 'SessionRequired' })
    expect(await auth.getSession(createPageRequest(browser), { renew: false })).toMatchObject(none)
  })

  test('gets a token of auth.issueToken with the rights of now, and is not written', async () => {
    const signedIn = await serveSignedIn(session)
    const { browser, setRole, wait, countAsked } = signedIn
    expect(await issueToken(signedIn)).toMatchObject({ role: 'admin' })
    expect(countAsked()).toBe(0)
    setRole('member')
    wait(DAY)
    expect(await issueToken(signedIn)).toMatchObject({ role: 'member' })
    // So GET /session still renews it, and sets its cookie.
    expect((await browser.visit('/session')).headers.getSetCookie().join()).toContain(sessionCookie)
  })

  test('is asked about by auth.issueToken once a minute', async () => {
    const signedIn = await serveSignedIn(session)
    const { setRole, wait, countAsked } = signedIn
    wait(DAY)
    for (let i = 0; i < 3; i++) expect(await issueToken(signedIn)).toMatchObject({ role: 'admin' })
    expect(countAsked()).toBe(1)
    setRole('member')
    wait(59)
    expect(await issueToken(signedIn)).toMatchObject({ role: 'admin' })
    wait(1)
    expect(await issueToken(signedIn)).toMatchObject({ role: 'member' })
    expect(countAsked()).toBe(2)
  })

  test('gets no token of auth.issueToken if its user is deleted', async () => {
    const storage = memoryStorage()
    const signedIn = await serveSignedIn(session, storage)
    const { userId, wait } = signedIn
    wait(29 * DAY)
    expect(await issueToken(signedIn)).toMatchObject({ sub: userId })
    await storage.deleteUser(userId)
    wait(60)
    expect(await issueToken(signedIn)).toBeNull()
  })

  test('gets no token if the storage fails or callbacks.jwt throws', async () => {
    const { storage, fail } = breakableStorage()
    const signedIn = await serveSignedIn(session, storage)
    const { browser, wait, refuse } = signedIn
    wait(DAY)
    const csrfToken = await browser.csrfToken()
    const post = async (): Promise<number> => (await browser.post('/token', { csrfToken })).status
    fail(['getUser', 'getSessionAndUser'])
    expect(await post()).toBe(503)
    await expect(issueToken(signedIn)).rejects.toMatchObject({ code: 'Unavailable' })
    fail([])
    expect(await issueToken(signedIn)).toMatchObject({ role: 'admin' })
    expect(await post()).toBe(200)
    wait(DAY)
    refuse()
    expect(await post()).toBe(500)
    await expect(issueToken(signedIn)).rejects.toMatchObject({ code: 'Callback' })
  })

  test(`of a deleted user ends ${name === 'in the cookie' ? 'at its next renewal' : 'immediately'}`, async () => {
    const storage = memoryStorage()
    const { browser, userId, wait } = await serveSignedIn(session, storage)
    expect(await browser.json('/session')).toHaveProperty('user')
    await storage.deleteUser(userId)
    if (name === 'in the cookie') {
      expect(await browser.json('/session')).toHaveProperty('user')
      wait(DAY)
    }
    expect(await browser.json('/session')).toEqual({})
  })
})

test('POST /token gives no token to a deleted user if the storage fails after it has said so', async () => {
  const { storage, fail } = breakableStorage()
  let isAsked = false
  const failing: Storage = {
    ...storage,
    async getUser(id) {
      const user = await storage.getUser(id)
      if (isAsked) fail(['getUser'])
      return user
    },
  }
  const session = { strategy: 'cookie', acceptsDeletedUsers: true } as const
  const { auth, browser, userId, wait } = await serveSignedIn(session, failing)
  wait(29 * DAY)
  expect(await postToken(browser)).toMatchObject({ status: 200, sub: userId })
  await storage.deleteUser(userId)
  wait(DAY)
  const csrfToken = await browser.csrfToken()
  isAsked = true
  const response = await browser.post('/token', { csrfToken })
  expect(await response.json()).toMatchObject({ error: 'SessionRequired' })
  expect(await auth.getSession(createPageRequest(browser), { renew: false })).toMatchObject(none)
})

test('another session of the same user is asked about by itself', async () => {
  const signedIn = await serveSignedIn({ strategy: 'cookie', acceptsDeletedUsers: true })
  const other = signedIn.browse()
  await signIn(other)
  signedIn.wait(DAY)
  await issueToken(signedIn)
  const before = signedIn.countAsked()
  expect(await issueToken({ ...signedIn, browser: other })).toMatchObject({ role: 'admin' })
  expect(signedIn.countAsked()).toBe(before + 1)
})

test('a token of a session without a storage has the rights of its last renewal', async () => {
  let role = 'admin'
  const service = serve({
    use: [apiTokens({ audience: 'a', keys, claims: ({ token }) => ({ name: token.name }) })],
    callbacks: { jwt: ({ token }) => ({ ...token, name: role }) },
  })
  const browser = service.browse()
  await signIn(browser)
  role = 'member'
  expect(await postToken(browser)).toMatchObject({ name: 'admin' })
  service.wait(DAY)
  expect(await postToken(browser)).toMatchObject({ name: 'member' })
})

describe('the warning at start-up (I-58)', () => {
  const warnings = (over: Parameters<typeof serve>[0]): LogLine[] =>
    serve(over).lines.filter(({ level }) => level === 'warn')

  test('names the options, once, for sessions that outlive their users', () => {
    const found = warnings({ storage: memoryStorage(), session: { strategy: 'cookie' } })
    expect(found).toHaveLength(1)
    expect(found[0]?.message).toContain('session.revocable')
    expect(found[0]?.message).toContain('session.acceptsDeletedUsers')
  })

  test.each<[string, Parameters<typeof serve>[0]]>([
    ['no storage', {}],
    ['stored sessions', { storage: memoryStorage() }],
    ['revocable', { storage: memoryStorage(), session: { strategy: 'cookie', revocable: true } }],
    [
      'acceptsDeletedUsers',
      { storage: memoryStorage(), session: { strategy: 'cookie', acceptsDeletedUsers: true } },
    ],
    ['acceptsDeletedUsers without a storage', { session: { acceptsDeletedUsers: true } }],
  ])('is not written with %s', (_, over) => {
    expect(warnings(over)).toEqual([])
  })

  test('its option is refused if it says nothing', () => {
    const storage = memoryStorage()
    expect(getConfigError(() => ({ storage, session: { acceptsDeletedUsers: true } }))).toEqual([
      'session.acceptsDeletedUsers',
      'is for the strategy cookie',
    ])
    const session = { strategy: 'cookie', revocable: true, acceptsDeletedUsers: true } as const
    expect(getConfigError(() => ({ storage, session }))?.[0]).toBe('session.acceptsDeletedUsers')
    const value = 'yes' as never
    expect(getConfigError(() => ({ session: { acceptsDeletedUsers: value } }))).toEqual([
      'session.acceptsDeletedUsers',
      'must be true or false, found a string',
    ])
  })
})

test('POST /token imports a session of a previous service, and sets its cookie (I-45)', async () => {
  const { nextAuthV4 } = await import('@latchkey/core/import/next-auth-v4')
  const { encode } = await import('next-auth/jwt')
  const secret = 'the NEXTAUTH_SECRET of the application'
  const until = new Date(Date.now() + DAY * 1000)
  const browser = serve({
    providers: [passport()],
    use: [apiTokens({ audience: 'a', keys })],
    session: { importFrom: [nextAuthV4({ secret, until })] },
  }).browse()
  const cookie = await encode({ token: { sub: 'ada' }, secret })
  browser.cookies.set('__Secure-next-auth.session-token', cookie)
  expect(await postToken(browser)).toMatchObject({ status: 200, sub: 'ada' })
  expect([...browser.cookies.keys()]).toContain(sessionCookie)
})
