import { encode as encodeV5 } from '@auth/core/jwt'
import { memoryStorage } from '@latchkey/core/memory'
import { authJs } from '@latchkey/core/import/auth-js'
import { nextAuthV4 } from '@latchkey/core/import/next-auth-v4'
import { encode as encodeV4 } from 'next-auth/jwt'
import { describe, expect, test } from 'vitest'
import { passport, serve, signIn } from './support/service.ts'

const former = 'what NEXTAUTH_SECRET was'
const v4Cookie = '__Secure-next-auth.session-token'
const v5Cookie = '__Secure-authjs.session-token'
const ours = '__Host-latchkey.session'

/** A session cookie as next-auth v4 itself makes it. */
const v4 = (claims: object = {}, secret = former, maxAge = 3600): Promise<string> =>
  encodeV4({
    token: { sub: 'u1', name: 'Ada', email: 'ada@example.com', ...claims },
    secret,
    maxAge,
  })

/** A session cookie as Auth.js v5 itself makes it. */
const v5 = (claims: object = {}, secret = former, maxAge = 3600): Promise<string> =>
  encodeV5({
    token: { sub: 'u1', name: 'Ada', email: 'ada@example.com', ...claims },
    secret,
    salt: v5Cookie,
    maxAge,
  })

const rows = [
  ['next-auth v4', v4Cookie, v4, nextAuthV4],
  ['Auth.js v5', v5Cookie, v5, authJs],
] as const

