import { describe, expect, test } from 'vitest'
import { oidc } from '@latchkey/core/providers/oidc'
import type { OidcConfig } from '@latchkey/core/providers/oidc'
import type { Browser } from '@latchkey/testing/browser'
import { createIssuer } from '@latchkey/testing/issuer'
import type { Algorithm, Issuer, IssuerOptions } from '@latchkey/testing/issuer'
import { beginSignIn, signInAtIssuer } from '@latchkey/testing/issuer-sign-in'
import { getRedirect, origin, serve } from './support/service.ts'
import type { LogLine } from './support/service.ts'

const client = { clientId: 'client-id', clientSecret: 'hush-never-say-this' }

interface Setup {
  readonly issuer: Issuer
  readonly browse: () => Browser
  /** Advances the clock of the service and of the issuer. */
  readonly wait: (seconds: number) => void
  /** The calls of the logger. */
  readonly lines: readonly LogLine[]
}

/**
 * Sets up a service and an issuer with one clock. ES256 keys are fast to generate.
 *
 * @param delay Milliseconds until the discovery document and the keys arrive
 */
function setUp(options: IssuerOptions = {}, over: Partial<OidcConfig> = {}, delay = 0): Setup {
  const start = Date.now()
  let skipped = 0
  const now = (): number => start + skipped * 1000
  const issuer = createIssuer({ ...client, algorithm: 'ES256', now, ...options })
  const config = { id: 'op', name: 'The provider', issuer: issuer.issuer, ...client, ...over }
  const { browse, lines } = serve({
    providers: [oidc(config)],
    runtime: {
      now,
      fetch: async (url, init) => {
        if (/jwks$|well-known/.test(url)) await new Promise((resolve) => setTimeout(resolve, delay))
        return issuer.fetch(url, init)
      },
    },
  })
  const wait = (seconds: number): void => {
    skipped += seconds
  }
  return { issuer, browse, wait, lines }
}

/** Signs in with a new browser and returns the error code, or `signed in`. */
async function signIn({ browse, issuer }: Setup): Promise<string> {
  const browser = browse()
  const url = await beginSignIn(browser)
  if (url.origin === origin) return String(url.searchParams.get('error'))
  const response = await browser.visit(issuer.authorize(url).href)
  const session = await browser.json('/session')
  if (response.headers.get('location') !== origin) {
    expect(session).toEqual({})
    return String(getRedirect(response).error)
  }
  expect(session).toMatchObject({ user: { id: 'op:alice' } })
  return 'signed in'
}

describe.each<Algorithm>(['RS256', 'PS256', 'ES256', 'EdDSA'])('%s (I-24)', (algorithm) => {
  const setup = setUp({ algorithm })

  test('signs in', async () => {
    expect(await signIn(setup)).toBe('signed in')
  })

  test('signs in without a kid if there is a single key', async () => {
    setup.issuer.vary({ header: { kid: undefined }, jwk: { kid: undefined } })
    expect(await signIn(setup)).toBe('signed in')
  })

  test('refuses a wrong at_hash, an altered signature and the key of another issuer', async () => {
    setup.issuer.vary({ idToken: { at_hash: 'MTIzNDU2Nzg5MDEyMzQ1Ng' } })
    expect(await signIn(setup)).toBe('OAuthCallback')
    setup.issuer.vary({ signer: 'tampered' })
    expect(await signIn(setup)).toBe('OAuthCallback')
    setup.issuer.vary({ signer: 'attacker' })
    expect(await signIn(setup)).toBe('OAuthCallback')
    setup.issuer.vary()
    expect(await signIn(setup)).toBe('signed in')
  })
})

test('an algorithm that is not advertised is refused; the default is RS256 (I-24)', async () => {
  const unadvertised = { metadata: { id_token_signing_alg_values_supported: undefined } }
  expect(await signIn(setUp({ algorithm: 'ES256', ...unadvertised }))).toBe('OAuthCallback')
  expect(await signIn(setUp({ algorithm: 'RS256', ...unadvertised }))).toBe('signed in')
})

