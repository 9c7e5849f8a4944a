import { nextAuthV4 } from '@latchkey/core/import/next-auth-v4'
import { memoryStorage } from '@latchkey/core/memory'
import { github } from '@latchkey/core/providers/github'
import type { Browser } from '@latchkey/testing/browser'
import { encode } from 'next-auth/jwt'
import { describe, expect, test } from 'vitest'
import {
  getConfigError,
  getRedirect,
  getUser,
  passport,
  serve,
  signInWith,
} from './support/service.ts'
import type { TestService } from './support/service.ts'

const nextAuthSecret = 'the NEXTAUTH_SECRET of the application'
const until = new Date(Date.now() + 365 * 86_400_000)
const bare = (over = {}): ReturnType<typeof passport> =>
  passport({ subjectAsUserId: true, ...over })
const licence = passport({ id: 'licence', name: 'Licence' })

/** Serves the application that came from next-auth v4, whose users signed in with the passport. */
const serveMigrated = (over = {}): TestService<unknown> =>
  serve({
    providers: [bare(), licence],
    session: { importFrom: [nextAuthV4({ secret: nextAuthSecret, until })] },
    ...over,
  })

async function setV4Cookie(browser: Browser, sub = '583231'): Promise<void> {
  const token = { sub, name: 'Ada', email: 'ada@example.com', picture: null }
  const name = '__Secure-next-auth.session-token'
  browser.cookies.set(name, await encode({ token, secret: nextAuthSecret }))
}

describe('subjectAsUserId keeps the ids of next-auth v4 (I-46)', () => {
  test('without a storage, across sign-out and sign-in', async () => {
    const browser = serveMigrated().browse()
    await setV4Cookie(browser)
    expect(await getUser(browser)).toMatchObject({ id: '583231', name: 'Ada' })
    await browser.submit('/signout')
    expect(await browser.json('/session')).toEqual({})
    await signInWith(browser, 'passport', '583231')
    expect(await getUser(browser)).toMatchObject({ id: '583231', name: 'Person 583231' })
  })

  test.each(['storage', 'cookie'] as const)(
    'in a storage that is new, strategy %s: the user is created with the id',
    async (strategy) => {
      const storage = memoryStorage()
      const { browse } = serveMigrated({
        storage,
        session: { strategy, importFrom: [nextAuthV4({ secret: nextAuthSecret })] },
      })
      const [browser, other] = [browse(), browse()]
      await setV4Cookie(browser)
      // The storage does not have the user yet: the imported session counts from the first sign-in on.
      expect(await browser.json('/session')).toEqual({})
      await signInWith(other, 'passport', '583231')
      expect(await getUser(other)).toMatchObject({ id: '583231' })
      expect(await getUser(browser)).toMatchObject({ id: '583231' })
      for (const each of [browser, other]) {
        await each.submit('/signout')
        await signInWith(each, 'passport', '583231')
        expect(await getUser(each)).toMatchObject({ id: '583231' })
      }
      expect(await storage.listAccounts('583231')).toHaveLength(1)
    },
  )

  test('concurrent first sign-ins are one user', async () => {
    const storage = memoryStorage()
    const { browse } = serveMigrated({ storage, session: {} })
    const browsers = [browse(), browse(), browse()]
    await Promise.all(browsers.map((browser) => signInWith(browser, 'passport', '583231')))
    const ids = await Promise.all(browsers.map(async (browser) => (await getUser(browser)).id))
    expect(ids).toEqual(['583231', '583231', '583231'])
  })

  test('of a user whom the storage has already, the id stays', async () => {
    const storage = memoryStorage()
    const user = { id: 'u1', name: 'Ada', email: null, emailVerified: false, image: null }
    const account = { provider: 'passport', type: 'oauth', providerAccountId: '583231' }
    await storage.createUser(user, account)
    const browser = serveMigrated({ storage, session: {} }).browse()
    await signInWith(browser, 'passport', '583231')
    expect(await getUser(browser)).toMatchObject({ id: 'u1' })
  })
})

describe('no user gets the id of another', () => {
  test('the users of all other providers have ids with a colon', async () => {
    const browser = serveMigrated().browse()
    await signInWith(browser, 'licence', '583231')
    expect(await getUser(browser)).toMatchObject({ id: 'licence:583231' })
  })

  test.each(['licence:583231', ':', 'urn:uuid:1'])(
    'the subject %s is refused, with and without a storage',
    async (subject) => {
      for (const over of [{}, { storage: memoryStorage(), session: {} }]) {
        const browser = serveMigrated(over).browse()
        const response = await signInWith(browser, 'passport', subject)
        expect(getRedirect(response)).toEqual({ path: '/api/auth/signin', error: 'OAuthCallback' })
        expect(await browser.json('/session')).toEqual({})
      }
    },
  )

  test('a subject with the prefix of another provider gets the prefix of its provider', async () => {
    const browser = serveMigrated().browse()
    await signInWith(browser, 'licence', 'licence:583231')
    expect(await getUser(browser)).toMatchObject({ id: 'licence:licence:583231' })
  })

  test('a subject that is the id of another stored user does not sign in as that user', async () => {
    const storage = memoryStorage()
    const { browse } = serveMigrated({ storage, session: {} })
    const victim = browse()
    await signInWith(victim, 'licence', 'alice')
    const { id } = await getUser(victim)
    const browser = browse()
    expect(getRedirect(await signInWith(browser, 'passport', id)).error).toBe('OAuthCreateAccount')
    expect(await browser.json('/session')).toEqual({})
    expect(await storage.listAccounts(id)).toMatchObject([{ provider: 'licence' }])
  })

  test.each([{ subjectAsUserId: true }, { type: 'custom', kind: 'user' }] as const)(
    'another provider with %j is refused at start-up',
    (over) => {
      const other = passport({ id: 'licence', name: 'Licence', ...over })
      for (const providers of [
        [bare(), other],
        [other, bare()],
      ]) {
        const [option, problem] = getConfigError(() => ({ providers })) ?? []
        expect(option).toMatch(/^providers\.(passport|licence)\.subjectAsUserId$/)
        expect(problem).toContain('whose ids of users have no prefix either')
      }
    },
  )
})

test('it is an option of OAuth and OpenID Connect providers', () => {
  const credentials = { clientId: 'Iv1.abc', clientSecret: 'kept secret' }
  expect(github({ ...credentials, subjectAsUserId: true }).subjectAsUserId).toBe(true)
  expect(github(credentials).subjectAsUserId).toBe(false)
  const invalid = { ...credentials, subjectAsUserId: 'github' as never }
  expect(getConfigError(() => ({ providers: [github(invalid)] }))).toEqual([
    'providers.github.subjectAsUserId',
    'must be true or false, found a string',
  ])
})
