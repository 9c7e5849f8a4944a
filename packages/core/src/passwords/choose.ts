import type { Context } from '../context.ts'
import { parseEmailAddress } from '../email/email-address.ts'
import { AuthError } from '../errors.ts'
import { recallName } from '../limits/known-names.ts'
import type { CallbackInput } from '../ports/provider.ts'
import type { Identity } from '../ports/records.ts'
import { createUuid } from '../sign-in/resolve-user.ts'
import { requireStorage } from '../storage/guard-storage.ts'
import { readAddress } from './ask-link.ts'
import { endLinks } from './end-links.ts'
import { createPasswordFactor, PASSWORD } from './password-factor.ts'
import { replacePassword } from './replace-password.ts'
import type { PasswordSettings } from './settings.ts'

/**
 * Proves a mailbox by the token of a link, and stores the password that was chosen: of a new user in the step that begins
 * the session, of another one immediately (I-55.2 to I-55.5).
 *
 * @throws AuthError `Verification` if the link was used or has expired; `OAuthAccountNotLinked` if the user of the email address
 *   signs in by other ways; `Unavailable`, and the link stays valid, if too many hashes wait
 */
export async function finishChoice(
  ctx: Context,
  { provider, work }: PasswordSettings,
  callback: CallbackInput,
): Promise<Identity> {
  const { service, now } = ctx
  const { params, tokens, purpose } = callback
  const address = parseEmailAddress(params.get('email') ?? '')
  if (address === undefined || purpose !== 'signIn') throw usedError()
  const hash = await work.hash(params.get('password') ?? '', { isKnown: false }, async () => {
    if (!(await tokens.use('signIn', address, params.get('token') ?? ''))) throw usedError()
  })
  await endLinks(ctx, address)
  const storage = requireStorage(service.storage, `providers.${provider.id}`, ['factors'])
  const { kind, user } = await readAddress(storage, address)
  const { remember } = await recallName(callback, provider.id, address)
  const proven = {
    profile: { email: address, emailVerified: true },
    emailProven: true,
    tokens: {},
    claims: {},
    authentication: { authenticatedAt: now, methods: ['pwd'] },
    remember: remember(),
  } as const
  if (!user) {
    const id = createUuid(service.runtime.random)
    const newFactor = createPasswordFactor(id, hash, now)
    return { ...proven, subject: id, newFactor, provenBy: { type: PASSWORD, id, changedAt: now } }
  }
  if (kind === 'elsewhere') {
    throw new AuthError('OAuthAccountNotLinked', 'a mailbox adds no password to other ways')
  }
  // If this fails, the user asks for another link. What begins meanwhile ends here, or by I-55.13.
  const { provenBy } = await replacePassword(ctx, storage, user.id, { hash })
  return { ...proven, subject: user.id, provenBy }
}

function usedError(): AuthError {
  return new AuthError('Verification', 'the token is unknown, used or expired')
}