describe('the nonce (I-19, I-24)', () => {
  test('is refused in an ID Token if none was sent', async () => {
    const setup = setUp({ idToken: { nonce: 'unexpected' } }, { checks: ['state', 'pkce'] })
    expect(await signIn(setup)).toBe('OAuthCallback')
  })

  test('differs between sign-ins', async () => {
    const { browse } = setUp()
    const browser = browse()
    const [first, second] = [await beginSignIn(browser), await beginSignIn(browser)]
    expect(first.searchParams.get('nonce')).toMatch(/^[\w-]{43}$/)
    expect(first.searchParams.get('nonce')).not.toBe(second.searchParams.get('nonce'))
  })

  test('of another sign-in of the same user is refused', async () => {
    const { browse, issuer } = setUp()
    const browser = browse()
    const [first, second] = [await beginSignIn(browser), await beginSignIn(browser)]
    // Code injection: the code of the second sign-in in the callback of the first.
    const callback = issuer.authorize(first)
    callback.searchParams.set('code', issuer.authorize(second).searchParams.get('code') as string)
    expect(getRedirect(await browser.visit(callback.href)).error).toBe('OAuthCallback')
    expect(await browser.json('/session')).toEqual({})
  })
})

describe('the keys (I-24)', () => {
  test('are fetched once and kept for ten minutes', async () => {
    const setup = setUp()
    for (let i = 0; i < 3; i++) expect(await signIn(setup)).toBe('signed in')
    expect(setup.issuer.countRequests('jwks')).toBe(1)
    setup.wait(599)
    expect(await signIn(setup)).toBe('signed in')
    expect(setup.issuer.countRequests('jwks')).toBe(1)
    setup.wait(2)
    expect(await signIn(setup)).toBe('signed in')
    expect(setup.issuer.countRequests('jwks')).toBe(2)
  })

  test('are fetched again immediately if they changed', async () => {
    const setup = setUp()
    expect(await signIn(setup)).toBe('signed in')
    setup.issuer.rotateKeys()
    expect(await signIn(setup)).toBe('signed in')
    expect(setup.issuer.countRequests('jwks')).toBe(2)
  })

  test('are fetched again five seconds after a forced fetch, and twice a minute at most', async () => {
    const setup = setUp()
    expect(await signIn(setup)).toBe('signed in')
    const rotate = async (seconds: number): Promise<string> => {
      setup.issuer.rotateKeys()
      setup.wait(seconds)
      return signIn(setup)
    }
    expect(await rotate(0)).toBe('signed in')
    expect(await rotate(0)).toBe('OAuthCallback')
    expect(setup.issuer.countRequests('jwks')).toBe(2)
    setup.wait(5)
    expect(await signIn(setup)).toBe('signed in')
    expect(setup.issuer.countRequests('jwks')).toBe(3)
    expect(await rotate(45)).toBe('OAuthCallback')
    expect(setup.issuer.countRequests('jwks')).toBe(3)
    setup.wait(10)
    expect(await signIn(setup)).toBe('signed in')
    expect(setup.issuer.countRequests('jwks')).toBe(4)
  })

  test('are fetched again a minute after the first forced fetch, whatever was refused in between', async () => {
    const setup = setUp()
    expect(await signIn(setup)).toBe('signed in')
    setup.issuer.vary({ header: { kid: 'unknown' } })
    expect(await signIn(setup)).toBe('OAuthCallback')
    for (let i = 0; i < 5; i++) {
      setup.wait(11)
      expect(await signIn(setup)).toBe('OAuthCallback')
    }
    expect(setup.issuer.countRequests('jwks')).toBe(3)
    setup.wait(6)
    setup.issuer.rotateKeys()
    setup.issuer.vary()
    expect(await signIn(setup)).toBe('signed in')
  })

  test('are fetched again within a minute of a fetch that was not forced', async () => {
    const setup = setUp()
    expect(await signIn(setup)).toBe('signed in')
    setup.wait(601)
    expect(await signIn(setup)).toBe('signed in')
    setup.issuer.rotateKeys()
    expect(await signIn(setup)).toBe('signed in')
  })

  test('are fetched once, and twice by force, if none of them ever fits', async () => {
    const setup = setUp()
    setup.issuer.vary({ header: { kid: 'unknown' } })
    for (let i = 0; i < 6; i++) {
      expect(await signIn(setup)).toBe('OAuthCallback')
      setup.wait(5)
    }
    expect(setup.issuer.countRequests('jwks')).toBe(3)
    setup.issuer.vary()
    expect(await signIn(setup)).toBe('signed in')
  })

  test('are fetched at most three times more if they have expired and none fits', async () => {
    const setup = setUp()
    expect(await signIn(setup)).toBe('signed in')
    setup.wait(601)
    setup.issuer.vary({ header: { kid: 'unknown' } })
    for (let i = 0; i < 6; i++) {
      expect(await signIn(setup)).toBe('OAuthCallback')
      setup.wait(5)
    }
    expect(setup.issuer.countRequests('jwks')).toBe(4)
  })

  test('are not kept if their fetch fails', async () => {
    const setup = setUp()
    for (const jwks of ['error-500', 'html', 'unreachable', 'null'] as const) {
      setup.issuer.vary({ responses: { jwks } })
      expect(await signIn(setup)).toBe('OAuthCallback')
    }
    setup.issuer.vary()
    expect(await signIn(setup)).toBe('signed in')
  })

  test('are fetched by the next sign-in if a forced fetch fails', async () => {
    const setup = setUp()
    expect(await signIn(setup)).toBe('signed in')
    setup.issuer.rotateKeys()
    setup.issuer.vary({ responses: { jwks: 'error-500' } })
    expect(await signIn(setup)).toBe('OAuthCallback')
    setup.issuer.vary()
    expect(await signIn(setup)).toBe('signed in')
  })

  test('that changed are used by concurrent sign-ins', async () => {
    const setup = setUp({}, {}, 100)
    expect(await signIn(setup)).toBe('signed in')
    setup.issuer.rotateKeys()
    const results = await Promise.all(Array.from({ length: 5 }, () => signIn(setup)))
    expect(results).toEqual(Array.from({ length: 5 }, () => 'signed in'))
  })

  test('may change without a kid', async () => {
    const setup = setUp()
    setup.issuer.vary({ header: { kid: undefined }, jwk: { kid: undefined } })
    expect(await signIn(setup)).toBe('signed in')
    setup.issuer.rotateKeys()
    expect(await signIn(setup)).toBe('signed in')
  })

  test('may change under the same kid', async () => {
    const setup = setUp()
    const kid = { header: { kid: 'the only one' }, jwk: { kid: 'the only one' } }
    setup.issuer.vary(kid)
    expect(await signIn(setup)).toBe('signed in')
    setup.issuer.rotateKeys()
    expect(await signIn(setup)).toBe('signed in')
    expect(setup.issuer.countRequests('jwks')).toBe(2)
    for (let i = 0; i < 5; i++) {
      setup.issuer.vary({ ...kid, signer: 'tampered' })
      expect(await signIn(setup)).toBe('OAuthCallback')
      // Only a kid that is unknown forces a second fetch.
      setup.wait(6)
    }
    expect(setup.issuer.countRequests('jwks')).toBe(2)
    setup.issuer.vary(kid)
    expect(await signIn(setup)).toBe('signed in')
  })

  test('of two services are not shared', async () => {
    const [one, two] = [setUp(), setUp()]
    expect([await signIn(one), await signIn(two)]).toEqual(['signed in', 'signed in'])
    expect([one.issuer.countRequests('jwks'), two.issuer.countRequests('jwks')]).toEqual([1, 1])
  })
})

