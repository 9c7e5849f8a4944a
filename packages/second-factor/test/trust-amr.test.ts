import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AuthConfig } from '@latchkey/core'
import { oauth } from '@latchkey/core/providers/oauth'
import { oidc } from '@latchkey/core/providers/oidc'
import type { OidcConfig } from '@latchkey/core/providers/oidc'
import type { Browser } from '@latchkey/testing/browser'
import { createIssuer } from '@latchkey/testing/issuer'
import type { IssuerOptions } from '@latchkey/testing/issuer'
import { client, startOp } from '../../core/test/support/op.ts'
import type { Op } from '../../core/test/support/op.ts'
import { createConfig, signIn as signInAtOp } from '../../core/test/support/op-sign-in.ts'
import { enrol, present, prove, serveSecond } from './support/second-factor.ts'
import {
  beginSignIn,
  createPageRequest,
  getConfigError,
  origin,
  signIn,
} from '../../core/test/support/service.ts'

const secondPage = `${origin}/api/auth/signin?second=true`

describe('trustAmr with a real OpenID provider (I-52.13)', () => {
  let op: Op
  beforeAll(async () => {
    op = await startOp({ clients: [client()] })
  })
  afterAll(() => op.stop())

  /** Returns where a sign-in leads if the provider says `amr`. */
  async function lead(
    amr: readonly string[] | undefined,
    over: Partial<OidcConfig> = {},
    require: boolean = true,
  ): Promise<{ browser: Browser; location: string | null } & ReturnType<typeof serveSecond>> {
    op.amr = amr
    const providers = [oidc(createConfig(op, { confirm: 'trust', ...over })), present]
    const service = serveSecond({ providers }, { require })
    const browser = service.browse()
    const location = (await signInAtOp(browser)).headers.get('location')
    return { ...service, browser, location }
  }

  test.each<[readonly string[] | undefined, readonly string[] | undefined, string]>([
    [['pwd', 'mfa'], ['mfa'], origin],
    [['pwd', 'hwk'], ['mfa', 'hwk'], origin],
    [['pwd', 'mfa'], undefined, secondPage],
    [['pwd', 'mfa'], [], secondPage],
    [['pwd'], ['mfa'], secondPage],
    [['MFA', ' mfa', 'mf', 'mfaa'], ['mfa'], secondPage],
    [undefined, ['mfa'], secondPage],
  ])('amr %j, of which %j is trusted, leads to %s', async (amr, trustAmr, expected) => {
    const { location } = await lead(amr, { ...(trustAmr && { trustAmr }) })
    expect(location).toBe(expected)
  })

  test('is in the session beside a second factor that was asked for', async () => {
    const { auth, browser, storage } = await lead(['pwd'], {}, false)
    const { secret } = await enrol(browser)
    const providers = [oidc(createConfig(op, { confirm: 'trust' })), present]
    const again = serveSecond({ providers, storage }).browse()
    expect((await signInAtOp(again)).headers.get('location')).toBe(secondPage)
    expect((await prove(again, `${secret}-2`)).headers.get('location')).toBe(origin)
    const { authentication } = await auth.getSession(createPageRequest(again))
    expect(authentication).toMatchObject({ methods: ['fed', 'otp', 'mfa'] })
    expect(authentication).toMatchObject({ provider: { amr: ['pwd'] } })
  })

  test('says what it was, and adds no method', async () => {
    const { auth, browser } = await lead(['pwd', 'mfa'], { trustAmr: ['mfa'] })
    const { authentication } = await auth.getSession(createPageRequest(browser))
    expect(authentication).toMatchObject({ methods: ['fed'], provider: { amr: ['pwd', 'mfa'] } })
    const once = await auth.requireRecent(createPageRequest(browser))
    expect(once).not.toBeInstanceOf(Response)
    const both = await auth.requireRecent(createPageRequest(browser), { factors: 2 })
    expect(both).toBeInstanceOf(Response)
  })

  test('asks a user who has a second factor here all the same', async () => {
    const trusted = await lead(['mfa'], { trustAmr: ['mfa'] }, false)
    const { browser, browse } = trusted
    expect(trusted.location).toBe(origin)
    await enrol(browser)
    const again = await signInAtOp(browse())
    expect(again.headers.get('location')).toBe(secondPage)
  })

  test('is for its own provider only', async () => {
    const { browse } = await lead(['mfa'], { trustAmr: ['mfa'] })
    const browser = browse()
    expect((await signIn(browser)).headers.get('location')).toBe(secondPage)
  })
})

