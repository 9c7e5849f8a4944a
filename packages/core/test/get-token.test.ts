import { nextAuthV4 } from '@latchkey/core/import/next-auth-v4'
import { memoryStorage } from '@latchkey/core/memory'
import { encode } from 'next-auth/jwt'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { breakableStorage } from './support/breakable.ts'
import { createPageRequest, origin, serve, signIn } from './support/service.ts'

const DAY = 86_400

describe.each(['storage', 'cookie'] as const)('auth.getToken, strategy %s (I-46)', (strategy) => {
  test('returns what callbacks.jwt returned; the client does not see it', async () => {
    const { auth, browse } = serve({
      storage: memoryStorage(),
      session: { strategy },
      callbacks: {
        jwt: ({ token, account }) => ({ ...token, accessToken: account?.access_token ?? 'none' }),
      },
    })
    const browser = browse()
    await signIn(browser)
    const token = await auth.getToken(createPageRequest(browser))
    const { user } = (await browser.json('/session')) as { user: { id: string } }
    expect(token).toEqual({
      sub: user.id,
      name: 'Person alice',
      email: 'alice@example.com',
      email_verified: true,
      picture: null,
      accessToken: 'access-token-of-the-person',
    })
    expect(JSON.stringify(await browser.json('/session'))).not.toContain('access-token')
    expectTypeOf(token?.accessToken).toEqualTypeOf<string | undefined>()
  })

  test('returns the claims of the user without callbacks.jwt', async () => {
    const { auth, browse } = serve({ storage: memoryStorage(), session: { strategy } })
    const browser = browse()
    await signIn(browser)
    expect(await auth.getToken(createPageRequest(browser))).toMatchObject({
      sub: expect.any(String),
      email: 'alice@example.com',
    })
  })

  test('returns null without a session', async () => {
    const { auth, browse } = serve({ storage: memoryStorage(), session: { strategy } })
    const browser = browse()
    expect(await auth.getToken(new Request(`${origin}/page`))).toBeNull()
    await signIn(browser)
    const request = createPageRequest(browser)
    await browser.submit('/signout')
    expect(await auth.getToken(createPageRequest(browser))).toBeNull()
    if (strategy === 'storage') expect(await auth.getToken(request)).toBeNull()
  })

  test.each(['Bearer %', 'Bearer %E0%A4%A', 'Bearer %00', 'Bearer', 'Basic %', '%'])(
    'reads no Authorization header, malformed or not: %s',
    async (authorization) => {
      const { auth, browse } = serve({ storage: memoryStorage(), session: { strategy } })
      const browser = browse()
      await signIn(browser)
      const request = createPageRequest(browser)
      request.headers.set('authorization', authorization)
      expect(await auth.getToken(request)).toMatchObject({ email: 'alice@example.com' })
      const without = new Request(`${origin}/page`, { headers: { authorization } })
      expect(await auth.getToken(without)).toBeNull()
      expect((await auth.getSession(without)).session).toBeNull()
    },
  )

  const malformed = ['%', '%E0%A4%A', '%00', '\u00ff', '"', 'a.b.c.d.e', '.'.repeat(4000)]
  test.for(malformed.map((value) => [value.slice(0, 10), value] as const))(
    'a malformed session cookie counts as no session, and throws nothing: %j',
    async ([, value]) => {
      const { auth, browse } = serve({ storage: memoryStorage(), session: { strategy } })
      const browser = browse()
      await signIn(browser)
      const name = '__Host-latchkey.session'
      expect(browser.cookies.has(name)).toBe(true)
      expect(await auth.getToken(createPageRequest(browser))).not.toBeNull()
      browser.cookies.set(name, value)
      expect(await auth.getToken(createPageRequest(browser))).toBeNull()
      expect(await browser.json('/session')).toEqual({})
    },
  )

  test('is a read: a session that is due is not renewed', async () => {
    const triggers: string[] = []
    const storage = memoryStorage()
    const writes: string[] = []
    const { auth, browse, wait } = serve({
      storage: {
        ...storage,
        updateSession: (...args) => (writes.push('update'), storage.updateSession(...args)),
      },
      session: { strategy },
      callbacks: { jwt: ({ token, trigger }) => (triggers.push(trigger), { ...token }) },
    })
    const browser = browse()
    await signIn(browser)
    wait(2 * DAY)
    expect(await auth.getToken(createPageRequest(browser))).toHaveProperty('sub')
    expect([triggers, writes]).toEqual([['signUp'], []])
  })
})

test('a session of a previous service is mapped, not imported (I-45)', async () => {
  const secret = 'the NEXTAUTH_SECRET of the application'
  const { auth, browse } = serve({
    session: { importFrom: [nextAuthV4({ secret, until: new Date(Date.now() + DAY * 1000) })] },
    callbacks: { jwt: ({ token }) => ({ ...token, seen: 'by the callback' }) },
  })
  const browser = browse()
  const name = '__Secure-next-auth.session-token'
  browser.cookies.set(name, await encode({ token: { sub: '7', role: 'admin' }, secret }))
  expect(await auth.getToken(createPageRequest(browser))).toMatchObject({
    sub: '7',
    role: 'admin',
    seen: 'by the callback',
  })
  expect([...browser.cookies.keys()]).toEqual([name])
})

test('the token that is returned can be changed without changing the session', async () => {
  const { auth, browse } = serve({ storage: memoryStorage() })
  const browser = browse()
  await signIn(browser)
  const token = await auth.getToken(createPageRequest(browser))
  Object.assign(token ?? {}, { sub: 'mallory' })
  expect(await auth.getToken(createPageRequest(browser))).not.toHaveProperty('sub', 'mallory')
})

test('a storage that fails is Unavailable (I-36)', async () => {
  const { storage, fail } = breakableStorage()
  const { auth, browse } = serve({ storage })
  const browser = browse()
  await signIn(browser)
  fail()
  await expect(auth.getToken(createPageRequest(browser))).rejects.toMatchObject({
    code: 'Unavailable',
  })
})
