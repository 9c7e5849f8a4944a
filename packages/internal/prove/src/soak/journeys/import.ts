import { hkdfSync } from 'node:crypto'
import { EncryptJWT } from 'jose'
import type { JourneyUser } from '../journey.ts'
import { PREVIOUS_SECRET } from '../service.ts'
import { signOut } from './steps.ts'

const COOKIE = '__Secure-next-auth.session-token'

/** Brings a session of next-auth v4, ends it, and tries its cookie again, and cookies that are forged and expired. */
export async function* importSession(user: JourneyUser): AsyncGenerator<number, void> {
  const now = user.surroundings.now()
  await createPreviousUser(user)
  const cookie = await encode(user, PREVIOUS_SECRET, now)
  const browser = user.browse()
  browser.cookies.set(COOKIE, cookie)
  await user.expectSignedIn(browser, 'an imported session')
  await user.expectSignedIn(browser, 'an imported session, again')
  await signOut(user, browser)
  const thief = user.browse()
  thief.cookies.set(COOKIE, cookie)
  await user.expectSignedOut(thief, 'a copy of the cookie of a session that has ended')
  thief.cookies.set(COOKIE, await encode(user, 'another secret that no service has', now))
  await user.expectSignedOut(thief, 'a forged cookie')
  const later = user.browse()
  later.cookies.set(COOKIE, await encode(user, PREVIOUS_SECRET, now + 1))
  await user.expectSignedIn(later, 'another session')
  yield 180
  const late = user.browse()
  late.cookies.set(COOKIE, cookie)
  await user.expectSignedOut(late, 'an expired cookie')
}

/** The previous service has stored the user under this id. */
async function createPreviousUser({ surroundings, name, email }: JourneyUser): Promise<void> {
  const { storage } = surroundings.service
  await storage?.createUser({ id: name, name, email, emailVerified: false, image: null }, undefined)
}

/** Creates a session cookie as next-auth v4 does. */
function encode({ name, email }: JourneyUser, secret: string, now: number): Promise<string> {
  const key = hkdfSync('sha256', secret, '', 'NextAuth.js Generated Encryption Key', 32)
  return new EncryptJWT({ sub: name, name, email })
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .setIssuedAt(now)
    .setExpirationTime(now + 120)
    .setJti(crypto.randomUUID())
    .encrypt(new Uint8Array(key))
}
