import type { Browser } from '@latchkey/core/testing/browser'
import { expectRedirect, expectStatus } from '../journey.ts'
import type { JourneyUser } from '../journey.ts'
import { callbackLink } from '../mailbox.ts'
import { BREACHED } from '../network.ts'
import { signOut } from './steps.ts'

const FIRST = 'four words that differ'
const SECOND = 'another four good words'
const THIRD = 'words that nothing else has'

/** Registers with a password, signs in, forgets and changes it. */
export async function* usePasswords(user: JourneyUser): AsyncGenerator<number, void> {
  const browser = user.browse()
  await expectStatus('the form', browser.visit('/signin/passwords?action=register'), 200)
  const link = await requestLink(user, browser, 'register')
  await expectStatus('the form for a password', browser.visit(link), 200)
  await expectStatus('a short password', choose(browser, link, 'too short'), 400)
  await expectStatus('a breached password', choose(browser, link, BREACHED), 400)
  await expectRedirect('a password', choose(browser, link, FIRST))
  await user.expectSignedIn(browser, 'a registration')
  await signOut(user, browser)
  await expectStatus('a wrong password', signIn(user, browser, 'not the right one at all'), 401)
  await expectRedirect('a sign-in by password', signIn(user, browser, FIRST))
  yield 900
  const elsewhere = user.browse()
  const reset = await requestLink(user, elsewhere, 'forgot')
  await expectRedirect('a reset', choose(elsewhere, reset, SECOND))
  await choose(elsewhere, reset, THIRD)
  await user.expectSignedOut(browser, 'a reset elsewhere')
  await user.expectSignedIn(elsewhere, 'a reset')
  await expectStatus('the password before a reset', signIn(user, browser, FIRST), 401)
  const form = { action: 'change', password: THIRD }
  await expectStatus('the form', elsewhere.visit('/signin/passwords?action=change'), 200)
  await expectRedirect('a change', elsewhere.submit('/signin/passwords', form))
  await expectRedirect('a changed password', signIn(user, browser, THIRD))
  await user.expectSignedIn(browser, 'a changed password')
  const unknown = { email: `new.${user.email}`, password: FIRST }
  await expectStatus('an unknown user', browser.submit('/signin/passwords', unknown), 401)
}

async function requestLink(
  { email, surroundings }: JourneyUser,
  browser: Browser,
  action: 'register' | 'forgot',
): Promise<string> {
  await expectRedirect('an email', browser.submit('/signin/passwords', { action, email }))
  await surroundings.settle()
  return surroundings.mailbox.take(email, callbackLink)
}

function choose(browser: Browser, link: string, password: string): Promise<Response> {
  const query = Object.fromEntries(new URL(link).searchParams)
  return browser.submit('/callback/passwords', { ...query, password })
}

function signIn({ email }: JourneyUser, browser: Browser, password: string): Promise<Response> {
  return browser.submit('/signin/passwords', { email, password })
}
