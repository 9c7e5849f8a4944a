import assert from 'node:assert/strict'
import type { Browser } from '@latchkey/core/testing'
import { toCallbackUrl } from './subjects/identity-provider.ts'
import type { Person } from './subjects/identity-provider.ts'
import type { Capabilities, RequestOptions, SessionUser, Subject } from './subject.ts'

/** What most attacks expect of a subject: a user who signs in at an identity provider. */
type WithOAuth = Subject & Pick<Capabilities, 'oauth'>

/** A signed-in browser. */
export interface SignedIn {
  readonly browser: Browser
  readonly user: SessionUser
  /** The last response of the sign-in. */
  readonly response: Response
}

/** Signs a person in at the first provider and returns the response of the callback. */
export async function visitProvider(
  { oauth }: Pick<WithOAuth, 'oauth'>,
  browser: Browser,
  { email, emailVerified = true }: Partial<Person> & Pick<Person, 'email'>,
  options?: RequestOptions,
): Promise<Response> {
  const subject = email.replaceAll(/\W/g, '-')
  oauth.people.set(subject, { email, emailVerified })
  return browser.visit(toCallbackUrl(await oauth.begin(browser, 'forge', options), subject).href)
}

/**
 * Signs a person in at the first provider.
 *
 * @throws AssertionError if there is no session then
 */
export async function signInAtProvider(
  subject: WithOAuth,
  email: string,
  options?: RequestOptions,
): Promise<SignedIn> {
  const browser = subject.browse()
  const response = await visitProvider(subject, browser, { email }, options)
  return { browser, response, user: await expectUser(subject, browser) }
}

/**
 * Signs a user in by a link in an email.
 *
 * @throws AssertionError if there is no session then
 */
export async function signInByEmail(
  subject: Subject & Pick<Capabilities, 'email'>,
  address: string,
): Promise<SignedIn> {
  const browser = subject.browse()
  await subject.email.request(browser, address)
  const response = await subject.email.open(browser, subject.email.mails.getLink(address))
  return { browser, response, user: await expectUser(subject, browser) }
}

/**
 * Registers a user with a password, and signs in with it.
 *
 * @throws AssertionError if there is no session then
 */
export async function signInWithPassword(
  subject: Subject & Pick<Capabilities, 'passwords'>,
  address: string,
): Promise<SignedIn> {
  const browser = subject.browse()
  await subject.passwords.register(address, password)
  const response = await subject.passwords.signIn(browser, address, password)
  return { browser, response, user: await expectUser(subject, browser) }
}

/** A password that every library accepts. */
export const password = 'four words that differ'

/** @throws AssertionError if the browser has no session */
export async function expectUser(subject: Subject, browser: Browser): Promise<SessionUser> {
  const user = await subject.getUser(browser)
  assert.ok(user, 'the request without the fault must sign in')
  return user
}
