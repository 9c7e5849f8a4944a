import type { Context } from '../context.ts'
import { getMailbox } from '../email/email-address.ts'
import { AuthError } from '../errors.ts'
import { recallName } from '../limits/known-names.ts'
import type { BeginInput, BeginResult, CallbackInput } from '../ports/provider.ts'
import type { Identity } from '../ports/records.ts'
import { requireStorage } from '../storage/guard-storage.ts'
import { findPasswordFactor } from './password-factor.ts'
import { sendLink } from './send-link.ts'
import type { PasswordSettings } from './settings.ts'

/**
 * Asks an imported user, whose password was right, to prove the mailbox (I-55.10). The link works only in the browser in
 * which the password was typed: otherwise the owner of the mailbox would prove it for an attacker who has registered it elsewhere.
 */
export async function proveMailbox(
  settings: PasswordSettings,
  input: BeginInput,
  userId: string,
  address: string,
): Promise<BeginResult> {
  await input.limitSending(getMailbox(address))
  return sendLink(settings, input, { kind: 'prove', address, ways: [], flow: { userId } })
}

/** Signs in a user who has proven the mailbox by the link, in the browser that asked for it. */
export async function finishProof(
  { service, now }: Context,
  { provider }: PasswordSettings,
  callback: CallbackInput,
): Promise<Identity> {
  const { params, flow, tokens } = callback
  const { userId, address } = flow
  if (userId === undefined || address === undefined) {
    throw new AuthError('Verification', 'the link belongs to another browser')
  }
  if (!(await tokens.use('signIn', address, params.get('token') ?? ''))) {
    throw new AuthError('Verification', 'the token is unknown, used or expired')
  }
  const storage = requireStorage(service.storage, `providers.${provider.id}`, ['factors'])
  const factor = await findPasswordFactor(storage, userId)
  const user = await storage.getUser(userId)
  if (!factor || user?.email !== address) {
    throw new AuthError(
      'Verification',
      'the user has no password, or another email address, meanwhile',
    )
  }
  if (!(await storage.updateUser(userId, { emailVerified: true }))) {
    throw new AuthError(
      'OAuthAccountNotLinked',
      'another user has proven the email address meanwhile',
    )
  }
  const { type, id, changedAt } = factor
  const { remember } = await recallName(callback, provider.id, address)
  return {
    subject: userId,
    profile: { email: address },
    tokens: {},
    claims: {},
    authentication: { authenticatedAt: now, methods: ['pwd', 'email'] },
    remember: remember(),
    provenBy: { type, id, changedAt },
  }
}
