import { oauth } from '@latchkey/core/providers/oauth'
import type { OAuthConfig } from '@latchkey/core/providers/oauth'
import { createIssuer } from '@latchkey/testing/issuer'
import { beginSignIn } from '@latchkey/testing/issuer-sign-in'
import { describe, expect, test } from 'vitest'
import { issuerOptions, oauthConfig } from './support/identity-provider.ts'
import { base, getRedirect, serve } from './support/service.ts'
import type { TestService } from './support/service.ts'

const { clientId, clientSecret } = oauthConfig
const forge = createIssuer({
  ...issuerOptions,
  clientId,
  clientSecret: String(clientSecret),
  openid: false,
  api: { 'https://issuer.example/userinfo': { id: 1, name: 'Alice' } },
})
const evil = createIssuer({ ...issuerOptions, issuer: 'https://evil.example', openid: false })

function serveForge(over: Partial<OAuthConfig> = {}): TestService<unknown> {
  const other = { authorizationEndpoint: 'https://evil.example/authorize', id: 'evil' }
  const endpoints = {
    tokenEndpoint: 'https://evil.example/token',
    userinfo: 'https://evil.example/me',
  }
  return serve({
    providers: [
      oauth({ ...oauthConfig, ...over }),
      oauth({ ...oauthConfig, ...other, ...endpoints }),
    ],
    runtime: {
      fetch: (url, init) => (url.startsWith(evil.issuer) ? evil : forge).fetch(url, init),
    },
  })
}

/** Signs in with a response that has this `iss`, and returns the error; null if the user is signed in. */
async function signIn({ browse }: TestService<unknown>, iss: string): Promise<string | null> {
  const browser = browse()
  const callback = forge.authorize(await beginSignIn(browser))
  callback.searchParams.set('iss', iss)
  return getRedirect(await browser.visit(callback.href)).error
}

describe('oauth() without issuer', () => {
  test.each([
    'https://issuer.example',
    'https://issuer.example/',
    'https://issuer.example/oauth',
    '',
  ])('iss %j is not compared (I-23.4)', async (iss) => {
    expect(await signIn(serveForge(), iss)).toBeNull()
  })

  test('one warning names the option and what was received (I-23.4)', async () => {
    const service = serveForge()
    const iss = `https://issuer.example${'/path'.repeat(40)}`
    await signIn(service, iss)
    await signIn(service, iss)
    expect(service.lines.map(({ level }) => level)).toEqual(['warn'])
    const { message } = service.lines[0]!
    expect(message).toContain('providers.op.issuer: look up in its documentation')
    expect(message).toContain(`received "${iss.slice(0, 100)}"`)
  })

  test('a code that is refused warns of nothing (I-23.4)', async () => {
    const service = serveForge()
    const browser = service.browse()
    const callback = forge.authorize(await beginSignIn(browser))
    callback.searchParams.set('iss', 'https://mallory.example')
    callback.searchParams.set('code', 'guessed')
    expect(getRedirect(await browser.visit(callback.href)).error).toBe('OAuthCallback')
    expect(service.lines.map(({ message }) => message)).toEqual(['op could not finish'])
  })

  test('two iss are refused (I-23.2)', async () => {
    const browser = serveForge().browse()
    const callback = forge.authorize(await beginSignIn(browser))
    callback.searchParams.append('iss', 'https://issuer.example')
    expect(getRedirect(await browser.visit(callback.href)).error).toBe('OAuthCallback')
  })

  test('a response at the redirect URI of another provider is refused (I-23.2)', async () => {
    const browser = serveForge().browse()
    const callback = forge.authorize(await beginSignIn(browser)).search
    const stolen = await browser.visit(`${base}/callback/evil${callback}`)
    expect(getRedirect(stolen).error).toBe('OAuthCallback')
    expect(evil.countRequests('token')).toBe(0)
  })
})

test('oauth() with issuer refuses another iss (I-23.1)', async () => {
  const service = serveForge({ issuer: 'https://issuer.example' })
  expect(await signIn(service, 'https://issuer.example')).toBeNull()
  expect(await signIn(service, 'https://evil.example')).toBe('OAuthCallback')
  expect(service.lines.map(({ message }) => message)).toEqual(['op could not finish'])
})
