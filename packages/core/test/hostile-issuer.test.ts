import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { oauth } from '@latchkey/core/providers/oauth'
import { oidc } from '@latchkey/core/providers/oidc'
import type { Browser } from '@latchkey/core/testing/browser'
import { createIssuer } from '@latchkey/core/testing/issuer'
import type { Issuer } from '@latchkey/core/testing/issuer'
import { faults, hostileClaims, validVariations } from '@latchkey/core/testing/issuer-faults'
import type { Fault } from '@latchkey/core/testing/issuer-faults'
import { beginSignIn, signInAtIssuer } from '@latchkey/core/testing/issuer-sign-in'
import { base, origin, refusedAt, serve } from './support/service.ts'
import type { LogLine, TestService } from './support/service.ts'

const client = { clientId: 'client-id', clientSecret: 'hush-never-say-this' }

/** One issuer for all rows, because RSA keys take their time; the service is a new one for each. */
const issuer = createIssuer(client)

interface World {
  readonly service: TestService<unknown>
  readonly browser: Browser
  /** The bodies and addresses of every answer that the browser got. */
  readonly replies: string[]
}

function enter(at: Issuer = issuer): World {
  const service = serve({
    providers: [oidc({ id: 'op', name: 'The provider', issuer: at.issuer, ...client })],
    runtime: { fetch: at.fetch },
    timeouts: { request: 0.3, callback: 0.5 },
  })
  const browser = service.browse()
  return { service, browser, replies: listen(browser) }
}

/** Writes down what the browser is told. */
function listen(browser: Browser): string[] {
  const replies: string[] = []
  const visit = browser.visit.bind(browser)
  browser.visit = async (...args) => {
    const response = await visit(...args)
    replies.push(response.headers.get('location') ?? '', await response.clone().text())
    return response
  }
  return replies
}

const flows = (browser: Browser): string[] =>
  [...browser.cookies.keys()].filter((name) => name.includes('latchkey.flow'))

/** Whether the return names the sign-in that it belongs to, so that its cookie can go. */
function namesItsFlow(away: URL, back: URL): boolean {
  const states = back.searchParams.getAll('state')
  return states.length === 1 && states[0] === away.searchParams.get('state')
}

async function expectNobody({ browser, service, replies }: World): Promise<void> {
  expect(await browser.json('/session')).toEqual({})
  expectSilence(service.lines, replies)
}

