import type { Context } from '../context.ts'
import { getMailbox } from '../email/email-address.ts'
import { AuthError } from '../errors.ts'
import { recallName } from '../limits/known-names.ts'
import type { BeginInput, BeginResult, CallbackInput } from '../ports/provider.ts'
import type { Factor, Identity } from '../ports/records.ts'
import { isSameEmail } from '../sign-in/proven-email.ts'
import { requireStorage } from '../storage/guard-storage.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import { findPasswordFactor, isOwnPassword } from './password-factor.ts'
import { sendLink } from './send-link.ts'
import type { PasswordSettings } from './settings.ts'

/**
 * Asks an imported user, whose password was right, to prove the mailbox (I-55.10). The link works only in the browser in
 * which the password was typed: otherwise the owner of the mailbox would prove it for an attacker who has registered it elsewhere.
 */
export async function proveMailbox(
  settings: PasswordSettings,
  input: BeginInput,
  { userId, changedAt }: Factor,
  address: string,
): Promise<BeginResult> {
  if (input.purpose !== 'signIn') {
    throw new AuthError('AccessDenied', 'the mailbox of the password is not proven')
  }
  await input.limitSending(getMailbox(address))
  const flow = { userId, changedAt: String(changedAt) }
  return sendLink(settings, input, { kind: 'prove', address, ways: [], flow })
}

/** Signs in a user who has proven the mailbox by the link, in the browser that asked for it. */
export async function finishProof(
  { service, now }: Context,
  { provider }: PasswordSettings,
  callback: CallbackInput,
): Promise<Identity> {
  const { params, flow, tokens, purpose } = callback
  const { userId, address, changedAt } = flow
  if (userId === undefined || address === undefined || purpose !== 'signIn') {
    throw new AuthError('Verification', 'the link belongs to another browser')
  }
  if (!(await tokens.use('signIn', address, params.get('token') ?? ''))) {
    throw new AuthError('Verification', 'the token is unknown, used or expired')
  }
  const storage = requireStorage(service.storage, `providers.${provider.id}`, ['factors'])
  const provenBy = await verifyMailbox(storage, { userId, address, changedAt })
  const { remember } = await recallName(callback, provider.id, address)
  return {
    subject: userId,
    profile: { email: address },
    tokens: {},
    claims: {},
    authentication: { authenticatedAt: now, methods: ['pwd', 'email'] },
    remember: remember(),
    provenBy,
  }
}

/** What the flow keeps of a password that was right. */
interface Typed {
  readonly userId: string
  readonly address: string
  readonly changedAt: string | undefined
}

/** Marks the email address as verified, unless it or the password has changed since the password was typed. */
async function verifyMailbox(
  storage: GuardedStorage,
  { userId, address, changedAt }: Typed,
): Promise<NonNullable<Identity['provenBy']>> {
  const factor = await findPasswordFactor(storage, userId)
  const user = await storage.getUser(userId)
  const isSame = factor && String(factor.changedAt) === changedAt
  if (!isSame || !isSameEmail(user?.email ?? null, address)) {
    throw new AuthError('Verification', 'the password or the email address has changed meanwhile')
  }
  if (await storage.updateUser(userId, { email: address, emailVerified: true })) {
    return makeOwn(storage, factor)
  }
  throw new AuthError(
    'OAuthAccountNotLinked',
    'another user has proven the email address meanwhile',
  )
}

/** Gives a password the user's id, now that its mailbox is proven. */
async function makeOwn(
  storage: GuardedStorage,
  factor: Factor,
): Promise<NonNullable<Identity['provenBy']>> {
  const { type, id, userId, changedAt, version: _, ...rest } = factor
  if (!isOwnPassword(factor)) {
    await storage.createFactor(userId, { ...rest, type, id: userId, changedAt })
    await storage.deleteFactor(userId, type, id)
  }
  return { type, id: userId, changedAt }
}