describe('discovery (I-24)', () => {
  test('is requested once an hour', async () => {
    const setup = setUp()
    for (let i = 0; i < 3; i++) expect(await signIn(setup)).toBe('signed in')
    expect(setup.issuer.countRequests('discovery')).toBe(1)
    setup.wait(3601)
    expect(await signIn(setup)).toBe('signed in')
    expect(setup.issuer.countRequests('discovery')).toBe(2)
  })

  test('is not kept if it fails', async () => {
    const setup = setUp()
    for (const discovery of ['error-500', 'html', 'unreachable', 'cut-off'] as const) {
      setup.issuer.vary({ responses: { discovery } })
      expect(await signIn(setup)).toBe('OAuthSignin')
    }
    setup.issuer.vary({ metadata: { issuer: 'https://attacker.example' } })
    expect(await signIn(setup)).toBe('OAuthSignin')
    setup.issuer.vary()
    expect(await signIn(setup)).toBe('signed in')
  })

  test('that fails in the callback is repeated by the next sign-in', async () => {
    const setup = setUp()
    const browser = setup.browse()
    const url = await beginSignIn(browser)
    setup.wait(14 * 60)
    setup.issuer.vary({ responses: { discovery: 'error-500' } })
    expect((await browser.visit(setup.issuer.authorize(url).href)).headers.get('location')).toBe(
      origin,
    )
    setup.wait(3601)
    expect(await signIn(setup)).toBe('OAuthSignin')
    setup.issuer.vary()
    expect(await signIn(setup)).toBe('signed in')
  })
})

