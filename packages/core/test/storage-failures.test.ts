import type { AuthConfig, Storage } from '@latchkey/core'
import type { Browser } from '@latchkey/testing/browser'
import { describe, expect, test } from 'vitest'
import { breakableStorage } from './support/breakable.ts'
import type { BreakableStorage } from './support/breakable.ts'
import { createEmailProvider } from './support/mailbox.ts'
import {
  beginSignIn,
  createPageRequest,
  origin,
  serve,
  signIn,
  toCallbackUrl,
} from './support/service.ts'
import type { TestService } from './support/service.ts'

const DAY = 86_400
const sessionCookie = '__Host-latchkey.session'

/** The session options with which each request reads the storage. */
const strategies: [string, AuthConfig['session'] & object][] = [
  ['storage', { strategy: 'storage' }],
  ['cookie, revocable', { strategy: 'cookie', revocable: true }],
]

interface SignedIn extends TestService<unknown>, BreakableStorage {
  readonly browser: Browser
  /** A valid CSRF token of the signed-in browser. */
  readonly csrfToken: string
}

/** Serves with a storage that can fail, and signs a user in. */
async function serveSignedIn(
  session: AuthConfig['session'] & object,
  over: Partial<AuthConfig> = {},
): Promise<SignedIn> {
  const breakable = breakableStorage()
  const service = serve({ storage: breakable.storage, session, ...over })
  const browser = service.browse()
  await signIn(browser)
  const csrfToken = await browser.csrfToken()
  return { ...service, ...breakable, browser, csrfToken }
}

/** Expects `Unavailable` without a detail, unchanged cookies, and the cause in the log. */
async function expectUnavailable(
  { lines, browser }: SignedIn,
  send: () => Promise<Response>,
  method: keyof Storage,
): Promise<Response> {
  const before = new Map(browser.cookies)
  const response = await send()
  expect(response.status).toBe(503)
  expect(await response.clone().text()).not.toMatch(/secret|getSession|Error:/)
  expect(browser.cookies.get(sessionCookie)).toBe(before.get(sessionCookie))
  expect([...browser.cookies.keys()]).toEqual([...before.keys()])
  expect(lines).toContainEqual({
    level: 'error',
    message: `storage.${method} failed`,
    details: expect.objectContaining({ error: 'Unavailable', causes: ['Error: secret detail'] }),
  })
  return response
}

