import { encode } from 'next-auth/jwt'
import type { AuthConfig, Provider, Storage } from '@latchkey/core'
import { nextAuthV4 } from '@latchkey/core/import/next-auth-v4'
import { memoryStorage } from '@latchkey/core/memory'
import type { Browser } from '@latchkey/testing/browser'
import { describe, expect, test } from 'vitest'
import { enrol, present, prove, serveSecond } from './support/second-factor.ts'
import { getUser, passport, signIn, signInWith } from '../../core/test/support/service.ts'

const DAY = 86_400

type Sessions = NonNullable<AuthConfig['session']>
const strategies: readonly [string, Sessions][] = [
  ['in the storage', {}],
  ['in its cookie, revocable', { strategy: 'cookie', revocable: true }],
]

const trusted: Provider = {
  ...passport({
    id: 'trusted',
    identify: () => ({ authentication: { methods: ['fed'], provider: { amr: ['mfa'] } } }),
  }),
  trustAmr: ['mfa'],
}

/** What `require` answers, and whom it was asked about. */
interface Require {
  answer: unknown
  readonly asked: unknown[]
}

interface Renewed extends ReturnType<typeof serveSecond> {
  readonly require: Require
  readonly revoked: unknown[]
  readonly storage: Storage
}

function serveRenewed(session: Sessions, over: Partial<AuthConfig> = {}): Renewed {
  const require: Require = { answer: false, asked: [] }
  const revoked: unknown[] = []
  const service = serveSecond(
    {
      session,
      providers: [present, trusted],
      events: { revokeSession: (event) => void revoked.push(event) },
      ...over,
    },
    {
      rememberFor: 30 * DAY,
      require: ({ user, methods, account }) => {
        require.asked.push([user.name, methods, account])
        if (require.answer instanceof Error) throw require.answer
        return require.answer as boolean
      },
    },
  )
  return { ...service, require, revoked }
}

const hasSession = async (browser: Browser): Promise<boolean> =>
  'user' in ((await browser.json('/session')) ?? {})

/** Returns the cookie of the session that a renewal sets; undefined if none is set. */
async function renew(browser: Browser): Promise<string | undefined> {
  const response = await browser.visit('/session')
  return response.headers.getSetCookie().find((cookie) => /session=[^;]/.test(cookie))
}