describe('concurrent sign-ins', () => {
  /** Begins sign-ins in as many browsers, and returns the origins that they are redirected to. */
  async function beginMany({ browse }: Setup, count: number): Promise<readonly string[]> {
    const browsers = Array.from({ length: count }, browse)
    return Promise.all(
      browsers.map(async (browser) => {
        const response = await browser.submit('/signin/op')
        return URL.parse(response.headers.get('location') ?? '')?.origin ?? String(response.status)
      }),
    )
  }

  test('share one request for the discovery document (I-26)', async () => {
    const setup = setUp({}, {}, 50)
    const origins = await beginMany(setup, 200)
    expect(new Set(origins)).toEqual(new Set([setup.issuer.issuer]))
    expect(setup.issuer.countRequests('discovery')).toBe(1)
  })

  test('share its failure', async () => {
    const setup = setUp({}, {}, 500)
    setup.issuer.vary({ responses: { discovery: 'error-500' } })
    expect(new Set(await beginMany(setup, 200))).toEqual(new Set([origin]))
    expect(setup.issuer.countRequests('discovery')).toBe(1)
    setup.issuer.vary()
    expect(await signIn(setup)).toBe('signed in')
  })

  test('share one request for the keys', async () => {
    const setup = setUp({}, {}, 50)
    const results = await Promise.all(Array.from({ length: 20 }, () => signIn(setup)))
    expect(new Set(results)).toEqual(new Set(['signed in']))
    expect(setup.issuer.countRequests('jwks')).toBe(1)
  })
})

describe('discovery that keeps failing (I-26)', () => {
  test('is spaced out: 200 sign-ins make few requests', async () => {
    const setup = setUp()
    setup.issuer.vary({ responses: { discovery: 'error-500' } })
    for (let i = 0; i < 200; i++) await setup.browse().submit('/signin/op')
    expect(setup.issuer.countRequests('discovery')).toBeLessThan(12)
  })

  test('is Unavailable with Retry-After in the pause, and tried again after it', async () => {
    const setup = setUp()
    setup.issuer.vary({ responses: { discovery: 'error-500' } })
    const pauses: number[] = []
    for (let i = 0; i < 14; i++) {
      const response = await setup.browse().submit('/signin/op', { json: 'true' })
      const retryAfter = Number(response.headers.get('retry-after') ?? 0)
      pauses.push(retryAfter)
      setup.wait(retryAfter)
      const expected = retryAfter > 0 ? [503, 'Unavailable'] : [502, 'OAuthSignin']
      const { error } = (await response.json()) as { error: string }
      expect([response.status, error]).toEqual(expected)
    }
    expect(pauses).toEqual([0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 4, 0, 8, 0])
    setup.issuer.vary()
    setup.wait(60)
    expect(await signIn(setup)).toBe('signed in')
  })

  test('counts the failures since the last success', async () => {
    const setup = setUp()
    for (let i = 0; i < 3; i++) {
      setup.issuer.vary({ responses: { discovery: 'error-500' } })
      for (let j = 0; j < 5; j++) expect(await signIn(setup)).not.toBe('signed in')
      setup.issuer.vary()
      expect(await signIn(setup)).toBe('signed in')
      expect(setup.issuer.countRequests('discovery')).toBe(6 * (i + 1))
      setup.wait(3601)
    }
  })

  test('pauses for a minute at most, and not if the clock is set back', async () => {
    const setup = setUp()
    setup.issuer.vary({ responses: { discovery: 'unreachable' } })
    for (let i = 0; i < 20; i++) {
      await setup.browse().submit('/signin/op')
      setup.wait(61)
    }
    expect(setup.issuer.countRequests('discovery')).toBe(20)
    await setup.browse().submit('/signin/op')
    setup.wait(-3600)
    setup.issuer.vary()
    expect(await signIn(setup)).toBe('signed in')
  })
})