describe.each(strategies)('while the storage is down, strategy %s (I-36)', (_, session) => {
  const requests: [string, (signedIn: SignedIn) => Promise<Response>][] = [
    ['GET /session', ({ browser }) => browser.visit('/session')],
    ['GET /csrf', ({ browser }) => browser.visit('/csrf')],
    ['GET /signin', ({ browser }) => browser.visit('/signin')],
    ['GET /signin/passport', ({ browser }) => browser.visit('/signin/passport')],
    ['GET /signout', ({ browser }) => browser.visit('/signout')],
    ['POST /session', ({ browser, csrfToken }) => browser.post('/session', { csrfToken })],
    [
      'POST /signin/passport',
      ({ browser, csrfToken }) => browser.post('/signin/passport', { csrfToken }),
    ],
  ]

  test.each(requests)('%s is 503 and keeps the session', async (_path, send) => {
    const signedIn = await serveSignedIn(session)
    signedIn.fail()
    await expectUnavailable(signedIn, () => send(signedIn), 'getSessionAndUser')
    signedIn.fail([])
    expect(await signedIn.browser.json('/session')).toHaveProperty('user')
    expect(await signedIn.browser.csrfToken()).toBe(signedIn.csrfToken)
  })

  test.each(['/session', '/csrf'])('GET %s is answered in JSON', async (path) => {
    const signedIn = await serveSignedIn(session)
    signedIn.fail()
    const response = await signedIn.browser.visit(path)
    expect(await response.json()).toMatchObject({
      error: 'Unavailable',
      message: 'This service is not available right now. Try again in a minute.',
    })
  })

  test.each(['/signin', '/signout'])('GET %s is answered with a page', async (path) => {
    const signedIn = await serveSignedIn(session)
    signedIn.fail()
    const response = await signedIn.browser.visit(path)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await response.text()).toContain('This service is not available right now.')
  })

  test.each(['/signout', '/session', '/signin/passport'])(
    'POST %s is answered in JSON mode (I-6)',
    async (path) => {
      const signedIn = await serveSignedIn(session)
      signedIn.fail()
      const { browser, csrfToken } = signedIn
      const response = await browser.post(path, { csrfToken, json: 'true' })
      expect([response.status, await response.json()]).toEqual([
        503,
        expect.objectContaining({ error: 'Unavailable', url: expect.stringContaining(origin) }),
      ])
    },
  )

  test('HEAD /session is 503 too and sets no cookie (I-5)', async () => {
    const signedIn = await serveSignedIn(session)
    signedIn.fail()
    const response = await signedIn.browser.visit('/session', { method: 'HEAD' })
    expect([response.status, response.headers.getSetCookie()]).toEqual([503, []])
  })

  test('browsers without a session are answered', async () => {
    const { fail, browse } = await serveSignedIn(session)
    fail()
    const browser = browse()
    expect(await browser.json('/session')).toEqual({})
    expect((await browser.visit('/signin')).status).toBe(200)
    expect(await browser.csrfToken()).toMatch(/^[\w-]{43}$/)
  })

  test.each([
    ['fails', undefined],
    ['cannot delete the session', ['deleteSession'] as const],
  ])(
    'a sign-out while the storage %s is 503 and deletes the cookie (I-37)',
    async (_title, methods) => {
      const { auth, browser, csrfToken, fail, lines } = await serveSignedIn(session)
      const user = (await browser.json('/session'))['user'] as { readonly id: string }
      const [listed] = await auth.sessions.list(user.id)
      fail(methods)
      const response = await browser.post('/signout', { csrfToken })
      expect(response.status).toBe(503)
      expect(await response.text()).toContain('You are signed out in this browser.')
      expect(browser.cookies.has(sessionCookie)).toBe(false)
      const [sessionId] = lines.flatMap(({ details }) => details['sessionId'] ?? [])
      expect(sessionId).toBe(listed?.id)
      fail([])
      expect(await browser.json('/session')).toEqual({})
      expect(await auth.sessions.revoke(user.id, listed?.id as string)).toBe(true)
    },
  )

  test('a sign-out in JSON says that the session may continue elsewhere (I-37)', async () => {
    const { browser, csrfToken, fail } = await serveSignedIn(session)
    fail()
    const response = await browser.post('/signout', { csrfToken, json: 'true' })
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({
      error: 'Unavailable',
      message: expect.stringContaining('up to 30 days'),
    })
  })

  test('a sign-out without a CSRF token deletes nothing, whatever the storage does', async () => {
    const { browser, fail } = await serveSignedIn(session)
    fail()
    expect((await browser.post('/signout', {})).status).toBe(403)
    expect(browser.cookies.has(sessionCookie)).toBe(true)
  })

  test('a session that cannot be renewed stays the same and is renewed later (I-35)', async () => {
    const signedIn = await serveSignedIn(session)
    const { browser, wait, fail } = signedIn
    wait(2 * DAY)
    fail(['updateSession'])
    await expectUnavailable(signedIn, () => browser.visit('/session'), 'updateSession')
    fail([])
    const response = await browser.visit('/session')
    expect(response.headers.getSetCookie()).toHaveLength(1)
    expect(await response.json()).toHaveProperty('user')
  })

  test('an update that cannot be stored is refused', async () => {
    const signedIn = await serveSignedIn(session, {
      session: { ...session, update: ({ token }) => ({ ...token, name: 'Another name' }) },
    })
    const { browser, csrfToken, fail } = signedIn
    fail(['updateSession'])
    const update = (): Promise<Response> => browser.post('/session', { csrfToken })
    await expectUnavailable(signedIn, update, 'updateSession')
    fail([])
    expect(await browser.json('/session')).toMatchObject({ user: { name: 'Person alice' } })
  })

  test('getSession rejects with Unavailable', async () => {
    const { auth, browser, fail } = await serveSignedIn(session)
    fail()
    const result = auth.getSession(createPageRequest(browser))
    await expect(result).rejects.toMatchObject({ code: 'Unavailable', status: 503 })
  })

  test.each<keyof Storage>(['getUserByAccount', 'getUserByEmail', 'createUser'])(
    'a sign-in whose %s fails keeps the current session',
    async (method) => {
      const { browser, fail, lines } = await serveSignedIn(session)
      const redirect = await beginSignIn(browser)
      fail([method])
      const response = await browser.visit(toCallbackUrl(redirect, 'bob'))
      expect(response.headers.get('location') ?? '').not.toContain('secret')
      expect(await response.text()).not.toContain('secret')
      fail([])
      expect(await browser.json('/session')).toMatchObject({ user: { name: 'Person alice' } })
      expect(JSON.stringify(lines)).toContain('Error: secret detail')
    },
  )
})

test('the strategy cookie does not need the storage to read a session (I-34)', async () => {
  const { browser, csrfToken, fail, wait } = await serveSignedIn({ strategy: 'cookie' })
  fail()
  expect(await browser.json('/session')).toHaveProperty('user')
  wait(2 * DAY)
  expect((await browser.visit('/session')).headers.getSetCookie()).toHaveLength(1)
  expect((await browser.post('/signout', { csrfToken })).status).toBe(302)
  expect(await browser.json('/session')).toEqual({})
})

test('a storage that returns no promise has failed (I-36)', async () => {
  const { storage, browser } = await serveSignedIn({ strategy: 'storage' })
  let isBroken = true
  const { browse } = serve({
    storage: {
      ...storage,
      getSessionAndUser: (...args) =>
        isBroken ? (undefined as never) : storage.getSessionAndUser(...args),
    },
  })
  const other = browse()
  other.cookies.set(sessionCookie, browser.cookies.get(sessionCookie) as string)
  expect((await other.visit('/session')).status).toBe(503)
  isBroken = false
  expect(await other.json('/session')).toHaveProperty('user')
})

test('a storage that throws instead of rejecting is handled equally (I-36)', async () => {
  const { storage, browser } = await serveSignedIn({ strategy: 'storage' })
  const broken = serve({
    storage: {
      ...storage,
      getSessionAndUser: () => {
        throw new Error('secret detail')
      },
    },
  })
  const other = broken.browse()
  other.cookies.set(sessionCookie, browser.cookies.get(sessionCookie) as string)
  const response = await other.visit('/session')
  expect(response.status).toBe(503)
  expect(await response.text()).not.toContain('secret')
  expect(response.headers.getSetCookie()).toEqual([])
})

test('an email whose token cannot be stored is not sent: 503', async () => {
  const { storage, fail } = breakableStorage()
  const sent: unknown[] = []
  const provider = createEmailProvider({ mailer: { send: async (mail) => void sent.push(mail) } })
  const { browse } = serve({ storage, providers: [provider] })
  fail(['createVerificationToken'])
  const response = await browse().submit('/signin/email', { email: 'alice@example.com' })
  expect(response.status).toBe(503)
  expect(await response.text()).not.toContain('secret')
  expect(sent).toEqual([])
})
