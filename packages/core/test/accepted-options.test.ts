import { generateKeyPair } from 'jose'
import { describe, expect, test } from 'vitest'
import type { AuthConfig } from '@latchkey/core'
import { apiTokens } from '@latchkey/tokens'
import type { TokenKey } from '@latchkey/tokens'
import { nextAuthV4 } from '@latchkey/core/import/next-auth-v4'
import { memoryStorage } from '@latchkey/core/memory'
import { oidc } from '@latchkey/core/providers/oidc'
import type { OidcConfig } from '@latchkey/core/providers/oidc'
import { confirmation } from '@latchkey/core/confirmation'
import { secondFactor } from '@latchkey/second-factor'
import type { SecondFactorOptions } from '@latchkey/second-factor'
import { generateTokenKey } from '@latchkey/tokens/token-key'
import { oidcConfig } from './support/identity-provider.ts'
import { numbers, spare } from '../../second-factor/test/support/second-factor.ts'
import { getConfigError, passport, serve, signIn } from './support/service.ts'

/** Imports the sessions of next-auth that were issued before a date. */
const toImport = (issuedBefore: Date) =>
  nextAuthV4({ secret: 'the secret of next-auth', until: new Date('2100-01-01'), issuedBefore })

/** Ten different characters are the fewest. */
const tenCharacters = 'abcdefghij'.repeat(4)

