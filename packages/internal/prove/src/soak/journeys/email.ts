import { expectEqual, expectError, expectRedirect, expectStatus } from '../journey.ts'
import type { JourneyUser } from '../journey.ts'
import { endSessionsLink, mailedCode } from '../mailbox.ts'
import { requestLink, signInByEmail, signOut } from './steps.ts'

/** Signs in by links and codes, in several browsers, with links and codes that are wrong, used or expired. */
export async function* useEmail(user: JourneyUser): AsyncGenerator<number, void> {
  const browser = user.browse()
  await signInByEmail(user, browser)
  await signOut(user, browser)
  await signInByCode(user)
  await signInElsewhere(user)
  const expired = await requestLink(user, browser)
  yield 900
  const fields = Object.fromEntries(new URL(expired).searchParams)
  await expectStatus('a link after its flow', browser.visit(expired), 200)
  await expectError('a late button', browser.submit('/callback/email', fields), 'Verification')
  await user.expectSignedOut(browser, 'an expired link')
  await useUpCodes(user)
  yield 900
  await exceedLimit(user)
  await endAllSessions(user)
}

async function signInByCode(user: JourneyUser): Promise<void> {
  const browser = user.browse()
  const form = { email: user.email }
  await expectRedirect('an email is sent', browser.submit('/signin/email', form))
  await expectStatus('the page for a code', browser.visit('/verify-request'), 200)
  const code = user.surroundings.mailbox.take(user.email, mailedCode)
  await browser.submit('/callback/email', { code: toWrongCode(code) })
  await user.expectSignedOut(browser, 'a wrong code')
  await expectRedirect('a code', browser.submit('/callback/email', { code }))
  await user.expectSignedIn(browser, 'a code')
}

async function signInElsewhere(user: JourneyUser): Promise<void> {
  const link = await requestLink(user, user.browse())
  const browser = user.browse()
  const shown = await expectStatus('a link in another browser', browser.visit(link), 200)
  expectEqual('a button', (await shown.text()).includes('csrfToken'), true)
  await user.expectSignedOut(browser, 'a link that was only opened')
  const fields = Object.fromEntries(new URL(link).searchParams)
  await expectRedirect('the button', browser.submit('/callback/email', fields))
  await user.expectSignedIn(browser, 'a link in another browser')
  await signOut(user, browser)
}

/** After five wrong codes the right one does not work. */
async function useUpCodes(user: JourneyUser): Promise<void> {
  const browser = user.browse()
  await browser.submit('/signin/email', { email: user.email })
  const code = user.surroundings.mailbox.take(user.email, mailedCode)
  for (let i = 0; i < 5; i++) await browser.submit('/callback/email', { code: toWrongCode(code) })
  await browser.submit('/callback/email', { code })
  await user.expectSignedOut(browser, 'a code after five wrong ones')
}

async function exceedLimit(user: JourneyUser): Promise<void> {
  const send = (): Promise<Response> => user.browse().submit('/signin/email', { email: user.email })
  for (let i = 0; i < 5; i++) await expectRedirect('an email is sent', send())
  await expectStatus('the sixth email', send(), 429)
}

/** Uses the link of the email about a new browser. */
async function endAllSessions(user: JourneyUser): Promise<void> {
  const { mailbox } = user.surroundings
  const known = user.browse()
  const link = mailbox.take(user.email, /https:\S+\/callback\/\S+/)
  const fields = Object.fromEntries(new URL(link).searchParams)
  await expectRedirect('the button', known.submit('/callback/email', fields))
  await user.expectSignedIn(known, 'a sign-in by email')
  await user.surroundings.settle()
  const end = new URL(mailbox.take(user.email, endSessionsLink))
  const elsewhere = user.browse()
  await expectStatus('the page that ends all sessions', elsewhere.visit(end.href), 200)
  const token = end.searchParams.get('token') ?? ''
  const post = (): Promise<Response> => elsewhere.submit('/end-sessions', { token })
  await expectStatus('a link that ends all sessions', post(), 200)
  await user.expectSignedOut(known, 'a link that ends all sessions')
  await expectStatus('a link that was used', post(), 403)
}

function toWrongCode(code: string): string {
  return code.startsWith('1') ? `2${code.slice(1)}` : `1${code.slice(1)}`
}
