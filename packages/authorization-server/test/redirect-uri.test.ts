import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  addParameters,
  getRedirectKind,
  getShownHost,
  isRegisteredUri,
} from '../src/clients/redirect-uri.ts'

describe('which redirect URIs a client may have (I-65.1)', () => {
  test.each([
    ['https://client.example/cb', 'https', 'client.example'],
    ['https://claude.ai/api/mcp/auth_callback', 'https', 'claude.ai'],
    ['https://client.example:8443/cb?a=b', 'https', 'client.example:8443'],
    ['https://127.0.0.1.example/cb', 'https', '127.0.0.1.example'],
    ['https://localhost.example/cb', 'https', 'localhost.example'],
    ['https://127.0.0.1/cb', 'loopback', '127.0.0.1'],
    ['https://[::1]/cb', 'loopback', '[::1]'],
    ['https://localhost:8443/cb', 'loopback', 'localhost:8443'],
    ['https://app.localhost/cb', 'loopback', 'app.localhost'],
    ['http://127.0.0.1/cb', 'loopback', '127.0.0.1'],
    ['http://127.0.0.1:4711', 'loopback', '127.0.0.1:4711'],
    ['http://[::1]:4711/cb', 'loopback', '[::1]:4711'],
    ['http://localhost:4711/cb?a', 'loopback', 'localhost:4711'],
    ['com.example.app:/cb', 'private', 'com.example.app:'],
    ['cursor://anysphere.cursor-mcp/oauth/callback', 'private', 'cursor:'],
  ])('%s', (uri, kind, host) => {
    expect([getRedirectKind(uri), getShownHost(uri)]).toEqual([kind, host])
  })

  test.each([
    '',
    'cb',
    '/cb',
    'http://client.example/cb',
    'http://127.0.0.1.evil.example/cb',
    'http://127.0.0.1@evil.example/cb',
    'http://127.0.0.1:80@evil.example/cb',
    'http://localhost.evil.example/cb',
    'http://127.0.0.1:99999/cb',
    'http://127.1/cb',
    'http://0x7f.1/cb',
    'https:client.example/cb',
    'https:/client.example/cb',
    'https:///client.example/cb',
    'https://client.example/cb#',
    'https://client.example/cb#fragment',
    'https://user@client.example/cb',
    'https://user:password@client.example/cb',
    'https://@client.example/cb',
    'https://client.example\\@evil.example/',
    'https://a;script-src *;/cb',
    'https://a;b/cb',
    'https://client.example/ cb',
    'https://client.example/\u0000',
    'https://clïent.example/cb',
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://client.example/x',
    'app:/cb',
    'cursor://anysphere.cursor-mcp/oauth/callback?a=b',
    'cursor://other/oauth/callback',
    'intent://x',
    `https://client.example/${'a'.repeat(1000)}`,
  ])('not %s', (uri) => {
    expect(getRedirectKind(uri)).toBe(undefined)
  })
})

describe('the comparison (RFC 9700 §2.1, RFC 8252 §7.3)', () => {
  test.each([
    ['http://127.0.0.1/cb', 'http://127.0.0.1:4711/cb'],
    ['http://127.0.0.1:80/cb', 'http://127.0.0.1:1/cb'],
    ['http://127.0.0.1:4711/cb', 'http://127.0.0.1/cb'],
    ['http://[::1]/cb?a=b', 'http://[::1]:4711/cb?a=b'],
    ['http://localhost/cb', 'http://localhost:4711/cb'],
  ])('%s is %s', (registered, given) => {
    expect(isRegisteredUri(registered, given)).toBe(true)
  })

  test.each([
    ['http://127.0.0.1/cb', 'http://127.0.0.1:4711/cb/'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:4711/CB'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:4711/cb?a'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:99999/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:/cb'],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:80@evil.example/cb'],
    ['http://127.0.0.1/cb', 'http://localhost/cb'],
    ['http://127.0.0.1/cb', 'http://[::1]/cb'],
    ['http://127.0.0.1/cb', 'https://127.0.0.1/cb'],
    ['https://client.example/cb', 'https://client.example:444/cb'],
    ['https://client.example/cb', 'https://client.example/cb/'],
    ['com.example.app:/cb', 'com.example.app:/cb2'],
  ])('%s is not %s', (registered, given) => {
    expect(isRegisteredUri(registered, given)).toBe(false)
  })

  test('no other text is a registered URI that is not loopback', () => {
    const registered = 'https://client.example/cb'
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), (given) => {
        expect(isRegisteredUri(registered, given)).toBe(given === registered)
      }),
    )
  })
})

test('parameters are added to what a URI has, encoded', () => {
  expect(addParameters('https://a.example/cb', { a: 'b c&d', e: undefined })).toBe(
    'https://a.example/cb?a=b+c%26d',
  )
  expect(addParameters('com.example:/cb?x=%20+', { a: '#' })).toBe('com.example:/cb?x=%20+&a=%23')
})
