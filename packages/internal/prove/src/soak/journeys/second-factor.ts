import type { Browser } from '@latchkey/core/testing/browser'
import { TOTP, URI } from 'otpauth'
import { expectEqual, expectError, expectRedirect, expectStatus } from '../journey.ts'
import type { JourneyUser } from '../journey.ts'
import { postCredentials, signOut } from './steps.ts'

interface Enrolled {
  readonly app: TOTP
  readonly codes: readonly string[]
}

/** Enrols an app, signs in with it, with a recovery code and in a browser that remembers it, and removes it. */
export async function* useSecondFactor(user: JourneyUser): AsyncGenerator<number, void> {
  const browser = user.browse()
  await expectRedirect('credentials', postCredentials(user, browser))
  await user.expectSignedIn(browser, 'credentials')
  const { app, codes } = await enrol(user, browser)
  const generate = (): string => app.generate({ timestamp: user.surroundings.now() * 1000 })
  await signOut(user, browser)
  yield 60
  await expectRedirect('a first factor', postCredentials(user, browser))
  await user.expectSignedOut(browser, 'an unfinished sign-in')
  const right = generate()
  await expectStatus('a wrong code', prove(browser, 'totp', toWrongCode(app, right)), 401)
  const remember = { remember: 'true' }
  await expectRedirect('a code', prove(browser, 'totp', right, remember))
  await user.expectSignedIn(browser, 'a code')
  await signOut(user, browser)
  await expectRedirect('a remembered browser', postCredentials(user, browser))
  await user.expectSignedIn(browser, 'a remembered browser')
  await refuseRepeatedCodes(user, right, codes)
  yield 60
  await removeApp(user, generate)
}

async function enrol(user: JourneyUser, browser: Browser): Promise<Enrolled> {
  await expectRedirect('an enrolment', browser.submit('/signin/totp', { link: 'true' }))
  const page = await (await browser.visit('/signin?second=true')).text()
  const [, url = ''] = /href="(otpauth:[^"]+)"/.exec(page) ?? []
  const app = URI.parse(url.replaceAll('&amp;', '&'))
  if (!(app instanceof TOTP)) throw new Error('expected a key for TOTP')
  const code = app.generate({ timestamp: user.surroundings.now() * 1000 })
  const done = await expectStatus('the first code', prove(browser, 'totp', code), 200)
  const found = [...(await done.text()).matchAll(/<li><code>([^<]+)<\/code>/g)]
  return { app, codes: found.map(([, text = '']) => text) }
}

async function refuseRepeatedCodes(
  user: JourneyUser,
  used: string,
  [recovery = '']: readonly string[],
): Promise<void> {
  const [first, second] = [user.browse(), user.browse()]
  await postCredentials(user, first)
  await expectStatus('a code that was used', prove(first, 'totp', used), 401)
  await expectRedirect('a recovery code', prove(first, 'recovery', recovery))
  await user.expectSignedIn(first, 'a recovery code')
  await postCredentials(user, second)
  await expectStatus('a used recovery code', prove(second, 'recovery', recovery), 401)
  await user.expectSignedOut(second, 'a used recovery code')
  const forged = user.browse()
  forged.cookies.set('__Host-latchkey.second', 'garbage')
  await expectError('a forged step', prove(forged, 'totp', used), 'SessionRequired')
}

async function removeApp(user: JourneyUser, generate: () => string): Promise<void> {
  const browser = user.browse()
  await postCredentials(user, browser)
  await expectRedirect('a code', prove(browser, 'totp', generate()))
  const response = await browser.visit('/account', { headers: { accept: 'application/json' } })
  const { factors } = (await response.json()) as {
    readonly factors: readonly { readonly type: string; readonly id: string }[]
  }
  const { type = '', id = '' } = factors.find((factor) => factor.type === 'totp') ?? {}
  const removal = browser.submit('/account', { action: 'removeFactor', type, id })
  await expectStatus('the app is removed', removal, 303)
  await signOut(user, browser)
  await expectRedirect('credentials without an app', postCredentials(user, browser))
  await user.expectSignedIn(browser, 'credentials without an app')
}

function prove(
  browser: Browser,
  method: 'totp' | 'recovery',
  code: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return browser.submit(`/signin/${method}`, { code, ...fields })
}

/** Returns a code that the app does not show. */
function toWrongCode(app: TOTP, right: string): string {
  const wrong = ['000000', '111111', '222222', '333333'].find((code) => code !== right) ?? ''
  expectEqual('the digits of a code', app.digits, wrong.length)
  return wrong
}
