import type { Browser } from '@latchkey/testing/browser'
import { TOTP, URI } from 'otpauth'
import { createDevice } from '../../../../passkeys/test/support/device.ts'
import type { CeremonyOptions } from '../../../../passkeys/test/support/device.ts'
import { MAX_AGE, ORIGIN } from './service.ts'
import { expectEqual, expectRedirect, expectStatus } from './user.ts'
import type { Fields, User } from './user.ts'

/** What a user does, and what is refused. It yields the seconds that must pass before it continues. */
export type Journey = (user: User) => AsyncGenerator<number, void>

const json = { headers: { accept: 'application/json' } }

/** Every journey. */
export const journeys: Readonly<Record<string, Journey>> = {
  async *provider(user) {
    const [browser, thief] = [user.browse(), user.browse()]
    const callback = await user.beginAtProvider(browser)
    await thief.visit(callback)
    await user.expectSignedOut(thief, 'the callback in another browser')
    const forged = new URL(callback)
    forged.searchParams.set('state', 'forged')
    await browser.visit(forged.href)
    await user.expectSignedOut(browser, 'a forged state')
    yield 120
    await expectRedirect('a callback', browser.visit(callback))
    await user.expectSignedIn(browser, 'a callback')
    await user.signOut(browser)
    await browser.visit(callback)
    await user.expectSignedOut(browser, 'a repeated callback')
    const late = await user.beginAtProvider(browser)
    yield MAX_AGE
    await browser.visit(late)
    await user.expectSignedOut(browser, 'a late callback')
  },

  async *session(user) {
    const [browser, other] = [user.browse(), user.browse()]
    await user.signInAtProvider(browser)
    await user.signInAtProvider(other)
    await refuseForms(user, browser)
    // Longer than a secret stays, but never unused.
    for (let times = 0; times < 6; times++) {
      yield MAX_AGE * 0.6
      await user.expectSignedIn(browser, 'the session that is used')
    }
    await user.expectSignedOut(other, 'the session that is not used')
    const [name = '', value = ''] =
      [...browser.cookies].find(([key]) => key.endsWith('latchkey.session')) ?? []
    const forged = user.browse()
    forged.cookies.set(name, (value.startsWith('A') ? 'B' : 'A') + value.slice(1))
    await user.expectSignedOut(forged, 'a forged session')
    await user.signOut(browser)
    browser.cookies.set(name, value)
    await user.expectSignedOut(browser, 'the cookie of a session that ended')
  },

  async *email(user) {
    const [browser, other] = [user.browse(), user.browse()]
    await user.signInByEmail(browser)
    await user.signOut(browser)
    const code = await user.requestMail(browser, '/signin/email', {}, /^\d{8}$/m)
    const wrong = `${code.startsWith('1') ? 2 : 1}${code.slice(1)}`
    await browser.submit('/callback/email', { code: wrong })
    await user.expectSignedOut(browser, 'a wrong code')
    await expectRedirect('a code', browser.submit('/callback/email', { code }))
    await user.expectSignedIn(browser, 'a code')
    await user.signOut(browser)
    const link = await user.requestMail(browser, '/signin/email')
    await other.visit(link)
    await user.expectSignedOut(other, 'a link that was only opened')
    yield 120
    const fields = Object.fromEntries(new URL(link).searchParams)
    await expectRedirect('the button', other.submit('/callback/email', fields))
    await user.expectSignedIn(other, 'the button')
    await browser.visit(link)
    await user.expectSignedOut(browser, 'a used link')
  },

  async *password(user) {
    const [browser, other] = [user.browse(), user.browse()]
    const [first, second] = ['four words that differ', 'another four good words']
    const link = await user.requestMail(browser, '/signin/passwords', { action: 'register' })
    await expectStatus('a short password', choosePassword(browser, link, 'short'), 400)
    await expectRedirect('a password', choosePassword(browser, link, first))
    await user.expectSignedIn(browser, 'a registration')
    await expectStatus('a wrong password', signInByPassword(user, other, second), 401)
    await expectRedirect('a sign-in', signInByPassword(user, other, first))
    await user.expectSignedIn(other, 'a sign-in by password')
    const reset = await user.requestMail(other, '/signin/passwords', { action: 'forgot' })
    yield 120
    await expectRedirect('a reset', choosePassword(other, reset, second))
    await user.expectSignedOut(browser, 'a reset elsewhere')
    await choosePassword(browser, reset, first)
    await user.expectSignedOut(browser, 'a used link')
    await expectStatus('the previous password', signInByPassword(user, browser, first), 401)
    await expectRedirect('the new password', signInByPassword(user, browser, second))
    await user.expectSignedIn(browser, 'the new password')
  },

  async *passkey(user) {
    const [browser, device] = [user.browse(), await createDevice(ORIGIN)]
    await user.signInByEmail(browser)
    const creation = await askPasskey(browser, { link: 'true' })
    await expectStatus('a new passkey', postPasskey(browser, await device.create(creation)), 200)
    await user.signOut(browser)
    const answer = await device.get(await askPasskey(browser))
    await expectStatus('a passkey', postPasskey(browser, answer), 200)
    await user.expectSignedIn(browser, 'a passkey')
    await user.signOut(browser)
    await postPasskey(browser, answer)
    const clientData = { origin: 'https://evil.example' }
    const foreign = await device.get(await askPasskey(browser), { clientData })
    await expectStatus('another origin', postPasskey(browser, foreign), 401)
    const forged = await device.get(await askPasskey(browser), {
      toSignature: (signature) => signature.map((byte, i) => (i === 20 ? byte ^ 1 : byte)),
    })
    await expectStatus('a forged signature', postPasskey(browser, forged), 401)
    const late = await device.get(await askPasskey(browser))
    yield MAX_AGE
    await postPasskey(browser, late)
    await user.expectSignedOut(browser, 'refused answers')
  },

  async *secondFactor(user) {
    const [browser, other] = [user.browse(), user.browse()]
    await user.signInAtProvider(browser)
    const { app, recovery } = await enrolApp(user, browser)
    const generate = (): string => app.generate({ timestamp: user.surroundings.now() * 1000 })
    await user.signOut(browser)
    // Meanwhile the secret is replaced, and the key of the app sealed again.
    yield MAX_AGE * 4
    await user.signInAtProvider(browser)
    await user.expectSignedOut(browser, 'an unfinished sign-in')
    yield 60
    const code = generate()
    await expectRedirect('a code', browser.submit('/signin/totp', { code }))
    await user.expectSignedIn(browser, 'a code')
    await user.signInAtProvider(other)
    await expectStatus('a used code', other.submit('/signin/totp', { code }), 401)
    await user.expectSignedOut(other, 'a used code')
    await expectRedirect('a recovery code', other.submit('/signin/recovery', { code: recovery }))
    await user.expectSignedIn(other, 'a recovery code')
    await user.signOut(other)
    await user.signInAtProvider(other)
    const repeated = other.submit('/signin/recovery', { code: recovery })
    await expectStatus('a used recovery code', repeated, 401)
  },

  async *account(user) {
    const [browser, other] = [user.browse(), user.browse()]
    await user.signInByEmail(browser)
    await user.signInByEmail(other)
    await user.signInAtProvider(browser, { link: 'true' })
    const others = { action: 'endOtherSessions' }
    await expectStatus('other sessions end', browser.submit('/account', others), 303)
    await user.expectSignedOut(other, 'a session that another browser ended')
    yield 900
    const deletion = { action: 'deleteAccount', sure: 'true' }
    const refused = await browser.submit('/account', deletion)
    await user.expectSignedIn(browser, `a deletion without a recent proof: ${refused.status}`)
    await user.signInByEmail(browser)
    await expectStatus('a deletion', browser.submit('/account', deletion), 200)
    await user.expectSignedOut(browser, 'a deletion')
  },
}

