import { describe, expect, test } from 'vitest'
import type { AuthConfig, Identity, SignIn, Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { oauth } from '@latchkey/core/providers/oauth'
import { oidc } from '@latchkey/core/providers/oidc'
import type { Browser } from '@latchkey/testing/browser'
import { createIssuer } from '@latchkey/testing/issuer'
import { userFields } from '@latchkey/core/user-fields'
import { enrol, present, prove, serveOwner, serveSecond } from './support/second-factor.ts'
import {
  getRedirect,
  getUser,
  origin,
  passport,
  signIn,
  signInWith,
} from '../../core/test/support/service.ts'

const secondPage = `${origin}/api/auth/signin?second=true`

const listGroups = (count: number): string[] =>
  Array.from({ length: count }, () => crypto.randomUUID())

const isStep = ([name]: readonly [string, string]): boolean => name.includes('latchkey.second')
const getStep = (browser: Browser): (readonly [string, string])[] =>
  [...browser.cookies].filter(isStep)

const getError = async (response: Response): Promise<unknown> => (await response.json()).error

/** What callbacks and events get of a sign-in; `jwt` gets none of it at a renewal. */
type Noted = { readonly [Name in 'user' | 'account' | 'profile']?: SignIn[Name] | undefined }

/** A storage without the capability `steps`. */
function withoutSteps(): Storage {
  const { createStep: _, takeStep: __, ...storage } = memoryStorage()
  return storage
}

/** Alice, and what her provider says: nothing of it fits into a cookie. */
function say(over: Partial<Identity> = {}) {
  const groups = listGroups(500)
  return passport({ identify: (sub) => ({ claims: { sub, groups }, ...over }), canConfirm: true })
}

/** Serves alice, who has a second factor, and begins a sign-in that the storage keeps. */
async function serveKept(over: Partial<AuthConfig> = {}, identity: Partial<Identity> = {}) {
  const { storage, kept } = await serveOwner({ ...over, providers: [present] })
  const service = serveSecond({ storage, providers: [say(identity)], ...over })
  const browser = service.browse()
  const asked = await signIn(browser)
  return { ...service, storage, browser, asked, code: `${kept.secret}-2` }
}

describe('callbacks see with a second factor what they see without it (I-52.2)', () => {
  const client = { clientId: 'client-id', clientSecret: 'a client secret' }

  /** Returns what callbacks and events get at a sign-in without a second factor, and at one with it. */
  async function compare(
    over: Partial<AuthConfig>,
    signInThere: (browser: Browser) => Promise<Response>,
  ) {
    const seen: Pick<SignIn, 'user' | 'account' | 'profile'>[] = []
    const note = ({ user, account, profile }: Noted): void => {
      if (user && account && profile) seen.push({ user, account, profile })
    }
    const { browse } = serveSecond({
      callbacks: {
        signIn: (args) => {
          note(args)
          return true
        },
        jwt: (args) => {
          note(args)
          return { ...args.token }
        },
      },
      events: { signIn: note },
      session: { strategy: 'storage' },
      ...over,
    })
    await signInThere(browse())
    seen.length = 0
    const first = browse()
    await signInThere(first)
    const without = seen.splice(0)
    const { secret } = await enrol(first)
    seen.length = 0
    const second = browse()
    expect((await signInThere(second)).headers.get('location')).toBe(secondPage)
    expect(seen).toEqual([])
    expect((await prove(second, `${secret}-2`)).headers.get('location')).toBe(origin)
    expect(without).toHaveLength(3)
    return { seen, without }
  }

  test.each([0, 50, 150, 500])('an OAuth provider with %i groups', async (count) => {
    const groups = listGroups(count)
    const issuer = createIssuer({
      ...client,
      openid: false,
      api: { 'https://issuer.example/me': { sub: 'alice', name: 'Alice', groups } },
    })
    const provider = oauth({
      ...client,
      id: 'forge',
      name: 'Forge',
      authorizationEndpoint: 'https://issuer.example/authorize',
      tokenEndpoint: 'https://issuer.example/token',
      userinfo: 'https://issuer.example/me',
      confirm: 'trust',
    })
    const over = { providers: [provider], runtime: { fetch: issuer.fetch } }
    const { seen, without } = await compare(over, async (browser) => {
      const begun = await browser.submit('/signin/forge')
      return browser.visit(issuer.authorize(new URL(String(begun.headers.get('location')))).href)
    })
    const toComparable = ({ user, account, profile }: (typeof seen)[number]): unknown => {
      return { user, profile, account: { ...account, access_token: typeof account.access_token } }
    }
    expect(seen.map(toComparable)).toEqual(without.map(toComparable))
    expect(seen[0]?.profile['groups']).toEqual(groups)
  })

  test('an OpenID provider with 500 groups in its ID Token', async () => {
    const groups = listGroups(500)
    const issuer = createIssuer({ ...client, idToken: { groups } })
    const provider = oidc({
      ...client,
      id: 'company',
      name: 'Company',
      issuer: issuer.issuer,
      confirm: 'trust',
    })
    const over = { providers: [provider], runtime: { fetch: issuer.fetch } }
    const { seen, without } = await compare(over, async (browser) => {
      const begun = await browser.submit('/signin/company')
      return browser.visit(issuer.authorize(new URL(String(begun.headers.get('location')))).href)
    })
    const listMembers = ({ user, account, profile }: (typeof seen)[number]): unknown => {
      return [user, Object.keys(account), Object.keys(profile), profile['groups']]
    }
    expect(seen.map(listMembers)).toEqual(without.map(listMembers))
    expect(seen[0]?.profile['groups']).toEqual(groups)
    expect(seen[0]?.account.id_token).toMatch(/^eyJ/)
  })

  test('a provider with 500 groups and the longest tokens that a session keeps (I-14)', async () => {
    const tokens = {
      access_token: 'a'.repeat(4000),
      refresh_token: 'r'.repeat(4000),
      id_token: 'i'.repeat(2600),
    }
    const authentication = {
      authenticatedAt: Math.floor(Date.now() / 1000),
      methods: ['fed'],
    } as const
    const { seen, without } = await compare(
      { providers: [say({ tokens, authentication })] },
      (browser) => signIn(browser),
    )
    expect(seen).toEqual(without)
    expect(seen[0]).toMatchObject({ account: tokens })
  })

  test('a Date of profile() is stored with a new user who enrols at the sign-in', async () => {
    const fields = userFields({ born: { type: 'date' } })
    const born = new Date('1815-12-10')
    for (const groups of [[], listGroups(500)]) {
      const storage = memoryStorage({ fields })
      const profile = { name: 'Ada', email: null, born }
      const provider = passport({ identify: (sub) => ({ profile, claims: { sub, groups } }) })
      const over = { storage, providers: [provider] }
      const { browse, lines } = serveSecond(over, { require: true })
      const browser = browse()
      expect((await signIn(browser)).headers.get('location')).toBe(secondPage)
      const html = await (await browser.visit('/signin?second=true')).text()
      await prove(browser, `${/secret=([\da-f]+)/.exec(html)?.[1]}-1`)
      expect(await storage.getUser((await getUser(browser)).id)).toMatchObject({ born })
      expect(lines.map(({ message }) => message).join()).not.toContain('profile() returned')
    }
  })
})

describe('what finds no room in the cookie of a step is kept by the storage (I-52.2)', () => {
  test('sealed, for ten minutes, and taken once', async () => {
    const steps: string[] = []
    const memory = memoryStorage()
    const storage: Storage = {
      ...memory,
      async createStep(step, now) {
        steps.push(step.data)
        expect(step.expires - now).toBe(600)
        await memory.createStep?.(step, now)
      },
    }
    const { browser, asked, code } = await serveKept({ storage })
    expect(asked.headers.get('location')).toBe(secondPage)
    expect(steps.join()).toMatch(/^eyJ[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+$/)
    const step = getStep(browser)
    expect(step.join('=').length).toBeLessThan(2000)
    expect((await prove(browser, 'wrong-1')).status).toBe(401)
    expect((await prove(browser, code)).headers.get('location')).toBe(origin)
    await browser.submit('/signout')
    for (const [name, value] of step) browser.cookies.set(name, value)
    const again = await prove(browser, code.replace('-2', '-3'), { json: 'true' })
    expect(await getError(again)).toBe('SessionRequired')
    expect(await browser.json('/session')).toEqual({})
  })

  test('not for a step that has room', async () => {
    const { createStep: _, ...memory } = memoryStorage()
    const storage: Storage = {
      ...memory,
      createStep: () => Promise.reject(new Error('expected no call')),
    }
    const { browse, kept } = await serveOwner({ storage })
    const browser = browse()
    await signIn(browser)
    expect((await prove(browser, `${kept.secret}-2`)).headers.get('location')).toBe(origin)
  })

  test('beside the longest session, which stays if the user confirms (I-14.10)', async () => {
    const { storage, kept } = await serveOwner()
    const provider = passport({
      identify: (sub) => ({
        tokens: { access_token: 'a'.repeat(4000), id_token: 'i'.repeat(2600) },
        claims: { sub },
        authentication: { authenticatedAt: Math.floor(Date.now() / 1000), methods: ['fed'] },
      }),
      canConfirm: true,
    })
    const { browse } = serveSecond({
      storage,
      providers: [provider],
      session: { strategy: 'cookie', revocable: true },
      callbacks: { jwt: ({ token }) => ({ ...token, note: 'y'.repeat(8000) }) },
    })
    const browser = browse()
    await signIn(browser)
    await prove(browser, `${kept.secret}-2`)
    const session = await getUser(browser)
    expect((await signIn(browser, 'alice', { confirm: 'true' })).headers.get('location')).toBe(
      secondPage,
    )
    const bytes = [...browser.cookies].reduce((sum, pair) => sum + pair.join('=; ').length, 0)
    expect([bytes > 11_500, bytes < 13_600]).toEqual([true, true])
    expect(await getUser(browser)).toEqual(session)
    expect((await prove(browser, `${kept.secret}-3`)).headers.get('location')).toBe(origin)
  })

  test.each([
    ['is missing', () => undefined],
    ['is another one', (other: string | undefined) => other],
    ['is not sealed', () => '{"identity":{"subject":"bob"}}'],
  ] as const)('a row that %s completes no sign-in', async (what, change) => {
    const memory = memoryStorage()
    const rows: string[] = []
    let isChanged = false
    const storage: Storage = {
      ...memory,
      async createStep(step, now) {
        rows.push(step.data)
        await memory.createStep?.(step, now)
      },
      async takeStep(id, now) {
        const data = await memory.takeStep?.(id, now)
        return isChanged ? change(rows.find((row) => row !== data)) : data
      },
    }
    const { browse, browser, code } = await serveKept({ storage })
    const other = browse()
    await signIn(other)
    expect((await prove(other, code)).headers.get('location')).toBe(origin)
    isChanged = true
    const refused = await prove(browser, code.replace('-2', '-3'), { json: 'true' })
    expect([what, await getError(refused)]).toEqual([what, 'SessionRequired'])
    expect(await browser.json('/session')).toEqual({})
    expect(getStep(browser)).toEqual([])
  })

  test.each(['createStep', 'takeStep'] as const)(
    'if %s fails, the sign-in is 503',
    async (verb) => {
      const memory = memoryStorage()
      let isDown = false
      const storage: Storage = {
        ...memory,
        [verb]: async (...args: never[]) => {
          if (isDown) throw new Error('down')
          return memory[verb]?.(...(args as unknown as [never, never]))
        },
      }
      const { browse, browser, code } = await serveKept({ storage })
      expect((await prove(browser, code)).headers.get('location')).toBe(origin)
      const next = browse()
      isDown = verb === 'createStep'
      const asked = await signIn(next)
      isDown = true
      const reply = verb === 'createStep' ? asked : await prove(next, code.replace('-2', '-3'))
      expect(reply.status).toBe(503)
      expect(await next.json('/session')).toEqual({})
    },
  )
})

describe('a profile that is too long is refused before the page, with its largest claims (I-52.2)', () => {
  test.each([
    ['without steps', withoutSteps, 300, 'groups (117', 'at most 7900'],
    ['with steps', memoryStorage, 2000, 'groups (78', 'at most 65536'],
  ] as const)('%s', async (_, create, count, largest, limit) => {
    const { storage, kept } = await serveOwner({ storage: create() })
    for (const groups of [[], listGroups(count)]) {
      const provider = passport({ identify: (sub) => ({ claims: { sub, groups } }) })
      const { browse, lines } = serveSecond({ storage, providers: [provider] })
      const browser = browse()
      const { path, error } = getRedirect(await signIn(browser))
      if (groups.length === 0) expect(path).toBe('/api/auth/signin')
      expect(error).toBe(groups.length === 0 ? null : 'Configuration')
      expect(getStep(browser).length > 0).toBe(groups.length === 0)
      const messages = lines.map(({ message }) => message).join('\n')
      if (groups.length > 0) expect(messages).toContain(largest)
      if (groups.length > 0) expect(messages).toContain(limit)
      for (const group of groups.slice(0, 5)) expect(JSON.stringify(lines)).not.toContain(group)
    }
    expect(kept.secret).not.toBe('')
  })

  test('without steps, the option claims of a provider picks what callbacks get', async () => {
    const groups = listGroups(300)
    const client = { clientId: 'client-id', clientSecret: 'a client secret' }
    const issuer = createIssuer({
      ...client,
      userClaims: { name: 'Alice', email: 'alice@example.com', groups },
      idToken: { sid: 'the session there' },
    })
    const seen: unknown[] = []
    const sign = async (browser: Browser): Promise<Response> => {
      const begun = await browser.submit('/signin/company')
      return browser.visit(issuer.authorize(new URL(String(begun.headers.get('location')))).href)
    }
    const create = (claims: boolean, storage: Storage) =>
      serveSecond({
        storage,
        runtime: { fetch: issuer.fetch },
        providers: [
          oidc({
            ...client,
            id: 'company',
            name: 'Company',
            issuer: 'https://issuer.example',
            confirm: 'trust',
            ...(claims && { claims: ({ groups: all }) => ({ first: (all as string[])[0] }) }),
          }),
        ],
        callbacks: {
          signIn: ({ profile }) => {
            seen.push(profile)
            return true
          },
        },
      })
    const { browse, storage } = create(true, withoutSteps())
    const [first, second] = [browse(), browse()]
    await sign(first)
    const { secret } = await enrol(first)
    expect((await sign(second)).headers.get('location')).toBe(secondPage)
    await prove(second, `${secret}-2`)
    const picked = { sub: 'alice', sid: 'the session there', first: groups[0] }
    expect(seen).toEqual([picked, picked])
    expect(getRedirect(await sign(create(false, storage).browse())).error).toBe('Configuration')
  })
})

test("a step that the storage keeps ends with a change of the factors, and is not another browser's", async () => {
  const { auth, browse, browser, storage, code } = await serveKept()
  const thief = browse()
  await thief.visit('/signin')
  for (const [name, value] of getStep(browser)) thief.cookies.set(name, value)
  expect(await getError(await prove(thief, code, { json: 'true' }))).toBe('SessionRequired')
  expect((await prove(browser, code)).headers.get('location')).toBe(origin)
  const later = browse()
  await signInWith(later, 'passport')
  const { id } = await getUser(browser)
  await auth.sessions.revokeAll(id)
  expect(await storage.listFactors?.(id)).toHaveLength(2)
  const refused = await prove(later, code.replace('-2', '-3'), { json: 'true' })
  expect(await getError(refused)).toBe('SessionRequired')
})
