import type { Browser } from '@latchkey/core/testing/browser'
import { BASE, expectEqual, expectStatus } from '../journey.ts'
import type { JourneyUser } from '../journey.ts'
import { beginAtProvider, postCredentials } from './steps.ts'

const COOKIES = ['session', 'csrf', 'ended', 'logout', 'second', 'remembered', 'flow.abcdefgh']

/** Sends what no browser sends, beside one sign-in, which continues. */
export async function* sendGarbage(user: JourneyUser): AsyncGenerator<number, void> {
  const browser = user.browse()
  await sendForgedCookies(user)
  await sendForgedCallbacks(user, browser)
  await sendForgedForms(user)
  await sendStrangeRequests(user)
  for (let i = 0; i < 6; i++) await beginAtProvider(user, browser, 'op')
  const flows = [...browser.cookies.keys()].filter((name) => name.includes('.flow.'))
  expectEqual('the flows of a browser', flows.length, 5)
  await postCredentials(user, browser)
  await user.expectSignedIn(browser, 'a sign-in beside garbage')
  yield 0
}

async function sendForgedCookies(user: JourneyUser): Promise<void> {
  const { random } = user.surroundings
  const browser = user.browse()
  for (const name of COOKIES) browser.cookies.set(`__Host-latchkey.${name}`, createGarbage(random))
  await user.expectSignedOut(browser, 'forged cookies')
  const real = user.browse()
  await postCredentials(user, real)
  const [name = '', value = ''] =
    [...real.cookies].find(([key]) => key.endsWith('latchkey.session')) ?? []
  const forged = user.browse()
  // One of a few ten thousand values ends in AAA.
  const ending = value.endsWith('AAA') ? 'BAA' : 'AAA'
  forged.cookies.set(name, value.slice(0, -3) + ending)
  await user.expectSignedOut(forged, 'a session whose seal is broken')
  await user.expectSignedIn(real, 'the session itself')
}

async function sendForgedCallbacks(user: JourneyUser, browser: Browser): Promise<void> {
  const callback = new URL(await beginAtProvider(user, browser, 'op'))
  const thief = user.browse()
  const login = await thief.visit(callback.href)
  expectEqual('a callback in another browser', login.status, 302)
  await user.expectSignedOut(thief, 'a callback in another browser')
  callback.searchParams.set('state', createGarbage(user.surroundings.random))
  await browser.visit(callback.href)
  await user.expectSignedOut(browser, 'a callback with a forged state')
  await browser.visit('/callback/op?error=access_denied&state=garbage')
  await browser.visit('/callback/email?token=garbage&email=garbage')
  await browser.visit('/callback/unknown')
}

async function sendForgedForms(user: JourneyUser): Promise<void> {
  const browser = user.browse()
  await expectStatus('no CSRF token', browser.post('/signin/op', {}), 403)
  const forged = browser.post('/signin/op', { csrfToken: createGarbage(user.surroundings.random) })
  await expectStatus('a forged CSRF token', forged, 403)
  const foreign = { headers: { origin: 'https://evil.example' } }
  await expectStatus('another origin', browser.submit('/signin/op', {}, foreign), 403)
  const long = browser.submit('/signin/credentials', { name: 'a'.repeat(70_000) })
  await expectStatus('a long body', long, 413)
  const text = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'garbage' }
  await expectStatus('another media type', browser.visit('/signin/op', text), 415)
  const broken = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"csrfToken":',
  }
  await expectStatus('broken JSON', browser.visit('/session', broken), 400)
}

async function sendStrangeRequests(user: JourneyUser): Promise<void> {
  const browser = user.browse()
  await expectStatus('an unknown path', browser.visit('/unknown'), 404)
  await expectStatus('another method', browser.visit('/csrf', { method: 'DELETE' }), 405)
  await expectStatus('HEAD', browser.visit('/session', { method: 'HEAD' }), 200)
  await expectStatus('another error', browser.visit('/error?error=garbage'), 400)
  const german = { headers: { 'accept-language': 'de' } }
  await expectStatus('German', browser.visit('/signin', german), 200)
  const many = Array.from({ length: 200 }, (_, i) => `c${i}=${i}`).join('; ')
  const request = new Request(`${BASE}/session`, { headers: { cookie: many } })
  await expectStatus('200 cookies', user.send(request), 200)
}

function createGarbage(random: { readonly next: () => number }): string {
  return Array.from({ length: 6 }, () => random.next().toString(36).slice(2)).join('')
}
