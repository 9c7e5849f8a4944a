import { describe, expect, test } from 'vitest'
import { oidc } from '@latchkey/core/providers/oidc'
import { createIssuer } from '@latchkey/testing/issuer'
import { signInAtIssuer } from '@latchkey/testing/issuer-sign-in'
import {
  client,
  expectRefused,
  issuerOptions,
  oidcConfig,
  serveProviders,
} from '../support/identity-provider.ts'

describe('the user and the account of a sign-in', () => {
  test('the user has additional fields of profile(), after the checked ones (I-40)', async () => {
    const issuer = createIssuer({
      ...issuerOptions,
      ...client,
      userClaims: { name: 'Alice', team: 'blue' },
    })
    const { browser, signIns } = serveProviders(
      issuer,
      oidc({
        ...oidcConfig,
        profile: (claims, tokens) => ({
          name: claims['name'],
          image: 'javascript:alert(1)',
          id: 'attacker:1',
          team: claims['team'],
          hasToken: typeof tokens.access_token === 'string',
        }),
      }),
    )
    await signInAtIssuer(browser, issuer)
    expect(signIns[0]?.user).toEqual({
      id: 'op:alice',
      name: 'Alice',
      email: null,
      emailVerified: false,
      image: null,
      team: 'blue',
      hasToken: true,
    })
  })

  test('a profile() that throws refuses the sign-in', async () => {
    const issuer = createIssuer({ ...issuerOptions, ...client })
    const profile = (): never => {
      throw new Error('no such field')
    }
    const service = serveProviders(issuer, oidc({ ...oidcConfig, profile }))
    await expectRefused(service, await signInAtIssuer(service.browser, issuer))
  })

  test('one identity provider can be configured twice, under two ids', async () => {
    const issuer = createIssuer({ ...issuerOptions, ...client })
    const again = oidc({ ...oidcConfig, id: 'op-2', name: 'Again' })
    const { browser, signIns } = serveProviders(issuer, oidc(oidcConfig), again)
    await signInAtIssuer(browser, issuer, { provider: 'op-2' })
    expect(signIns[0]?.user.id).toBe('op-2:alice')
    expect(signIns[0]?.account).toMatchObject({ provider: 'op-2', type: 'oidc' })
  })

  test('the account has the tokens and their expiry', async () => {
    const issuer = createIssuer({ ...issuerOptions, ...client })
    issuer.vary({ token: { refresh_token: 'r-1' } })
    const { browser, signIns } = serveProviders(issuer, oidc(oidcConfig))
    await signInAtIssuer(browser, issuer)
    expect(signIns[0]?.account).toMatchObject({
      provider: 'op',
      type: 'oidc',
      providerAccountId: 'alice',
      access_token: expect.stringMatching(/^t_/),
      refresh_token: 'r-1',
      token_type: 'bearer',
      scope: 'openid profile email',
      id_token: expect.stringMatching(/^eyJ/),
    })
    const { expires_at = 0 } = signIns[0]?.account ?? {}
    expect(Math.abs(expires_at - (Date.now() / 1000 + 300))).toBeLessThan(5)
  })

  test.each([
    [299.5, 299],
    ['3599.9', 3599],
    [1e308, 315_360_000],
    [0, 0],
    [undefined, undefined],
  ])('expires_in %s is %s whole seconds, ten years at most', async (expires_in, seconds) => {
    const issuer = createIssuer({ ...issuerOptions, ...client })
    issuer.vary({ token: { expires_in } })
    const { browser, signIns } = serveProviders(issuer, oidc(oidcConfig))
    await signInAtIssuer(browser, issuer)
    const { expires_at } = signIns[0]?.account ?? {}
    if (seconds === undefined) return expect(expires_at).toBeUndefined()
    expect(expires_at).toSatisfy(Number.isInteger)
    expect(Math.abs((expires_at ?? 0) - (Date.now() / 1000 + seconds))).toBeLessThan(5)
  })
})
