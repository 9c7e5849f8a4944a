import { decodeJwt, decodeProtectedHeader } from 'jose'
import { describe, expect, test } from 'vitest'
import { apple } from '@latchkey/core/providers/apple'
import type { IssuerOptions } from '@latchkey/testing/issuer'
import { beginSignIn } from '@latchkey/testing/issuer-sign-in'
import { createFixtureIssuer, getRequest, serveProviders } from '../support/identity-provider.ts'
import type { ProviderService } from '../support/identity-provider.ts'
import { getRedirect, origin } from '../support/service.ts'
import { appleFixture, appleOptions } from './fixtures/apple.ts'

function serveApple(over: Partial<IssuerOptions> = {}): ProviderService {
  return serveProviders(createFixtureIssuer(appleFixture, over), apple(appleOptions))
}

/** Posts the callback from another site, without Lax cookies, and follows the redirect to the GET. */
async function signIn(
  { browser, issuer }: ProviderService,
  form: Record<string, string> = {},
): Promise<Response> {
  const callback = issuer.authorize(await beginSignIn(browser, { provider: 'apple' }))
  const fields = { ...Object.fromEntries(callback.searchParams), ...form }
  const posted = await browser.post(callback.origin + callback.pathname, fields, {
    crossSite: true,
    headers: { origin: 'https://appleid.apple.com', 'sec-fetch-site': 'cross-site' },
  })
  expect(posted.status).toBe(303)
  const location = posted.headers.get('location') as string
  for (const value of Object.values(fields)) if (value) expect(location).not.toContain(value)
  return browser.visit(location)
}

/** Returns the form field `user`. */
function userField(value: unknown): Record<string, string> {
  return { user: JSON.stringify(value) }
}

describe('Apple', () => {
  test('the callback is a form post from another site (I-28)', async () => {
    const service = serveApple()
    const form = userField({
      name: { firstName: 'Alice', lastName: 'Example' },
      email: 'mallory@attacker.example',
    })
    expect((await signIn(service, form)).headers.get('location')).toBe(origin)
    expect(service.signIns[0]?.user).toMatchObject({
      name: 'Alice Example',
      email: 'abc@privaterelay.appleid.example', // from the ID Token, because the form is not signed
      emailVerified: true,
    })
  })

  test.each([
    ['no user', {}, null],
    ['a first name only', userField({ name: { firstName: 'Alice' } }), 'Alice'],
    ['a last name only', userField({ name: { lastName: 'Example' } }), 'Example'],
    ['no name', userField({ email: 'a@example.com' }), null],
    ['names of other types', userField({ name: { firstName: 7, lastName: {} } }), null],
    ['empty names', userField({ name: { firstName: '', lastName: ' ' } }), null],
    [
      'a name of 1,000 characters',
      userField({ name: { firstName: 'a'.repeat(1000) } }),
      'a'.repeat(255),
    ],
    ['null', userField(null), null],
    ['a list', userField([]), null],
    ['invalid JSON', { user: '{' }, null],
    ['an empty text', { user: '' }, null],
  ])('with %s in the form the sign-in succeeds (I-40)', async (_, form, name) => {
    const service = serveApple()
    expect((await signIn(service, form)).headers.get('location')).toBe(origin)
    expect(service.signIns[0]?.user.name).toBe(name)
  })

  test('claims of the form do not replace claims of the ID Token', async () => {
    const service = serveApple()
    const claims = { sub: 'mallory', email: 'mallory@attacker.example', email_verified: true }
    await signIn(service, {
      ...userField({ ...claims, name: { firstName: 'A' } }),
      ...claims,
      email_verified: 'true',
    })
    expect(service.signIns[0]?.user).toMatchObject({
      id: 'apple:001234.0123456789abcdef0123456789abcdef.1234',
      email: 'abc@privaterelay.appleid.example',
    })
  })

  test.each([
    [true, true],
    ['true', true],
    [false, false],
    ['false', false],
    [undefined, false],
  ])(
    'email_verified %j: the email address is verified: %j (I-38)',
    async (email_verified, verified) => {
      const userClaims = { email: 'abc@privaterelay.appleid.example', email_verified }
      const service = serveApple({ userClaims })
      await signIn(service)
      expect(service.signIns[0]?.user.emailVerified).toBe(verified)
    },
  )

  test('the client secret is a short-lived ES256 JWT, signed for each request (I-27)', async () => {
    const service = serveApple()
    await signIn(service)
    const first = getRequest(service.issuer, 'token').form.get('client_secret') as string
    expect(decodeProtectedHeader(first)).toMatchObject({ alg: 'ES256', kid: 'KEY1234567' })
    const { iat = 0, exp = 0, ...claims } = decodeJwt(first)
    expect(claims).toEqual({
      iss: 'TEAM123456',
      sub: 'com.example.web',
      aud: 'https://appleid.apple.com',
    })
    expect(Math.abs(iat - Date.now() / 1000)).toBeLessThan(5)
    expect(exp - iat).toBeLessThanOrEqual(600)
    await signIn(service)
    expect(getRequest(service.issuer, 'token').form.get('client_secret')).not.toBe(first)
  })

  test.each(['user_cancelled_authorize', 'access_denied'])(
    'the error %s is Cancelled (I-23)',
    async (error) => {
      const service = serveApple()
      service.issuer.vary({ callback: { code: undefined, error } })
      expect(getRedirect(await signIn(service))).toEqual({
        path: '/api/auth/signin',
        error: 'Cancelled',
      })
    },
  )

  test.each(['teamId', 'keyId', 'privateKey'])('requires %s at start-up', (option) => {
    expect(() => apple({ ...appleOptions, [option]: '' })).toThrow(
      `providers.apple.${option}: is missing`,
    )
  })
})
