import type { Browser } from '@latchkey/core/testing/browser'
import { createLocalJWKSet, jwtVerify } from 'jose'
import type { JSONWebKeySet } from 'jose'
import { BASE, expectEqual, expectRedirect, expectStatus } from '../journey.ts'
import type { JourneyUser } from '../journey.ts'
import { ISSUER } from '../network.ts'
import { AUDIENCE, ORIGIN, TRUSTED } from '../service.ts'
import { beginAtProvider, signInAtProvider, signOut } from './steps.ts'

/** Signs in at an OpenID provider, uses the session and its tokens, and is signed out by the provider. */
export async function* useOpenId(user: JourneyUser): AsyncGenerator<number, void> {
  const browser = user.browse()
  await expectStatus('the sign-in page', browser.visit('/signin'), 200)
  await expectStatus('the providers', browser.visit('/providers'), 200)
  const callback = await beginAtProvider(user, browser, 'op', { callbackUrl: '/start' })
  await expectRedirect('a callback', browser.visit(callback))
  await expectRedirect('a repeated callback', browser.visit(callback))
  await user.expectSignedIn(browser, 'the session after a repeated callback')
  await updateSession(user, browser)
  await useApiToken(user, browser)
  await readFromTrustedOrigin(user, browser)
  await getAccessToken(user, browser)
  yield 120
  await getAccessToken(user, browser)
  if (user.surroundings.service.endSessions) await endAtProvider(user, browser)
  await signInAtProvider(user, browser)
  await signOutAtProvider(user, browser)
}

async function updateSession(user: JourneyUser, browser: Browser): Promise<void> {
  const note = `note ${Math.floor(user.surroundings.random.next() * 1000)}`
  const csrfToken = await browser.csrfToken()
  const post = (body: object): Promise<Response> =>
    browser.visit('/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  await expectStatus('an update', post({ csrfToken, data: note }), 200)
  await expectStatus('an update without a token', post({ data: 'forged' }), 403)
  expectEqual('the updated session', (await user.read(browser)).note, note)
}

async function useApiToken(user: JourneyUser, browser: Browser): Promise<void> {
  const issued = await expectStatus('a token for APIs', browser.submit('/token'), 200)
  const { token } = (await issued.json()) as { readonly token: string }
  const published = (await browser.json('/jwks')) as object as JSONWebKeySet
  const { payload } = await jwtVerify(token, createLocalJWKSet(published), {
    issuer: BASE,
    audience: AUDIENCE,
    currentDate: new Date(user.surroundings.now() * 1000),
  })
  expectEqual('the subject of a token', payload.sub, (await user.read(browser)).user?.id)
  await expectStatus('a token without a session', user.browse().submit('/token'), 401)
}

async function readFromTrustedOrigin(user: JourneyUser, browser: Browser): Promise<void> {
  const headers = { origin: TRUSTED, 'sec-fetch-site': 'same-site' }
  const response = await browser.visit('/session', { headers })
  expectEqual('a grant', response.headers.get('access-control-allow-origin'), TRUSTED)
  const foreign = { headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' } }
  await expectStatus('a foreign sign-out', browser.submit('/signout', {}, foreign), 403)
  await user.expectSignedIn(browser, 'a refused sign-out')
}

async function getAccessToken(user: JourneyUser, browser: Browser): Promise<void> {
  const { auth } = user.surroundings.service
  const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ')
  const found = await auth.getAccessToken(new Request(ORIGIN, { headers: { cookie } }), 'op')
  expectEqual('an access token', typeof found?.accessToken, 'string')
  await user.expectSignedIn(browser, 'a refreshed access token')
}

async function endAtProvider(user: JourneyUser, browser: Browser): Promise<void> {
  const { network } = user.surroundings
  const { sid } = user.person
  const token = await network.createLogoutToken({ sid })
  const forged = `${token.slice(0, -4)}AAAA`
  expectEqual('a forged Logout Token', await user.sendLogoutToken(forged), 400)
  const expired = await network.createLogoutToken({ sid, exp: 1, iat: 1 })
  expectEqual('an expired Logout Token', await user.sendLogoutToken(expired), 400)
  await user.expectSignedIn(browser, 'refused Logout Tokens')
  expectEqual('a Logout Token', await user.sendLogoutToken(token), 200)
  await user.expectSignedOut(browser, 'a Logout Token')
  expectEqual('a repeated Logout Token', await user.sendLogoutToken(token), 400)
}

/** Signs out here and at the provider, and returns. */
async function signOutAtProvider(user: JourneyUser, browser: Browser): Promise<void> {
  const left = await expectRedirect('a sign-out', browser.submit('/signout'))
  await user.expectSignedOut(browser, 'a sign-out')
  const there = await expectRedirect('the provider’s sign-out', browser.visit(left.href))
  expectEqual('the provider’s sign-out', there.origin, ISSUER)
  const back = new URL(there.searchParams.get('post_logout_redirect_uri') ?? '')
  back.searchParams.set('state', there.searchParams.get('state') ?? '')
  await expectRedirect('the return from the provider', browser.visit(back.href))
  await signOut(user, browser)
}
