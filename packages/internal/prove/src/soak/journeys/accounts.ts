import type { Browser } from '@latchkey/core/testing/browser'
import { expectEqual, expectError, expectRedirect, expectStatus } from '../journey.ts'
import type { JourneyUser } from '../journey.ts'
import { callbackLink } from '../mailbox.ts'
import { requestLink, signInAtProvider } from './steps.ts'

interface AccountJson {
  readonly accounts: readonly { readonly provider: string; readonly providerAccountId: string }[]
  readonly sessions: readonly { readonly id: string; readonly isCurrent: boolean }[]
}

/** Signs in at GitHub, adds and removes accounts, changes the email address, and deletes the account. */
export async function* manageAccount(user: JourneyUser): AsyncGenerator<number, void> {
  const [browser, other] = [user.browse(), user.browse()]
  await signInAtProvider(user, browser, 'github')
  await signInAtProvider(user, other, 'github')
  await expectStatus('the account page', browser.visit('/account'), 200)
  await saved(browser, { action: 'changeName', name: user.name })
  await linkProvider(user, browser)
  await unlink(browser, 'op', user.name, 303)
  await unlink(browser, 'github', 'another user', 404)
  await unlink(browser, 'github', user.name, 409)
  await endOtherSessions(user, browser, other)
  await changeEmail(user, browser)
  yield 900
  const late = browser.submit('/account', { action: 'deleteAccount', sure: 'true' })
  await expectError('a deletion without a recent confirmation', late, 'ConfirmationRequired')
  await user.expectSignedIn(browser, 'a deletion that must be confirmed')
  await signInAtProvider(user, browser, 'github', { confirm: 'true' })
  const deletion = browser.submit('/account', { action: 'deleteAccount', sure: 'true' })
  await expectStatus('a deletion', deletion, 200)
  await user.expectSignedOut(browser, 'a deletion')
}

async function saved(browser: Browser, fields: Readonly<Record<string, string>>): Promise<void> {
  await expectStatus(fields['action'] ?? '', browser.submit('/account', fields), 303)
}

async function unlink(
  browser: Browser,
  provider: string,
  id: string,
  status: number,
): Promise<void> {
  const response = browser.submit('/account', { action: 'unlink', provider, id })
  await expectStatus(`the account of ${provider} is removed`, response, status)
}

async function linkProvider(user: JourneyUser, browser: Browser): Promise<void> {
  await signInAtProvider(user, browser, 'op', { link: 'true' })
  const { accounts } = await readAccount(browser)
  expectEqual('the number of accounts', accounts.length, 2)
}

async function endOtherSessions(user: JourneyUser, own: Browser, other: Browser): Promise<void> {
  const { sessions } = await readAccount(own)
  const found = sessions.find(({ isCurrent }) => !isCurrent)
  await expectStatus(
    'an unknown session',
    own.submit('/account', { action: 'endSession', id: 'garbage' }),
    404,
  )
  await saved(own, { action: 'endSession', id: found?.id ?? '' })
  await user.expectSignedOut(other, 'a session that another browser ended')
  await saved(own, { action: 'endOtherSessions' })
}

async function changeEmail(user: JourneyUser, browser: Browser): Promise<void> {
  const email = `new.${user.email}`
  const fields = { email, changeEmail: 'true' }
  await expectRedirect('an email is sent', browser.submit('/signin/email', fields))
  const link = user.surroundings.mailbox.take(email, callbackLink)
  await expectRedirect('the link of a new email address', browser.visit(link))
  const form = Object.fromEntries(new URL(link).searchParams)
  await expectError('a used link', browser.submit('/callback/email', form), 'Verification')
  expectEqual('the new email address', (await user.read(browser)).user?.email, email)
  await requestLink(user, user.browse(), { email })
}

async function readAccount(browser: Browser): Promise<AccountJson> {
  const response = browser.visit('/account', { headers: { accept: 'application/json' } })
  return (await (await expectStatus('the account', response, 200)).json()) as AccountJson
}