test('the endpoints of an issuer in a private network may be there too', async () => {
  const metadata = {
    token_endpoint: 'https://10.1.2.3/token',
    jwks_uri: 'https://keys.example/jwks',
  }
  expect(await signIn(setUp({ issuer: 'https://id.company.internal', metadata }))).toBe('signed in')
})

describe('a callback without a discovery document (I-21)', () => {
  /** Begins a sign-in whose callback needs the discovery document again. */
  async function beginLate(
    setup: Setup,
  ): Promise<{ readonly browser: Browser; readonly callback: URL }> {
    expect(await signIn(setup)).toBe('signed in')
    setup.wait(3500)
    const browser = setup.browse()
    const callback = setup.issuer.authorize(await beginSignIn(browser))
    setup.wait(200)
    return { browser, callback }
  }

  test.each(['error-500', 'unreachable', 'html'] as const)('%s: keeps its flow', async (fault) => {
    const setup = setUp()
    const { browser, callback } = await beginLate(setup)
    const cookies = new Map(browser.cookies)
    setup.issuer.vary({ responses: { discovery: fault } })
    for (let i = 0; i < 2; i++) {
      const response = await browser.visit(callback.href)
      expect(response.status).toBe(503)
      expect(await response.text()).toContain('not available right now')
      expect(browser.cookies).toEqual(cookies)
    }
    expect(setup.issuer.countRequests('token')).toBe(1)
    setup.issuer.vary()
    expect((await browser.visit(callback.href)).headers.get('location')).toBe(origin)
    expect(await browser.json('/session')).toMatchObject({ user: { id: 'op:alice' } })
    await browser.submit('/signout')
    expect(getRedirect(await browser.visit(callback.href)).error).toBe('OAuthCallback')
  })

  test('that was posted is kept too (I-28)', async () => {
    const setup = setUp({}, { responseMode: 'form_post' })
    const { browser, callback } = await beginLate(setup)
    setup.issuer.vary({ responses: { discovery: 'error-500' } })
    const form = Object.fromEntries(callback.searchParams)
    const posted = await browser.post(callback.origin + callback.pathname, form)
    expect(posted.status).toBe(303)
    const url = posted.headers.get('location') ?? ''
    expect((await browser.visit(url)).status).toBe(503)
    setup.issuer.vary()
    expect((await browser.visit(url)).headers.get('location')).toBe(origin)
    expect(await browser.json('/session')).toMatchObject({ user: { id: 'op:alice' } })
  })

  test('that fails after its code was sent does not keep its flow', async () => {
    const setup = setUp()
    const browser = setup.browse()
    const callback = setup.issuer.authorize(await beginSignIn(browser))
    setup.issuer.vary({ responses: { token: 'error-500' } })
    expect(getRedirect(await browser.visit(callback.href)).error).toBe('OAuthCallback')
    setup.issuer.vary()
    expect(getRedirect(await browser.visit(callback.href)).error).toBe('OAuthCallback')
  })
})