describe.each(strategies)(
  'a session %s of which no second factor was required (I-52.14)',
  (_, session) => {
    test('ends at a renewal if one is required by now, in every copy', async () => {
      const { auth, browse, require, revoked, wait } = serveRenewed(session)
      const browser = browse()
      await signIn(browser)
      const { id } = await getUser(browser)
      const copy = browse()
      for (const [name, value] of browser.cookies) copy.cookies.set(name, value)
      require.asked.length = 0
      wait(DAY + 1)
      expect(await renew(browser)).toBeDefined()
      expect(require.asked).toEqual([['Person alice', ['fed'], undefined]])
      require.answer = true
      expect(await hasSession(browser)).toBe(true)
      const [{ id: sessionId } = { id: '' }] = await auth.sessions.list(id)
      wait(DAY + 1)
      expect([await hasSession(browser), await hasSession(copy)]).toEqual([false, false])
      expect(await auth.sessions.list(id)).toEqual([])
      expect(revoked).toEqual([{ userId: id, sessionId }])
      await signIn(browser)
      expect(await hasSession(browser)).toBe(false)
    })

    test('is not renewed if require throws, which is logged', async () => {
      const { browse, lines, require, wait } = serveRenewed(session)
      const browser = browse()
      await signIn(browser)
      require.answer = new Error('down')
      wait(DAY + 1)
      lines.length = 0
      const { expires } = (await browser.json('/session')) as { expires?: string }
      wait(1)
      expect(await browser.json('/session')).toMatchObject({ expires })
      expect(lines.map(({ level, message }) => [level, message])).toContainEqual([
        'error',
        'a session was not renewed',
      ])
      wait(29 * DAY)
      expect(await hasSession(browser)).toBe(false)
    })

    test('changes nothing by session.update if require throws, and ends if one is required', async () => {
      const update = ({ token }: { token: { sub: string } }) => ({ ...token, name: 'Changed' })
      const { browse, require } = serveRenewed({ ...session, update })
      const browser = browse()
      await signIn(browser)
      require.answer = new Error('down')
      const csrfToken = await browser.csrfToken()
      const post = (): Promise<Response> => browser.post('/session', { csrfToken, data: '{}' })
      expect((await post()).status).toBe(500)
      expect(await getUser(browser)).toMatchObject({ name: 'Person alice' })
      require.answer = true
      await post()
      expect(await hasSession(browser)).toBe(false)
    })

    test.each<[string, (service: Renewed, browser: Browser) => Promise<unknown>]>([
      [
        'both factors',
        async (_service, browser) => {
          await signIn(browser)
          const { secret } = await enrol(browser)
          await browser.submit('/signout')
          await signIn(browser)
          await prove(browser, `${secret}-2`)
        },
      ],
      [
        'a remembered browser',
        async (_service, browser) => {
          await signIn(browser)
          const { secret } = await enrol(browser)
          await browser.submit('/signout')
          await signIn(browser)
          await prove(browser, `${secret}-2`, { remember: 'true' })
          await browser.submit('/signout')
          await signIn(browser)
        },
      ],
      [
        'trustAmr',
        async ({ require }, browser) => {
          require.answer = true
          await signInWith(browser, 'trusted', 'alice')
        },
      ],
    ])('but that %s satisfied is not asked about', async (__, begin) => {
      const service = serveRenewed(session)
      const browser = service.browse()
      await begin(service, browser)
      service.require.answer = true
      service.require.asked.length = 0
      service.wait(DAY + 1)
      expect([typeof (await renew(browser)), service.require.asked]).toEqual(['string', []])
    })

    test('stays satisfied by trustAmr after a confirmation by another account', async () => {
      const service = serveRenewed(session)
      const { browse, require, storage, wait } = service
      const browser = browse()
      require.answer = true
      await signInWith(browser, 'trusted', 'alice')
      const { id } = await getUser(browser)
      const account = { provider: 'passport', type: 'oauth', providerAccountId: 'alice' }
      await storage.linkAccount(id, account)
      await signIn(browser, 'alice', { confirm: 'true' })
      wait(DAY + 1)
      expect(typeof (await renew(browser))).toBe('string')
    })
  },
)

test('a session of the previous version is asked about, unless it has proven both factors (I-52.14)', async () => {
  for (const hasBoth of [false, true]) {
    const { browse, require, storage, wait, auth } = serveRenewed({})
    const browser = browse()
    await signIn(browser)
    const { id } = await getUser(browser)
    const [{ id: sessionId } = { id: '' }] = await auth.sessions.list(id)
    const authentication = {
      authenticatedAt: 1,
      methods: hasBoth ? ['fed', 'otp', 'mfa'] : ['fed'],
    }
    const found = await storage.getSessionAndUser(sessionId, 0)
    const { renewedAt = 0, expires = 0 } = { ...found?.session }
    await storage.updateSession(sessionId, {
      renewedAt,
      expires,
      data: JSON.stringify({ authentication }),
    })
    require.answer = true
    wait(DAY + 1)
    expect(await hasSession(browser)).toBe(hasBoth)
  }
})

test('an imported session is asked about when it is renewed (I-52.14)', async () => {
  const secret = 'the NEXTAUTH_SECRET of the application'
  const storage = memoryStorage()
  await storage.createUser({
    id: 'u1',
    name: 'Ada',
    email: null,
    emailVerified: false,
    image: null,
  })
  const { browse, require, wait } = serveRenewed(
    { importFrom: [nextAuthV4({ secret })] },
    { storage },
  )
  const browser = browse()
  const value = await encode({ token: { sub: 'u1' }, secret, maxAge: 30 * DAY })
  const name = '__Secure-next-auth.session-token'
  browser.cookies.set(name, value)
  expect(await hasSession(browser)).toBe(true)
  require.answer = true
  wait(DAY + 1)
  // The previous cookie finds the session too, and is not imported again.
  const copy = browse()
  copy.cookies.set(name, value)
  expect(await hasSession(copy)).toBe(false)
  require.answer = false
  expect([await hasSession(copy), await hasSession(browser)]).toEqual([false, false])
})
