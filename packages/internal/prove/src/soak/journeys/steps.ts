/** Steps that several journeys take. */
import type { Browser } from '@latchkey/core/testing/browser'
import { expectRedirect } from '../journey.ts'
import type { JourneyUser } from '../journey.ts'
import { callbackLink } from '../mailbox.ts'
import { RIGHT } from '../service.ts'

type Fields = Readonly<Record<string, string>>

/** Begins a sign-in at an identity provider, and returns the URL of its callback. */
export async function beginAtProvider(
  { surroundings, person }: JourneyUser,
  browser: Browser,
  provider: 'op' | 'github',
  fields: Fields = {},
): Promise<string> {
  const begun = browser.submit(`/signin/${provider}`, fields)
  const request = await expectRedirect(`a sign-in at ${provider} begins`, begun)
  return surroundings.network.authorize(request.href, person)
}

/** Signs in at an identity provider. */
export async function signInAtProvider(
  user: JourneyUser,
  browser: Browser,
  provider: 'op' | 'github' = 'op',
  fields: Fields = {},
): Promise<void> {
  const callback = await beginAtProvider(user, browser, provider, fields)
  await expectRedirect(`the callback of ${provider}`, browser.visit(callback))
  await user.expectSignedIn(browser, `a sign-in at ${provider}`)
}

/** Asks for an email, and returns its link. */
export async function requestLink(
  { surroundings, email }: JourneyUser,
  browser: Browser,
  fields: Fields = {},
): Promise<string> {
  const form = { email, ...fields }
  await expectRedirect('an email is sent', browser.submit('/signin/email', form))
  return surroundings.mailbox.take(form.email, callbackLink)
}

/** Signs in by the link of an email. */
export async function signInByEmail(user: JourneyUser, browser: Browser): Promise<void> {
  const link = await requestLink(user, browser)
  await expectRedirect('the link of an email', browser.visit(link))
  await user.expectSignedIn(browser, 'a sign-in by email')
}

/** Posts a name and a password. */
export function postCredentials(
  { name }: JourneyUser,
  browser: Browser,
  fields: Fields = {},
): Promise<Response> {
  return browser.submit('/signin/credentials', { name, password: RIGHT, ...fields })
}

/** Signs out. */
export async function signOut(user: JourneyUser, browser: Browser): Promise<void> {
  await expectRedirect('a sign-out', browser.submit('/signout'))
  await user.expectSignedOut(browser, 'a sign-out')
}