/** No secret in a log, no word of the log in a reply. */
function expectSilence(lines: readonly LogLine[], replies: readonly string[]): void {
  const log = JSON.stringify(lines)
  const told = [...issuer.secrets].filter((secret) => log.includes(secret))
  expect(told, log).toEqual([])
  expect(log).not.toContain('eyJ')
  const said = replies.join('\n')
  for (const { message, details } of lines) {
    for (const text of [message, ...(details.causes ?? [])]) expect(said).not.toContain(text)
  }
  expect(said).not.toMatch(/oauth4webapi|SyntaxError|TypeError|OAUTH_|node_modules|\bat \w+ \(/)
}

/** Back on our own page, with a code that is worth another try (I-7, I-8). */
async function expectTold(browser: Browser, response: Response, fault: Fault): Promise<void> {
  expect(response.status).toBe(302)
  const location = new URL(response.headers.get('location') as string)
  expect(location.origin).toBe(origin)
  const { path, error } = refusedAt(response)
  expect(path).toBe('/api/auth/signin')
  expect(fault.codes).toContain(error)
  const page = await browser.visit(location.href)
  expect(page.status).toBe(200)
  expect(await page.text()).toContain('role="alert"')
}

async function expectGoodSignIn({ browser }: World): Promise<void> {
  issuer.vary()
  const response = await signInAtIssuer(browser, issuer)
  expect(response.headers.get('location')).toBe(origin)
  expect(await browser.json('/session')).toMatchObject({
    user: { id: 'op:alice', name: 'Person alice', email: 'alice@issuer.example' },
  })
}

beforeEach(() => issuer.vary())
afterEach(() => {
  // Whatever an issuer says, the service asks nobody but the issuer.
  const urls = issuer.requests.map(({ url }) => new URL(url))
  expect(urls.filter(({ origin: at }) => at !== issuer.issuer).map(({ href }) => href)).toEqual([])
})

const groups = [...new Set(faults.map((fault) => fault.group))]

describe.each(groups)('a hostile issuer: %s (I-23 to I-26)', (group) => {
  const rows = faults.filter((fault) => fault.group === group)

  test.each(rows)('$name: signs nobody in', async (fault) => {
    const world = enter()
    const { browser } = world
    issuer.vary(fault)
    const started = await browser.submit('/signin/op', { callbackUrl: '/deep' })
    const away = new URL(started.headers.get('location') as string)
    if (away.origin === origin) {
      expect(fault.codes).toContain('OAuthSignin')
      expect(flows(browser)).toEqual([])
      await expectTold(browser, started, fault)
      return expectNobody(world)
    }
    expect(fault.codes).not.toEqual(['OAuthSignin'])
    expect(away.href).toMatch(/^https:\/\/issuer\.example\/authorize\?/)
    const back = issuer.authorize(away)
    await expectTold(browser, await browser.visit(back.href), fault)
    await expectNobody(world)
    if (namesItsFlow(away, back)) expect(flows(browser)).toEqual([])
  })

  test.each(rows)('$name: and the next sign-in, with nothing wrong, succeeds', async (fault) => {
    const world = enter()
    issuer.vary(fault)
    const started = await world.browser.submit('/signin/op')
    const away = new URL(started.headers.get('location') as string)
    if (away.origin !== origin) await world.browser.visit(issuer.authorize(away).href)
    await expectGoodSignIn(world)
  })
})

describe('an issuer within its rights', () => {
  test.each(validVariations)('$name: signs the person in (I-24)', async (variation) => {
    const world = enter()
    issuer.vary(variation)
    const response = await signInAtIssuer(world.browser, issuer, {
      fields: { callbackUrl: '/deep' },
    })
    expect(response.headers.get('location'), JSON.stringify(world.service.lines)).toBe(
      `${origin}/deep`,
    )
    const { user } = await world.browser.json('/session')
    expect(user).toMatchObject({
      id: `op:${(variation.idToken?.['sub'] as string | undefined) ?? 'alice'}`,
    })
    expect(flows(world.browser)).toEqual([])
    expect(world.service.lines).toEqual([])
  })

  test('is asked with redirects left alone, and never told a secret in an address (I-26)', async () => {
    const { browser } = enter()
    await signInAtIssuer(browser, issuer)
    for (const { url, redirect } of issuer.requests) {
      expect(redirect).toBe('manual')
      expect([...issuer.secrets].filter((secret) => url.includes(secret))).toEqual([])
    }
  })
})

describe('what an issuer says of a person (I-40)', () => {
  test.each(hostileClaims)('$name, in userinfo', async ({ userClaims, shown }) => {
    const { browser } = enter()
    issuer.vary({ userClaims })
    expect((await signInAtIssuer(browser, issuer)).headers.get('location')).toBe(origin)
    expect((await browser.json('/session'))['user']).toEqual({ id: 'op:alice', ...shown })
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })

  test.each(hostileClaims)('$name, in the ID Token', async ({ userClaims, shown }) => {
    const inToken = createIssuer({ ...client, algorithm: 'ES256', userClaimsIn: 'id_token' })
    const { browser } = enter(inToken)
    inToken.vary({ userClaims })
    expect((await signInAtIssuer(browser, inToken)).headers.get('location')).toBe(origin)
    expect((await browser.json('/session'))['user']).toEqual({ id: 'op:alice', ...shown })
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })

  test.each([
    [true, true],
    [false, false],
    ['true', false],
    [1, false],
    [undefined, false],
    [['alice@issuer.example'], false],
  ])(
    'email_verified %j makes the address verified: %j (I-38)',
    async (email_verified, verified) => {
      expect(await seen({ email_verified })).toMatchObject({
        email: 'alice@issuer.example',
        emailVerified: verified,
      })
    },
  )

  test('without an address nothing is verified (I-38)', async () => {
    expect(await seen({ email: undefined })).toMatchObject({ email: null, emailVerified: false })
  })

  test('email_verified speaks of the address that it came with, and of no other (I-38)', async () => {
    issuer.vary({
      idToken: { email: 'victim@issuer.example' }, // without a name, so userinfo is asked as well
      userClaims: { email: 'mallory@issuer.example', email_verified: true },
    })
    expect(await seen()).not.toMatchObject({ email: 'victim@issuer.example', emailVerified: true })
  })

  /** The user as the application's callback gets it. */
  async function seen(userClaims?: Record<string, unknown>): Promise<unknown> {
    let user: unknown
    const { browse } = serve({
      providers: [oidc({ id: 'op', name: 'The provider', issuer: issuer.issuer, ...client })],
      runtime: { fetch: issuer.fetch },
      callbacks: {
        signIn: (signIn) => {
          user = signIn.user
          return true
        },
      },
    })
    if (userClaims) issuer.vary({ userClaims })
    await signInAtIssuer(browse(), issuer)
    return user
  }
})

describe('two identity providers', () => {
  const other = createIssuer({ ...client, issuer: 'https://other.example', algorithm: 'ES256' })
  const { browse } = serve({
    providers: [
      oidc({ id: 'op', name: 'One', issuer: issuer.issuer, ...client }),
      oidc({ id: 'other', name: 'Other', issuer: other.issuer, ...client }),
    ],
    runtime: {
      fetch: (url, init) => (url.startsWith(other.issuer) ? other : issuer).fetch(url, init),
    },
  })

  test('the code goes only to the provider that began the flow (I-23)', async () => {
    const browser = browse()
    const back = issuer.authorize(await beginSignIn(browser))
    const before = issuer.countRequests('token')
    const response = await browser.visit(
      back.href.replace('/callback/op?', '/callback/other?').replace(/&iss=[^&]*/, ''),
    )
    expect(refusedAt(response).error).toBe('OAuthCallback')
    expect([issuer.countRequests('token') - before, other.countRequests('token')]).toEqual([0, 0])
    expect(await browser.json('/session')).toEqual({})
  })

  test("one that answers with the other's return gets no code (I-23, RFC 9207)", async () => {
    const browser = browse()
    const away = await beginSignIn(browser, { provider: 'other' })
    const state = away.searchParams.get('state') as string
    const stolen = issuer.authorize(await beginSignIn(browse())).searchParams
    const mixed = `${base}/callback/other?code=${stolen.get('code')}&state=${state}&iss=${issuer.issuer}`
    expect(refusedAt(await browser.visit(mixed)).error).toBe('OAuthCallback')
    expect(other.countRequests('token')).toBe(0)
  })
})

describe('a plain OAuth provider (I-23, I-25, I-26)', () => {
  const api = 'https://issuer.example/api/user'
  const forge = createIssuer({
    ...client,
    openid: false,
    algorithm: 'ES256',
    api: { [api]: { id: 4711, name: 'Alice' } },
  })
  const facts = {
    id: 'op',
    name: 'Forge',
    issuer: forge.issuer,
    authorizationEndpoint: `${forge.issuer}/authorize`,
    tokenEndpoint: `${forge.issuer}/token`,
    userinfo: api,
    ...client,
  }
  const at = (
    answer?: (response: Response) => Response,
    over: Partial<typeof facts> = {},
  ): TestService<unknown> =>
    serve({
      providers: [oauth({ ...facts, ...over })],
      runtime: {
        fetch: async (url, init) => {
          const response = await forge.fetch(url, init)
          return url === api && answer ? answer(response) : response
        },
      },
      timeouts: { request: 0.3, callback: 0.5 },
    })

  test('signs in by its API; a numeric id is the subject', async () => {
    const browser = at().browse()
    expect((await signInAtIssuer(browser, forge)).headers.get('location')).toBe(origin)
    expect((await browser.json('/session'))['user']).toMatchObject({ id: 'op:4711' })
  })

  test('an ID Token that it sends proves nothing', async () => {
    const browser = at().browse()
    forge.vary({ token: { id_token: 'e30.e30.e30' } })
    expect((await signInAtIssuer(browser, forge)).headers.get('location')).toBe(origin)
    forge.vary()
    expect((await browser.json('/session'))['user']).toMatchObject({ id: 'op:4711' })
  })

  test.each<[string, (response: Response) => Response]>([
    ['no id', () => Response.json({ name: 'Alice' })],
    ['an id that is empty', () => Response.json({ id: '' })],
    ['an id that is an object', () => Response.json({ id: {} })],
    ['an id that is null', () => Response.json({ id: null })],
    ['an id that is true', () => Response.json({ id: true })],
    ['an id of 256 characters', () => Response.json({ id: 'i'.repeat(256) })],
    ['a list', () => Response.json([{ id: 4711 }])],
    ['null', () => Response.json(null)],
    ['a text', () => Response.json('4711')],
    ['HTML', () => new Response('<p>', { headers: { 'content-type': 'text/html' } })],
    ['status 500', () => Response.json({ id: 4711 }, { status: 500 })],
    ['status 401', () => Response.json({ id: 4711 }, { status: 401 })],
    ['a redirect', () => Response.redirect('https://attacker.example/')],
  ])('%s from its API signs nobody in', async (_, answer) => {
    const { browse, lines } = at(answer)
    const browser = browse()
    expect(refusedAt(await signInAtIssuer(browser, forge))).toEqual({
      path: '/api/auth/signin',
      error: 'OAuthCallback',
    })
    expect(await browser.json('/session')).toEqual({})
    expect(flows(browser)).toEqual([])
    const log = JSON.stringify(lines)
    expect([...forge.secrets].filter((secret) => log.includes(secret))).toEqual([])
  })

  // A plain provider has no discovery document to announce `iss` in.
  const returns = faults.filter(
    ({ group, name }) => group === 'authorization response' && !name.includes('although announced'),
  )

  test.each(returns)('authorization response: $name: signs nobody in', async (fault) => {
    const browser = at().browse()
    forge.vary(fault)
    const response = await signInAtIssuer(browser, forge)
    forge.vary()
    expect(fault.codes).toContain(refusedAt(response).error)
    expect(await browser.json('/session')).toEqual({})
  })
})