describe('is accepted at start-up:', () => {
  test.each<[string, Partial<AuthConfig>, Partial<AuthConfig>]>([
    [
      'a secret of ten different characters',
      { secret: tenCharacters },
      { secret: 'abcdefghi'.repeat(4) },
    ],
    [
      'a serviceUrl of the class URL',
      { serviceUrl: new URL('https://app.example') },
      { serviceUrl: new URL('data:,x') },
    ],
    ['a serviceUrl without credentials', {}, { serviceUrl: 'https://:secret@app.example' }],
    ['the first port', { trustHost: ['app.example:1'] }, { trustHost: ['app.example:0'] }],
    ['the last port', { trustHost: ['app.example:65535'] }, { trustHost: ['app.example:65536'] }],
    [
      'a provider that needs a storage, with one',
      { providers: [passport({ needs: ['factors'] })], storage: memoryStorage() },
      { providers: [passport({ needs: ['factors'] })] },
    ],
    [
      'a provider that links by email addresses, with a storage',
      { providers: [passport({ linkByVerifiedEmail: true })], storage: memoryStorage() },
      { providers: [passport({ linkByVerifiedEmail: true })] },
    ],
    [
      'the id of a provider',
      { providers: [passport({ id: 'pass-port-2' })] },
      { providers: [passport({ id: 'pass-port-2/' })] },
    ],
    [
      'a trusted origin whose site begins with a digit',
      { serviceUrl: 'https://a.4you.example', trustedOrigins: ['https://b.4you.example'] },
      { serviceUrl: 'https://a.4you.example', trustedOrigins: ['https://b.5you.example'] },
    ],
    [
      'a trusted origin of a host without a site',
      { serviceUrl: 'https://intranet', trustedOrigins: ['https://intranet:444'] },
      { serviceUrl: 'https://intranet', trustedOrigins: ['https://other'] },
    ],
    [
      'a domain of the session cookie on loopback',
      { serviceUrl: 'http://localhost:3000', cookies: { session: { domain: 'dev.example' } } },
      { cookies: { session: { domain: 'dev.example' } } },
    ],
    [
      'a domain of the session cookie for trusted hosts',
      {
        serviceUrl: undefined,
        trustHost: ['a.dev.example'],
        cookies: { session: { domain: 'dev.example' } },
      },
      { cookies: { session: { domain: 'dev.example' } } },
    ],
  ])('%s', (_, accepted, refused) => {
    expect(getConfigError(() => accepted)).toBeUndefined()
    expect(getConfigError(() => refused)).toBeDefined()
  })

  test.each([1, 3600])('tokens that are valid for %i seconds', async (maxAge) => {
    const options = { audience: 'https://api.example', keys: [await generateTokenKey()] }
    expect(() => apiTokens({ ...options, maxAge })).not.toThrow()
    expect(() => apiTokens({ ...options, maxAge: maxAge === 1 ? 0 : 3601 })).toThrow(
      'tokens.maxAge',
    )
  })

  test.each<[string, (key: TokenKey) => object]>([
    ['of another kind', (key) => ({ ...key, kty: 'RSA' })],
    ['of another curve', (key) => ({ ...key, crv: 'P-384' })],
    ['with a short coordinate', (key) => ({ ...key, x: String(key.x).slice(1) })],
    ['with a long coordinate', (key) => ({ ...key, x: `${String(key.x)}A` })],
    ['of an unknown algorithm', (key) => ({ ...key, alg: 'RS256' })],
  ])('a key of tokens, but not one %s', async (_, change) => {
    const key = await generateTokenKey()
    const create = (each: object): unknown =>
      apiTokens({ audience: 'https://api.example', keys: [each as TokenKey] })
    expect(() => create(key)).not.toThrow()
    expect(() => create(change(key))).toThrow('tokens.keys')
  })

  test.each<[string, Partial<SecondFactorOptions>, object]>([
    ['a known option', { require: false }, { requrie: false }],
    ['enrol as true or false', { enrol: false }, { enrol: 'no' }],
    ['an id of a method', {}, { methods: [{ ...numbers, id: 'num bers' }] }],
    ['an id of a method that begins well', {}, { methods: [{ ...numbers, id: 'numbers/' }] }],
    [
      'a field of a method',
      { methods: [{ ...numbers, fields: { third: { label: 'Third' } } }] },
      { methods: [{ ...numbers, fields: { second: { label: 'Second' } } }] },
    ],
    [
      'a field beside the box of the page',
      { methods: [{ ...numbers, fields: { remembered: { label: 'Third' } } }] },
      { methods: [{ ...numbers, fields: { remember: { label: 'Third' } } }] },
    ],
    [
      'a method that is enrolled at the sign-in',
      { require: true },
      { require: true, methods: [spare] },
    ],
  ])('of a second factor, %s', (_, accepted, refused) => {
    const create = (over: object): unknown => secondFactor({ methods: [numbers, spare], ...over })
    expect(() => create(accepted)).not.toThrow()
    expect(() => create(refused)).toThrow('secondFactor')
  })

  test('of a second factor, a storage that can keep factors', () => {
    const options = {
      use: [confirmation(), secondFactor({ methods: [numbers] })],
    }
    const session = { strategy: 'storage' } as const
    expect(
      getConfigError(() => ({ ...options, session, storage: memoryStorage() })),
    ).toBeUndefined()
    const capabilities = [
      ...(['sessions', 'sessionData', 'sessionLists', 'accountLists'] as const),
      ...(['increment', 'revocations', 'verificationTokens', 'userLists'] as const),
    ]
    const storage = { ...memoryStorage(), capabilities }
    expect(getConfigError(() => ({ ...options, session, storage }))?.[0]).toBe('secondFactor')
  })

  test.each<[keyof OidcConfig, unknown, unknown]>([
    ['checks', ['state', 'pkce', 'nonce'], 'pkce'],
    ['responseMode', 'query', 'fragment'],
    ['responseMode', 'form_post', 'form-post'],
    ['clientAuthentication', 'none', 'nothing'],
    ['linkByVerifiedEmail', false, 'true'],
    ['subjectAsUserId', false, 'true'],
    ['userId', () => 'u1', 'u1'],
    ['params', { a: 'b' }, 'a=b'],
    ['params', { my_scope: 'b' }, { scope: 'b' }],
    ['forward', ['max_age'], 'max_age'],
    ['userinfoSignedResponseAlg', 'RS256', 'XRS256'],
    ['userinfoSignedResponseAlg', 'EdDSA', 'EdDSA2'],
  ])('of a provider, %s as %j, but not as %j', (name, accepted, refused) => {
    const create = (value: unknown): unknown =>
      oidc({ ...oidcConfig, ...(value === 'none' && { clientSecret: '' }), [name]: value })
    expect(() => create(accepted)).not.toThrow()
    expect(() => create(refused)).toThrow(`providers.${oidcConfig.id}.${name}`)
  })

  test('a private key, which the method private_key_jwt needs', async () => {
    const { privateKey } = await generateKeyPair('ES256')
    const { clientSecret: _, ...config } = oidcConfig
    const options = { ...config, clientAuthentication: 'private_key_jwt' } as const
    expect(() => oidc({ ...options, privateKey: { key: privateKey, kid: 'one' } })).not.toThrow()
    expect(() => oidc(options)).toThrow(`providers.${oidcConfig.id}.privateKey`)
  })

  test('a date of imports', () => {
    expect(() => toImport(new Date())).not.toThrow()
    expect(() => toImport(new Date(Number.NaN))).toThrow('session.importFrom.issuedBefore')
  })

  test('ten keys of tokens', async () => {
    const keys = await Promise.all(Array.from({ length: 11 }, () => generateTokenKey()))
    const audience = 'https://api.example'
    expect(() => apiTokens({ audience, keys: keys.slice(1) })).not.toThrow()
    expect(() => apiTokens({ audience, keys })).toThrow('tokens.keys')
    expect(() => apiTokens({ audience, keys: [] })).toThrow('tokens.keys')
  })

  test('a private key with the client authentication that needs it', async () => {
    const { privateKey } = await generateKeyPair('ES256')
    const key = { key: privateKey, kid: 'key' }
    const over: Partial<OidcConfig> = { clientAuthentication: 'private_key_jwt' }
    expect(() => oidc({ ...oidcConfig, ...over, privateKey: key })).not.toThrow()
    expect(() => oidc({ ...oidcConfig, ...over })).toThrow('providers.op.privateKey')
  })

  test('userinfoSignedResponseAlg that is undefined', () => {
    const over = { userinfoSignedResponseAlg: undefined }
    expect(() => Reflect.apply(oidc, undefined, [{ ...oidcConfig, ...over }])).not.toThrow()
  })
})

test('a session cookie with a domain on loopback has no prefix', async () => {
  const { browse } = serve({
    serviceUrl: 'http://localhost:3000',
    cookies: { session: { domain: 'dev.example' } },
    providers: [passport()],
  })
  const response = await signIn(browse())
  const cookies = response.headers.getSetCookie().filter((each) => each.includes('session='))
  expect(cookies.map((each) => /^[^=]+/.exec(each)?.[0])).toContain('latchkey.session')
  expect(cookies.join('\n')).not.toContain('__Secure-')
})
