import { expectRedirect } from '../journey.ts'
import type { JourneyUser } from '../journey.ts'
import { beginAtProvider, postCredentials, signInAtProvider } from './steps.ts'

/**
 * Creates a journey that returns while the session lasts, and after it: with a callback that is late, and a session that
 * has expired.
 *
 * @param maxAge Seconds without use after which a session ends
 */
export function createExpiry(maxAge: number): (user: JourneyUser) => AsyncGenerator<number, void> {
  return async function* expire(user) {
    const [browser, other] = [user.browse(), user.browse()]
    await signInAtProvider(user, browser)
    const callback = await beginAtProvider(user, other, 'op')
    yield Math.ceil(maxAge * 0.6)
    await user.expectSignedIn(browser, 'a session that is renewed')
    await other.visit(callback)
    await user.expectSignedOut(other, 'a late callback')
    await expectRedirect('credentials', postCredentials(user, other))
    await user.expectSignedIn(other, 'credentials')
    yield Math.ceil(maxAge * 0.6)
    await user.expectSignedIn(browser, 'a session that was renewed')
    yield maxAge + 1
    await user.expectSignedOut(browser, 'an expired session')
    await user.expectSignedOut(other, 'another expired session')
  }
}
