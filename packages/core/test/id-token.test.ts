import { describe, expect, test } from 'vitest'
import { oidc } from '@latchkey/core/providers/oidc'
import type { OidcConfig } from '@latchkey/core/providers/oidc'
import type { Browser } from '@latchkey/core/testing/browser'
import { createIssuer } from '@latchkey/core/testing/issuer'
import type { Algorithm, Issuer, IssuerOptions } from '@latchkey/core/testing/issuer'
import { beginSignIn, signInAtIssuer } from '@latchkey/core/testing/issuer-sign-in'
import { origin, refusedAt, serve } from './support/service.ts'

const client = { clientId: 'client-id', clientSecret: 'hush-never-say-this' }

interface World {
  readonly issuer: Issuer
  readonly browse: () => Browser
  /** Moves the clock of the service and of the issuer. */
  readonly wait: (seconds: number) => void
}

/**
 * A service and an issuer under one clock. ES256, because its keys are made in no time.
 *
 * @param pause Milliseconds that the keys take to arrive
 */
function world(options: IssuerOptions = {}, over: Partial<OidcConfig> = {}, pause = 0): World {
  let skipped = 0
  const now = (): number => Date.now() + skipped * 1000
  const issuer = createIssuer({ ...client, algorithm: 'ES256', now, ...options })
  const facts = { id: 'op', name: 'The provider', issuer: issuer.issuer, ...client, ...over }
  const { browse } = serve({
    providers: [oidc(facts)],
    runtime: {
      now,
      fetch: async (url, init) => {
        if (url.endsWith('/jwks')) await new Promise((resolve) => setTimeout(resolve, pause))
        return issuer.fetch(url, init)
      },
    },
  })
  const wait = (seconds: number): void => {
    skipped += seconds
  }
  return { issuer, browse, wait }
}

/** What becomes of a person who signs in with a new browser. */
async function outcome({ browse, issuer }: World): Promise<string> {
  const browser = browse()
  const away = await beginSignIn(browser)
  if (away.origin === origin) return String(away.searchParams.get('error'))
  const response = await browser.visit(issuer.authorize(away).href)
  const session = await browser.json('/session')
  if (response.headers.get('location') !== origin) {
    expect(session).toEqual({})
    return String(refusedAt(response).error)
  }
  expect(session).toMatchObject({ user: { id: 'op:alice' } })
  return 'signed in'
}

describe.each<Algorithm>(['RS256', 'PS256', 'ES256', 'EdDSA'])('%s (I-24)', (algorithm) => {
  const own = world({ algorithm })

  test('signs in', async () => {
    expect(await outcome(own)).toBe('signed in')
  })

  test('signs in without a kid, where there is a single key', async () => {
    own.issuer.vary({ header: { kid: undefined }, jwk: { kid: undefined } })
    expect(await outcome(own)).toBe('signed in')
  })

  test('with a wrong at_hash, a broken signature or a key of somebody else does not', async () => {
    own.issuer.vary({ idToken: { at_hash: 'MTIzNDU2Nzg5MDEyMzQ1Ng' } })
    expect(await outcome(own)).toBe('OAuthCallback')
    own.issuer.vary({ signer: 'tampered' })
    expect(await outcome(own)).toBe('OAuthCallback')
    own.issuer.vary({ signer: 'attacker' })
    expect(await outcome(own)).toBe('OAuthCallback')
    own.issuer.vary()
    expect(await outcome(own)).toBe('signed in')
  })
})

test('an algorithm that the issuer does not advertise is refused, RS256 being the default (I-24)', async () => {
  const silent = { metadata: { id_token_signing_alg_values_supported: undefined } }
  expect(await outcome(world({ algorithm: 'ES256', ...silent }))).toBe('OAuthCallback')
  expect(await outcome(world({ algorithm: 'RS256', ...silent }))).toBe('signed in')
})

describe('the nonce (I-19, I-24)', () => {
  test('of an ID Token that nobody asked for one is refused', async () => {
    const own = world({ idToken: { nonce: 'unasked' } }, { checks: ['state', 'pkce'] })
    expect(await outcome(own)).toBe('OAuthCallback')
  })

  test('of one sign-in is not that of the next', async () => {
    const { browse } = world()
    const browser = browse()
    const [first, second] = [await beginSignIn(browser), await beginSignIn(browser)]
    expect(first.searchParams.get('nonce')).toMatch(/^[\w-]{43}$/)
    expect(first.searchParams.get('nonce')).not.toBe(second.searchParams.get('nonce'))
  })

  test("an ID Token of the same person's other sign-in is refused", async () => {
    const { browse, issuer } = world()
    const browser = browse()
    const [first, second] = [await beginSignIn(browser), await beginSignIn(browser)]
    // A code is injected: that of the second sign-in, in the return of the first.
    const back = issuer.authorize(first)
    back.searchParams.set('code', issuer.authorize(second).searchParams.get('code') as string)
    expect(refusedAt(await browser.visit(back.href)).error).toBe('OAuthCallback')
    expect(await browser.json('/session')).toEqual({})
  })
})