describe.for(rows)('a session of %s', ([, cookie, encode, reader]) => {
  const setUp = (secret: string | readonly string[] = former) =>
    serve({ session: { importFrom: [reader({ secret })] } })

  test('becomes one of ours when it is first seen, and its cookie goes', async () => {
    const browser = setUp().browse()
    browser.cookies.set(cookie, await encode())
    expect(await browser.json('/session')).toMatchObject({
      user: { id: 'u1', name: 'Ada', email: 'ada@example.com' },
    })
    expect([...browser.cookies.keys()]).toEqual([ours])
    expect(await browser.json('/session')).toHaveProperty('user')
  })

  test('is deleted with the attributes that it was set with (I-14)', async () => {
    const browser = setUp().browse()
    browser.cookies.set(cookie, await encode())
    const lines = (await browser.visit('/session')).headers.getSetCookie()
    expect(lines).toContain(`${cookie}=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax`)
  })

  test('keeps claims of its own for callbacks.session', async () => {
    const { browse } = serve({
      session: { importFrom: [reader({ secret: former })] },
      callbacks: { session: ({ session, token }) => ({ ...session, role: token['role'] }) },
    })
    const browser = browse()
    browser.cookies.set(cookie, await encode({ role: 'admin' }))
    expect(await browser.json('/session')).toMatchObject({ role: 'admin' })
  })

  test('may be made into something else, or into nobody', async () => {
    const { browse } = serve({
      session: {
        importFrom: [
          reader({
            secret: former,
            token: ({ sub, name }) =>
              name === 'Ada' ? { sub: `github:${String(sub)}`, name } : undefined,
          }),
        ],
      },
    })
    const [ada, other] = [browse(), browse()]
    ada.cookies.set(cookie, await encode())
    other.cookies.set(cookie, await encode({ name: 'Bob' }))
    expect(await ada.json('/session')).toMatchObject({ user: { id: 'github:u1', email: null } })
    expect(await other.json('/session')).toEqual({})
  })

  test('in parts, in whatever order they come, more than ten of them', async () => {
    const browser = setUp().browse()
    const value = await encode({ note: 'x'.repeat(2000) })
    const size = Math.ceil(value.length / 12)
    const parts = Array.from({ length: 12 }, (_, i) => [
      `${cookie}.${i}`,
      value.slice(i * size, (i + 1) * size),
    ])
    for (const [name, part] of parts.toReversed() as [string, string][]) {
      browser.cookies.set(name, part)
    }
    expect(await browser.json('/session')).toMatchObject({ user: { id: 'u1' } })
    expect([...browser.cookies.keys()]).toEqual([ours])
  })

  test('under any of several secrets', async () => {
    const browser = setUp(['another secret', former]).browse()
    browser.cookies.set(cookie, await encode())
    expect(await browser.json('/session')).toHaveProperty('user')
  })

  test.for<[string, () => Promise<string>]>([
    ['under another secret', () => encode({}, 'another secret')],
    ['expired', () => encode({}, former, -1)],
    ['of nobody', () => encode({ sub: undefined })],
    ['garbage', async () => 'garbage'],
    ['altered', async (): Promise<string> => `${(await encode()).slice(0, -3)}abc`],
  ])('%s is none', async ([, make]) => {
    const browser = setUp().browse()
    browser.cookies.set(cookie, await make())
    expect(await browser.json('/session')).toEqual({})
    expect(browser.cookies.has(ours)).toBe(false)
  })

  test('does not replace one of ours', async () => {
    const browser = setUp().browse()
    await signIn(browser)
    browser.cookies.set(cookie, await encode())
    expect(await browser.json('/session')).toMatchObject({ user: { id: 'passport:alice' } })
  })

  test('signs out for good', async () => {
    const browser = setUp().browse()
    browser.cookies.set(cookie, await encode())
    await browser.submit('/signout')
    expect([...browser.cookies.keys()].filter((name) => !name.includes('csrf'))).toEqual([])
    expect(await browser.json('/session')).toEqual({})
  })

  test('is left alone by a HEAD, and by a refusal', async () => {
    const browser = setUp().browse()
    const value = await encode()
    browser.cookies.set(cookie, value)
    await browser.visit('/session', { method: 'HEAD' })
    expect((await browser.post('/signout', {})).status).toBe(403)
    expect(browser.cookies.get(cookie)).toBe(value)
    expect(await browser.json('/session')).toHaveProperty('user')
  })

  test('on http has a cookie without prefix', async () => {
    const { browse } = serve({
      serviceUrl: 'http://localhost:3000',
      session: { importFrom: [reader({ secret: former, cookieName: 'renamed' })] },
    })
    const browser = browse()
    const value =
      reader === authJs
        ? await encodeV5({ token: { sub: 'u1' }, secret: former, salt: 'renamed' })
        : await encode()
    browser.cookies.set('renamed', value)
    expect(await browser.json('/session')).toMatchObject({ user: { id: 'u1' } })
    expect([...browser.cookies.keys()]).toEqual(['latchkey.session'])
  })

  test('with a storage goes on where its user is known there', async () => {
    const storage = memoryStorage()
    const user = { id: 'u1', name: 'Ada', email: null, emailVerified: false, image: null }
    await storage.createUser(user)
    const { auth, browse } = serve({
      storage,
      session: { importFrom: [reader({ secret: former })] },
    })
    const [known, unknown] = [browse(), browse()]
    known.cookies.set(cookie, await encode())
    unknown.cookies.set(cookie, await encode({ sub: 'u2' }))
    expect(await known.json('/session')).toMatchObject({ user: { id: 'u1' } })
    expect(await unknown.json('/session')).toEqual({})
    expect(await auth.sessions.list('u1')).toHaveLength(1)
  })
})

describe('adoption', () => {
  test('leaves no session behind where a request is refused, or sends no cookie', async () => {
    const storage = memoryStorage()
    await storage.createUser({
      id: 'u1',
      name: null,
      email: null,
      emailVerified: false,
      image: null,
    })
    const { auth, browse } = serve({
      storage,
      session: { importFrom: [nextAuthV4({ secret: former })] },
    })
    const browser = browse()
    const value = await v4()
    browser.cookies.set(v4Cookie, value)
    expect((await browser.post('/signout', {})).status).toBe(403)
    const headers = { cookie: `${v4Cookie}=${value}` }
    await auth.getAccessToken(new Request('https://app.example/', { headers }), 'passport')
    expect(await auth.sessions.list('u1')).toEqual([])
  })

  test('deletes a cookie of a domain with that domain', async () => {
    const { browse } = serve({
      session: { importFrom: [nextAuthV4({ secret: former, domain: '.example.com' })] },
    })
    const browser = browse()
    browser.cookies.set(v4Cookie, await v4())
    const lines = (await browser.visit('/session')).headers.getSetCookie()
    expect(lines.find((line) => line.startsWith(v4Cookie))).toContain('Domain=.example.com')
  })
})

