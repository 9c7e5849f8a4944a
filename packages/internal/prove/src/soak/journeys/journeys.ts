import type { Journeys } from '../journey.ts'
import type { SessionKind } from '../service.ts'
import { manageAccount } from './accounts.ts'
import { useCredentials } from './credentials.ts'
import { useEmail } from './email.ts'
import { createExpiry } from './expiry.ts'
import { sendGarbage } from './garbage.ts'
import { importSession } from './import.ts'
import { useOpenId } from './openid.ts'
import { usePasskeys } from './passkeys.ts'
import { usePasswords } from './passwords.ts'
import { useSecondFactor } from './second-factor.ts'

/**
 * Returns the journeys that are possible at a service.
 *
 * @param maxAge Seconds without use after which a session ends
 */
export function listJourneys(kind: SessionKind, maxAge: number): Journeys {
  const everywhere = {
    'OpenID provider': useOpenId,
    credentials: useCredentials,
    'import of a session': importSession,
    garbage: sendGarbage,
    expiry: createExpiry(maxAge),
  }
  if (kind === 'unstored') return everywhere
  return {
    ...everywhere,
    'account pages': manageAccount,
    'links and codes': useEmail,
    passwords: usePasswords,
    passkeys: usePasskeys,
    'second factor': useSecondFactor,
  }
}