describe('the keys (I-24)', () => {
  test('are fetched once, and kept for ten minutes', async () => {
    const own = world()
    for (let i = 0; i < 3; i++) expect(await outcome(own)).toBe('signed in')
    expect(own.issuer.countRequests('jwks')).toBe(1)
    own.wait(599)
    expect(await outcome(own)).toBe('signed in')
    expect(own.issuer.countRequests('jwks')).toBe(1)
    own.wait(2)
    expect(await outcome(own)).toBe('signed in')
    expect(own.issuer.countRequests('jwks')).toBe(2)
  })

  test('that change between two sign-ins are fetched anew, at once', async () => {
    const own = world()
    expect(await outcome(own)).toBe('signed in')
    own.issuer.rotateKeys()
    expect(await outcome(own)).toBe('signed in')
    expect(own.issuer.countRequests('jwks')).toBe(2)
  })

  test('are not asked for again within a minute of the last forced fetch; after it they are', async () => {
    const own = world()
    expect(await outcome(own)).toBe('signed in')
    own.issuer.rotateKeys()
    expect(await outcome(own)).toBe('signed in')
    own.issuer.rotateKeys()
    expect(await outcome(own)).toBe('OAuthCallback')
    own.wait(58)
    expect(await outcome(own)).toBe('OAuthCallback')
    expect(own.issuer.countRequests('jwks')).toBe(2)
    own.wait(3)
    expect(await outcome(own)).toBe('signed in')
    expect(own.issuer.countRequests('jwks')).toBe(3)
  })

  test('the minute counts from the last forced fetch: refusals within it do not lengthen it', async () => {
    const own = world()
    expect(await outcome(own)).toBe('signed in')
    own.issuer.vary({ header: { kid: 'unknown' } })
    expect(await outcome(own)).toBe('OAuthCallback')
    for (let i = 0; i < 5; i++) {
      own.wait(11)
      expect(await outcome(own)).toBe('OAuthCallback')
    }
    expect(own.issuer.countRequests('jwks')).toBe(2)
    own.wait(6)
    own.issuer.rotateKeys()
    own.issuer.vary()
    expect(await outcome(own)).toBe('signed in')
  })

  test('the minute does not count from a fetch that was not forced', async () => {
    const own = world()
    expect(await outcome(own)).toBe('signed in')
    own.wait(601)
    expect(await outcome(own)).toBe('signed in')
    own.issuer.rotateKeys()
    expect(await outcome(own)).toBe('signed in')
  })

  test('are fetched a few times at most where none of them was ever right', async () => {
    const own = world()
    own.issuer.vary({ header: { kid: 'unknown' } })
    for (let i = 0; i < 6; i++) {
      expect(await outcome(own)).toBe('OAuthCallback')
      own.wait(5)
    }
    expect(own.issuer.countRequests('jwks')).toBeLessThanOrEqual(2)
    own.issuer.vary()
    expect(await outcome(own)).toBe('signed in')
  })

  test('are fetched a few times at most where they have expired and none is right any more', async () => {
    const own = world()
    expect(await outcome(own)).toBe('signed in')
    own.wait(601)
    own.issuer.vary({ header: { kid: 'unknown' } })
    for (let i = 0; i < 6; i++) {
      expect(await outcome(own)).toBe('OAuthCallback')
      own.wait(5)
    }
    expect(own.issuer.countRequests('jwks')).toBeLessThanOrEqual(3)
  })

  test('a fetch that fails is not kept', async () => {
    const own = world()
    for (const jwks of ['error-500', 'html', 'unreachable', 'null'] as const) {
      own.issuer.vary({ responses: { jwks } })
      expect(await outcome(own)).toBe('OAuthCallback')
    }
    own.issuer.vary()
    expect(await outcome(own)).toBe('signed in')
  })

  test('a forced fetch that fails is not kept either: the next sign-in has the new keys', async () => {
    const own = world()
    expect(await outcome(own)).toBe('signed in')
    own.issuer.rotateKeys()
    own.issuer.vary({ responses: { jwks: 'error-500' } })
    expect(await outcome(own)).toBe('OAuthCallback')
    own.issuer.vary()
    expect(await outcome(own)).toBe('signed in')
  })

  test('that changed let everybody in who comes at the same time', async () => {
    const own = world({}, {}, 100)
    expect(await outcome(own)).toBe('signed in')
    own.issuer.rotateKeys()
    const together = await Promise.all(Array.from({ length: 5 }, () => outcome(own)))
    expect(together).toEqual(Array.from({ length: 5 }, () => 'signed in'))
  })

  test('of an issuer that names none of them may change as well', async () => {
    const own = world()
    own.issuer.vary({ header: { kid: undefined }, jwk: { kid: undefined } })
    expect(await outcome(own)).toBe('signed in')
    own.issuer.rotateKeys()
    expect(await outcome(own)).toBe('signed in')
  })

  test('of two services are not shared', async () => {
    const [one, two] = [world(), world()]
    expect([await outcome(one), await outcome(two)]).toEqual(['signed in', 'signed in'])
    expect([one.issuer.countRequests('jwks'), two.issuer.countRequests('jwks')]).toEqual([1, 1])
  })
})