describe('a database of next-auth v4', () => {
  test('a session whose token stands in its row becomes one of ours', async () => {
    const storage = memoryStorage()
    const user = { id: 'u1', name: 'Ada', email: null, emailVerified: false, image: null }
    await storage.createUser(user)
    const token = crypto.randomUUID()
    const now = Math.floor(Date.now() / 1000)
    const times = { createdAt: now, renewedAt: now, expires: now + 3600 }
    await storage.createSession('u1', { id: token, ...times, data: '' })
    const { browse } = serve({
      storage,
      providers: [passport()],
      session: { importFrom: [nextAuthV4({ secret: former, strategy: 'database' })] },
    })
    const [browser, stranger] = [browse(), browse()]
    browser.cookies.set(v4Cookie, token)
    stranger.cookies.set(v4Cookie, crypto.randomUUID())
    expect(await browser.json('/session')).toMatchObject({ user: { id: 'u1', name: 'Ada' } })
    expect([...browser.cookies.keys()]).toEqual([ours])
    expect(await stranger.json('/session')).toEqual({})
  })

  test('the id of a session of ours, which is no secret, signs nobody in', async () => {
    for (const session of [{}, { strategy: 'cookie', revocable: true } as const]) {
      const readers = [nextAuthV4({ secret: 'x', strategy: 'database' })]
      const { auth, browse } = serve({
        storage: memoryStorage(),
        session: { ...session, importFrom: readers },
      })
      const [owner, thief] = [browse(), browse()]
      await signIn(owner)
      const { user } = (await owner.json('/session')) as { user: { id: string } }
      const [listed] = await auth.sessions.list(user.id)
      const id = listed?.id as string
      for (const value of [id, `${id.slice(0, 9)}\u00ad${id.slice(9)}`, id.replace(/a/i, 'á')]) {
        thief.cookies.set(v4Cookie, value)
        const cookie = [...thief.cookies].map(([name, held]) => `${name}=${held}`).join('; ')
        // Headers hold bytes: browsers send such values in UTF-8.
        const headers = { cookie: Buffer.from(cookie).toString('latin1') }
        expect(await thief.json('/session', { headers })).toEqual({})
      }
      expect(await owner.json('/session')).toHaveProperty('user')
    }
  })
})

test('a token that next-auth 4.24 made long ago is read', async () => {
  const { browse } = serve({
    session: { importFrom: [nextAuthV4({ secret: 'rig-secret-for-recording-only' })] },
  })
  const browser = browse()
  browser.cookies.set(v4Cookie, recorded)
  expect(await browser.json('/session')).toMatchObject({
    user: { id: 'u1', name: 'Ada', email: 'ada@example.test' },
  })
})

/** `{ sub: 'u1', name: 'Ada', email: 'ada@example.test' }`, good for about a hundred years. */
const recorded = [
  'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0',
  '',
  'Y6YneUIPG4fkRTVI',
  'bVpvuZX1Bbu9ftVrEnX5vXLMP0p_Q8Xq43G6bD6jvR5GNJnnme7Ld2lu4hboUEwoA_2Kh6rRS5nyKNbEZ8Fgs4RKxmF9UbP2Fc9FKW_o-C_v_NGPTDEhLbLfo0GO6oslf8gDoP_-YLkW4c4LAIQSoGhiyZQjZJ9f8TAHveGHIy-x3iUZOyTN8Ndya36Ypg1qCDw',
  'CMNiN5OzymG0YV-nJSecwQ',
].join('.')
