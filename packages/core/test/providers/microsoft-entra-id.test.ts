import { describe, expect, test } from 'vitest'
import { ConfigurationError } from '@latchkey/core'
import { microsoftEntraId } from '@latchkey/core/providers/microsoft-entra-id'
import type { MicrosoftEntraIdOptions } from '@latchkey/core/providers/microsoft-entra-id'
import { createIssuer } from '@latchkey/testing/issuer'
import { beginSignIn, signInAtIssuer } from '@latchkey/testing/issuer-sign-in'
import { client, expectRefused, serveProviders } from '../support/identity-provider.ts'
import type { ProviderService } from '../support/identity-provider.ts'
import { origin } from '../support/service.ts'
import { createEntraIssuer, tenant, toAuthorityUrl } from './fixtures/microsoft-entra-id.ts'

const otherTenant = '99999999-2222-4333-8444-555555555555'
const consumers = '9188040d-6c67-4c5b-b112-36a304b66dad'

function serveEntra(
  name: string,
  idToken: Record<string, unknown> = {},
  over: Partial<MicrosoftEntraIdOptions> = {},
): ProviderService {
  return serveProviders(
    createIssuer({ ...createEntraIssuer(name, idToken), algorithm: 'ES256' }),
    microsoftEntraId({ ...client, tenant: over.tenant ?? name, ...over }),
  )
}

function signIn({ browser, issuer }: ProviderService): Promise<Response> {
  return signInAtIssuer(browser, issuer, { provider: 'microsoft-entra-id' })
}

/** Returns the claims of an ID Token that a tenant issued. */
function issuedBy(tid: string): Record<string, string> {
  return { iss: `${toAuthorityUrl(tid)}/v2.0`, tid }
}

describe('Microsoft Entra ID', () => {
  test.each([
    ['common', tenant],
    ['common', otherTenant],
    ['common', consumers],
    ['organizations', tenant],
    [tenant, tenant],
  ])('at %s a user of %s signs in', async (name, tid) => {
    const entra = serveEntra(name, issuedBy(tid))
    const response = await signIn(entra)
    expect(response.headers.get('location'), JSON.stringify(entra.service.lines)).toBe(origin)
    expect(entra.signIns[0]?.user.id).toMatch(`microsoft-entra-id:${tid}.`)
  })

  test('consumers use the issuer of the tenant for consumers', async () => {
    const service = serveEntra(consumers, issuedBy(consumers), { tenant: 'consumers' })
    expect((await signIn(service)).headers.get('location')).toBe(origin)
  })

  const refused: readonly [name: string, claims: Record<string, unknown>][] = [
    ['common', { tid: otherTenant }],
    ['common', { iss: `${toAuthorityUrl(otherTenant)}/v2.0` }],
    ['common', { tid: undefined }],
    ['common', { tid: 7 }],
    ['common', { tid: '{tenantid}', iss: `${toAuthorityUrl('{tenantid}')}/v2.0` }],
    ['common', { tid: 'common', iss: `${toAuthorityUrl('common')}/v2.0` }],
    ['common', { tid: '../evil', iss: `${toAuthorityUrl('../evil')}/v2.0` }],
    ['organizations', issuedBy(consumers)],
    [tenant, issuedBy(otherTenant)],
    [tenant, issuedBy(consumers)],
    ['common', { iss: `https://sts.windows.net/${tenant}/` }],
  ]
  // The host of an issuer is always the same, and would make the titles too long.
  test.each(
    refused.map(([name, claims]) => {
      const values = JSON.stringify(claims).replaceAll('https://login.microsoftonline.com', '')
      return { name, claims, values }
    }),
  )('at $name an ID Token with $values is refused (I-24)', async ({ name, claims }) => {
    const service = serveEntra(name, claims)
    await expectRefused(service, await signIn(service))
  })

  test.each([
    ['common', 'no oid', { oid: undefined }],
    ['common', 'oid null', { oid: null }],
    ['common', 'oid empty', { oid: '' }],
    ['common', 'oid a list', { oid: ['1'] }],
    [tenant, 'no oid', { oid: undefined }],
    [tenant, 'no tid', { tid: undefined }],
  ])('at %s an ID Token with %s has no subject and is refused (I-38)', async (name, _, claims) => {
    const service = serveEntra(name, claims)
    await expectRefused(service, await signIn(service))
  })

  test.each([
    [undefined, false],
    [false, false],
    [0, false],
    ['0', false],
    ['false', false],
    [true, true],
    [1, true],
    ['1', true],
  ])('xms_edov %j: the email address is verified: %j (I-38)', async (xms_edov, verified) => {
    const claims = { xms_edov, email_verified: true }
    const service = serveEntra('common', claims, { tenant: 'common', trustEmailVerified: true })
    await signIn(service)
    expect(service.signIns[0]?.user.emailVerified).toBe(verified)
  })

  test('preferred_username is not used as the email address', async () => {
    const service = serveEntra('common', { email: undefined })
    service.issuer.vary({ userClaims: { email: undefined, name: undefined } })
    await signIn(service)
    expect(service.signIns[0]?.user.email).toBeNull()
  })

  test('a national cloud has its own authority', async () => {
    const provider = microsoftEntraId({ ...client, tenant, authority: 'https://login.example.us' })
    const issuer = createIssuer({ ...client, issuer: `https://login.example.us/${tenant}/v2.0` })
    const { browser } = serveProviders(issuer, provider)
    const url = await beginSignIn(browser, { provider: 'microsoft-entra-id' })
    expect(url.origin).toBe('https://login.example.us')
  })

  test.each(['contoso.onmicrosoft.com', tenant.replace('1', 'A'), '', '../common', 'Common'])(
    'the tenant "%s" is refused at start-up',
    (name) => {
      expect(() => microsoftEntraId({ ...client, tenant: name })).toThrow(ConfigurationError)
    },
  )
})
