import { expectError, expectRedirect, expectStatus } from '../journey.ts'
import type { JourneyUser } from '../journey.ts'
import { postCredentials, signOut } from './steps.ts'

/** Signs in by a name and a password, guesses until the limit, and confirms. */
export async function* useCredentials(user: JourneyUser): AsyncGenerator<number, void> {
  const browser = user.browse()
  await expectRedirect('credentials', postCredentials(user, browser))
  await user.expectSignedIn(browser, 'credentials')
  await expectStatus('the page that confirms', browser.visit('/signin?confirm=true'), 200)
  const confirmation = postCredentials(user, browser, { confirm: 'true', callbackUrl: '/keys' })
  await expectRedirect('a confirmation', confirmation)
  await user.expectSignedIn(browser, 'a confirmation')
  const wrong = { password: 'a wrong one' }
  await expectError(
    'a confirmation by a wrong password',
    postCredentials(user, browser, { ...wrong, confirm: 'true' }),
    'CredentialsSignin',
  )
  await user.expectSignedIn(browser, 'a confirmation that was refused')
  await signOut(user, browser)
  yield 900
  const thief = user.browse()
  for (let i = 0; i < 10; i++) {
    await expectStatus('a wrong password', postCredentials(user, thief, wrong), 401)
  }
  await expectStatus('too many passwords', postCredentials(user, thief), 429)
  // A browser that has signed in before has its own count.
  await expectRedirect('credentials in a known browser', postCredentials(user, browser))
  await user.expectSignedIn(browser, 'credentials in a known browser')
  await expectError(
    'a confirmation without a session',
    postCredentials(user, thief, { confirm: 'true' }),
    'SessionRequired',
  )
}