async function refuseForms(user: User, browser: Browser): Promise<void> {
  await expectStatus('no CSRF token', browser.post('/signout', {}), 403)
  await expectStatus('a forged token', browser.post('/signout', { csrfToken: 'forged' }), 403)
  const foreign = { headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' } }
  await expectStatus('another origin', browser.submit('/signout', {}, foreign), 403)
  await user.expectSignedIn(browser, 'refused sign-outs')
}

function choosePassword(browser: Browser, link: string, password: string): Promise<Response> {
  const query = Object.fromEntries(new URL(link).searchParams)
  return browser.submit('/callback/passwords', { ...query, password })
}

function signInByPassword({ email }: User, browser: Browser, password: string): Promise<Response> {
  return browser.submit('/signin/passwords', { email, password })
}

async function askPasskey(browser: Browser, fields: Fields = {}): Promise<CeremonyOptions> {
  const asked = browser.submit('/signin/passkey', fields, json)
  const response = await expectStatus('the options of a passkey', asked, 200)
  const { publicKey } = (await response.json()) as { readonly publicKey: CeremonyOptions }
  return publicKey
}

function postPasskey(browser: Browser, answer: object): Promise<Response> {
  return browser.submit('/callback/passkey', { credential: JSON.stringify(answer) }, json)
}

async function enrolApp(
  user: User,
  browser: Browser,
): Promise<{ readonly app: TOTP; readonly recovery: string }> {
  await expectRedirect('an enrolment', browser.submit('/signin/totp', { link: 'true' }))
  const page = await (await browser.visit('/signin?second=true')).text()
  const [, url = ''] = /href="(otpauth:[^"]+)"/.exec(page) ?? []
  const app = URI.parse(url.replaceAll('&amp;', '&'))
  if (!(app instanceof TOTP)) throw new Error('expected a key for TOTP')
  const code = app.generate({ timestamp: user.surroundings.now() * 1000 })
  const done = await expectStatus('a first code', browser.submit('/signin/totp', { code }), 200)
  const [, recovery = ''] = /<code>([^<]+)<\/code>/.exec(await done.text()) ?? []
  expectEqual('a recovery code', recovery !== '', true)
  return { app, recovery }
}