test('the log says why a signature or a code was refused', async () => {
  const options = { expectedIssuer: () => 'https://issuer.example' }
  for (const [variation, cause] of [
    [{ signer: 'tampered' }, /signature verification failed/],
    [{ callback: { code: 'unknown' } }, /server responded with an error/],
  ] as const) {
    const setup = setUp({}, options)
    expect(await signIn(setup)).toBe('signed in')
    setup.issuer.vary(variation)
    expect(await signIn(setup)).toBe('OAuthCallback')
    expect(setup.lines.at(-1)?.details.causes?.join()).toMatch(cause)
  }
})

test('a provider without the check state accepts a response that has one (I-19)', async () => {
  for (const state of [undefined, 'of the provider']) {
    const setup = setUp({}, { checks: ['pkce', 'nonce'] })
    setup.issuer.vary({ callback: { state } })
    expect(await signIn(setup)).toBe('signed in')
  }
})

test('the error with which LinkedIn reports that the user cancelled is Cancelled (I-23)', async () => {
  const setup = setUp()
  setup.issuer.vary({ callback: { code: undefined, error: 'user_cancelled_login' } })
  expect(await signIn(setup)).toBe('Cancelled')
  setup.issuer.vary({ callback: { code: undefined, error: 'server_error' } })
  expect(await signIn(setup)).toBe('OAuthCallback')
})

describe('userinfo (I-25)', () => {
  const userClaims = { name: 'Alice', email: 'alice@issuer.example', email_verified: true }

  test('is requested if the ID Token lacks the profile', async () => {
    const setup = setUp()
    expect(await signIn(setup)).toBe('signed in')
    expect(setup.issuer.countRequests('userinfo')).toBe(1)
  })

  test('is not requested if the ID Token has it', async () => {
    const setup = setUp({ userClaimsIn: 'id_token', userClaims })
    expect(await signIn(setup)).toBe('signed in')
    expect(setup.issuer.countRequests('userinfo')).toBe(0)
  })

  test('does not replace claims of the ID Token', async () => {
    const setup = setUp({
      idToken: { name: 'Alice of the ID Token' },
      userClaims: { ...userClaims, iss: 'x' },
    })
    const browser = setup.browse()
    await signInAtIssuer(browser, setup.issuer)
    expect((await browser.json('/session'))['user']).toMatchObject({
      id: 'op:alice',
      name: 'Alice of the ID Token',
      email: 'alice@issuer.example',
    })
  })

  test('must be signed with userinfoSignedResponseAlg, if that is configured', async () => {
    const setup = setUp({}, { userinfoSignedResponseAlg: 'ES256' })
    expect(await signIn(setup)).toBe('OAuthCallback')
    setup.issuer.vary({ userinfoForm: 'jwt' })
    expect(await signIn(setup)).toBe('signed in')
    const headers = setup.issuer.requests.at(-1)?.headers
    expect(headers?.get('accept')).toBe('application/jwt')
    const other = setUp({}, { userinfoSignedResponseAlg: 'RS256' })
    other.issuer.vary({ userinfoForm: 'jwt' })
    expect(await signIn(other)).toBe('OAuthCallback')
  })

  test('that is signed with a new key is verified with that key', async () => {
    const setup = setUp()
    setup.issuer.vary({ userinfoForm: 'jwt' })
    expect(await signIn(setup)).toBe('signed in')
    setup.issuer.rotateKeys()
    expect(await signIn(setup)).toBe('signed in')
    setup.issuer.vary({ userinfoForm: 'jwt-attacker' })
    expect(await signIn(setup)).toBe('OAuthCallback')
  })
})

test('all checks use the clock of the service (I-24)', async () => {
  const setup = setUp()
  setup.wait(-40 * 86_400)
  expect(await signIn(setup)).toBe('signed in')
  setup.wait(400 * 86_400)
  expect(await signIn(setup)).toBe('signed in')
})
