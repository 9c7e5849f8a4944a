import { oidc } from '@latchkey/core/providers/oidc'
import type { OidcConfig } from '@latchkey/core/providers/oidc'
import { createTestClock } from '@latchkey/testing/clock'
import { createIssuer } from '@latchkey/testing/issuer'
import type { Variation } from '@latchkey/testing/issuer-faults'
import { signInAtIssuer } from '@latchkey/testing/issuer-sign-in'
import { describe, expect, test } from 'vitest'
import { client, issuerOptions, oidcConfig } from './support/identity-provider.ts'
import { getRedirect, serve } from './support/service.ts'
import type { LogLine } from './support/service.ts'

interface Outcome {
  readonly error: string | null
  readonly user: Readonly<Record<string, unknown>> | undefined
  /** The user as `callbacks.signIn` receives it. */
  readonly emailVerified: unknown
  readonly lines: readonly LogLine[]
}

/** Signs in with an ID Token that has these claims beside `sub`. */
async function signIn(
  idToken: Readonly<Record<string, unknown>>,
  variation: Variation,
  over: Partial<OidcConfig> = {},
): Promise<Outcome> {
  const { runtime, advance } = createTestClock()
  const issuer = createIssuer({ ...client, ...issuerOptions, now: runtime.now, advance, idToken })
  issuer.vary(variation)
  let emailVerified: unknown
  const { browse, lines } = serve({
    providers: [oidc({ ...oidcConfig, ...over })],
    runtime: { ...runtime, fetch: issuer.fetch },
    callbacks: {
      signIn({ user }) {
        emailVerified = user.emailVerified
        return true
      },
    },
  })
  const browser = browse()
  const { error } = getRedirect(await signInAtIssuer(browser, issuer))
  const { user } = (await browser.json('/session')) as { user?: Outcome['user'] }
  return { error, user, emailVerified, lines }
}

const failures = [
  'challenge',
  'error-500',
  'error-echo',
  'hang',
  'unreachable',
  'huge',
  'redirect',
  'no-content',
  'empty',
  'html',
  'null',
] as const

const down: Variation = { responses: { userinfo: 'error-500' } }
const named = { name: 'Alice' }
const mailed = { email: 'alice@issuer.example', email_verified: true }

describe('an ID Token is enough if userinfo fails', () => {
  test.each(failures)('%s: the ID Token signs in, with one warning (I-25.3)', async (failure) => {
    for (const claims of [named, mailed]) {
      const { user, lines } = await signIn(claims, { responses: { userinfo: failure } })
      const { name = null, email = null } = claims as Partial<typeof named & typeof mailed>
      expect(user).toMatchObject({ id: 'op:alice', name, email, image: null })
      expect(lines.map(({ level, details }) => [level, details.provider])).toEqual([['warn', 'op']])
      expect(lines[0]?.details.causes?.[0]).toContain('https://issuer.example/userinfo')
    }
  })

  test.each([undefined, null])('sub %j in userinfo is an error too (I-25.3)', async (sub) => {
    const { user, lines } = await signIn(mailed, { userinfo: { sub, name: 'Mallory' } })
    expect(user).toMatchObject({ id: 'op:alice', name: null })
    expect(lines).toHaveLength(1)
  })

  test('with a profile that maps another claim (I-25.3)', async () => {
    const profile: OidcConfig['profile'] = ({ upn }) => ({ email: upn })
    const { user } = await signIn({ upn: 'alice@corp.example' }, down, { profile })
    expect(user).toMatchObject({ email: 'alice@corp.example' })
  })
})

describe('userinfo stays required', () => {
  const expectRefused = ({ error, user, lines }: Outcome): void => {
    expect([error, user]).toEqual(['OAuthCallback', undefined])
    expect(lines.map(({ message }) => message)).toEqual(['op could not finish'])
  }

  test.each<[string, Variation]>([
    ['another sub', { userinfo: { sub: 'mallory' } }],
    ['an empty sub', { userinfo: { sub: '' } }],
    ['a sub that is a list', { userinfo: { sub: ['alice'] } }],
    ['a forged signature', { userinfoForm: 'jwt-attacker' }],
    ['no signature', { userinfoForm: 'jwt-none' }],
    ['a signed response of another user', { userinfoForm: 'jwt', userinfo: { sub: 'mallory' } }],
  ])('%s is refused (I-25.4)', async (_, variation) => {
    expect((await signIn(mailed, {})).user).toMatchObject({ id: 'op:alice' })
    expectRefused(await signIn(mailed, variation))
  })

  test('JSON in place of a required signature is refused (I-25.4)', async () => {
    const over = { userinfoSignedResponseAlg: 'ES256' }
    expect((await signIn(mailed, { userinfoForm: 'jwt' }, over)).user).toBeDefined()
    expectRefused(await signIn(mailed, { userinfo: { sub: undefined } }, over))
  })

  test.each<[string, Record<string, unknown>, Partial<OidcConfig>]>([
    ['fetchUserinfo', { ...named, ...mailed }, { fetchUserinfo: true }],
    ['a subject of userinfo', mailed, { subject: ({ name }) => name }],
    ['an ID Token with sub only', {}, {}],
    ['a trusted email address', named, { trustEmailVerified: true }],
    ['a rule for email addresses', named, { trustEmailVerified: () => true }],
    ['a profile without name and email', {}, { profile: () => ({ image: 'https://a.example/' }) }],
    [
      'a profile that reads more',
      {},
      {
        profile: (claims) => ({
          name: String(claims['name']).slice(0, 3),
          email: readEmail(claims),
        }),
      },
    ],
  ])('with %s an error is refused (I-25.3)', async (_, claims, over) => {
    expect((await signIn(claims, {}, over)).user).toBeDefined()
    expectRefused(await signIn(claims, down, over))
  })

  test('no email address is proven without the claim of the ID Token (I-25.3)', async () => {
    const trusted = { trustEmailVerified: true }
    const { email_verified: _, ...unverified } = mailed
    expect(await signIn(mailed, down, trusted)).toMatchObject({ emailVerified: true })
    expect(await signIn(unverified, down, trusted)).toMatchObject({ emailVerified: false })
  })
})

function readEmail({ email }: Readonly<Record<string, unknown>>): string {
  if (typeof email === 'string') return email
  throw new TypeError('expected an email address')
}