const noon = 1_800_000_000
const letters = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']
const keys = { clientId: 'client-id', clientSecret: 'hush-never-say-this' }

/** Returns where a sign-in leads at an issuer that sends any claims. */
async function leadAt(options: IssuerOptions): Promise<string | null> {
  const now = (): number => noon * 1000
  const issuer = createIssuer({ ...keys, algorithm: 'ES256', now, ...options })
  const config = { id: 'op', name: 'The provider', issuer: issuer.issuer, ...keys }
  const { browse } = serveSecond(
    {
      providers: [
        oidc({ ...config, trustAmr: ['mfa', '1', ''.padEnd(64, 'x')], fetchUserinfo: true }),
      ],
      runtime: { now, fetch: issuer.fetch },
    },
    { require: true },
  )
  const browser = browse()
  const url = await beginSignIn(browser, {}, '/signin/op')
  const response = await browser.visit(issuer.authorize(url).href)
  return response.headers.get('location')
}

describe('an amr of a hostile or faulty provider (I-52.13)', () => {
  test.each([
    ['one value', ['mfa']],
    ['the tenth value', [...letters.slice(1), 'mfa']],
    ['64 characters', ['x'.repeat(64)]],
    ['beside values of other types', [1, null, {}, ['x'], 'mfa']],
  ])('%s satisfies require', async (_, amr) => {
    expect(await leadAt({ idToken: { amr } })).toBe(origin)
  })

  test.each([
    ['a text', 'mfa'],
    ['a list in a list', [['mfa']]],
    ['an object', { 0: 'mfa', length: 1 }],
    ['a number', [1]],
    ['the eleventh value', [...letters, 'mfa']],
    ['65 characters', ['x'.repeat(65)]],
    ['an empty text', ['']],
    ['a value with NUL', ['mfa\0']],
    ['null', null],
  ])('%s does not satisfy require', async (_, amr) => {
    expect(await leadAt({ idToken: { amr } })).toBe(secondPage)
  })

  test('of a userinfo response does not satisfy require', async () => {
    const userClaims = { sub: 'alice', name: 'Alice', amr: ['mfa'] }
    expect(await leadAt({ userClaims })).toBe(secondPage)
    expect(await leadAt({ userClaims, idToken: { amr: ['mfa'] } })).toBe(origin)
  })
})

describe('trustAmr is checked at start-up', () => {
  const config = { id: 'op', name: 'The provider', issuer: 'https://op.example', ...keys }

  test.each([
    ['a text', 'mfa'],
    ['a number', [1]],
    ['an empty text', ['']],
    ['65 characters', ['x'.repeat(65)]],
  ])('%s is refused', (_, trustAmr) => {
    expect(oidc({ ...config, trustAmr: ['mfa'] }).trustAmr).toEqual(['mfa'])
    const create = (): Partial<AuthConfig> => ({
      providers: [oidc({ ...config, trustAmr: trustAmr as never })],
    })
    expect(getConfigError(create)?.[0]).toBe('providers.op.trustAmr')
  })

  test('a plain OAuth 2.0 provider is refused: it has no ID Token', () => {
    const plain = {
      ...keys,
      id: 'plain',
      name: 'Plain',
      authorizationEndpoint: 'https://plain.example/authorize',
      tokenEndpoint: 'https://plain.example/token',
      userinfo: 'https://plain.example/user',
    }
    expect(oauth(plain).trustAmr).toBeUndefined()
    const create = (): Partial<AuthConfig> => ({
      providers: [oauth({ ...plain, trustAmr: ['mfa'] })],
    })
    expect(getConfigError(create)?.[0]).toBe('providers.plain.trustAmr')
  })
})