describe('discovery (I-24)', () => {
  test('is done once in an hour', async () => {
    const own = world()
    for (let i = 0; i < 3; i++) expect(await outcome(own)).toBe('signed in')
    expect(own.issuer.countRequests('discovery')).toBe(1)
    own.wait(3601)
    expect(await outcome(own)).toBe('signed in')
    expect(own.issuer.countRequests('discovery')).toBe(2)
  })

  test('that fails is not kept', async () => {
    const own = world()
    for (const discovery of ['error-500', 'html', 'unreachable', 'cut-off'] as const) {
      own.issuer.vary({ responses: { discovery } })
      expect(await outcome(own)).toBe('OAuthSignin')
    }
    own.issuer.vary({ metadata: { issuer: 'https://attacker.example' } })
    expect(await outcome(own)).toBe('OAuthSignin')
    own.issuer.vary()
    expect(await outcome(own)).toBe('signed in')
  })

  test('that fails on the return, as in a new process, is worth another try', async () => {
    const own = world()
    const browser = own.browse()
    const away = await beginSignIn(browser)
    own.wait(14 * 60)
    own.issuer.vary({ responses: { discovery: 'error-500' } })
    expect((await browser.visit(own.issuer.authorize(away).href)).headers.get('location')).toBe(
      origin,
    )
    own.wait(3601)
    expect(await outcome(own)).toBe('OAuthSignin')
    own.issuer.vary()
    expect(await outcome(own)).toBe('signed in')
  })
})

describe('userinfo (I-25)', () => {
  const userClaims = { name: 'Alice', email: 'alice@issuer.example', email_verified: true }

  test('is asked where the ID Token lacks the profile', async () => {
    const own = world()
    expect(await outcome(own)).toBe('signed in')
    expect(own.issuer.countRequests('userinfo')).toBe(1)
  })

  test('is not asked where the ID Token has it', async () => {
    const own = world({ userClaimsIn: 'id_token', userClaims })
    expect(await outcome(own)).toBe('signed in')
    expect(own.issuer.countRequests('userinfo')).toBe(0)
  })

  test('never replaces what the ID Token says', async () => {
    const own = world({
      idToken: { name: 'Alice of the token' },
      userClaims: { ...userClaims, iss: 'x' },
    })
    const browser = own.browse()
    await signInAtIssuer(browser, own.issuer)
    expect((await browser.json('/session'))['user']).toMatchObject({
      id: 'op:alice',
      name: 'Alice of the token',
      email: 'alice@issuer.example',
    })
  })

  test('signed by a key that is new is verified with the new key', async () => {
    const own = world()
    own.issuer.vary({ userinfoForm: 'jwt' })
    expect(await outcome(own)).toBe('signed in')
    own.issuer.rotateKeys()
    expect(await outcome(own)).toBe('signed in')
    own.issuer.vary({ userinfoForm: 'jwt-attacker' })
    expect(await outcome(own)).toBe('OAuthCallback')
  })
})

test('a clock of the service that is moved moves all of its checks (I-24)', async () => {
  const own = world()
  own.wait(-40 * 86_400)
  expect(await outcome(own)).toBe('signed in')
  own.wait(400 * 86_400)
  expect(await outcome(own)).toBe('signed in')
})
