import type { Context, GuardedStorage } from '@latchkey/core/capability'
import { getMailbox, AuthError } from '@latchkey/core/capability/options'
import type { BeginInput, BeginResult, CallbackInput, Factor, Identity } from '@latchkey/core'
import { isSameEmail } from '@latchkey/core/capability/sign-in'
import { requireStorage } from '@latchkey/core/capability'
import { readLinkToken } from './link-token.ts'
import { findPasswordFactor, isOwnPassword, PASSWORD } from './password-factor.ts'
import { toKnown } from './recall-browser.ts'
import { sendLink } from './send-link.ts'
import type { PasswordSettings } from './settings.ts'

/**
 * Asks an imported user, whose password was right, to prove the mailbox (I-55.10). The link works only in the browser in
 * which the password was typed: otherwise the owner of the mailbox would prove it for an attacker who has registered it elsewhere.
 */
export async function proveMailbox(
  settings: PasswordSettings,
  input: BeginInput,
  { userId, id: factorId, changedAt }: Factor,
  address: string,
): Promise<BeginResult> {
  if (input.purpose !== 'signIn') {
    throw new AuthError('AccessDenied', 'the mailbox of the password is not proven')
  }
  await input.limitSending(getMailbox(address))
  const flow = { userId, factorId, changedAt: String(changedAt) }
  return sendLink(settings, input, { kind: 'prove', address, ways: [], flow })
}

/** Signs in a user who has opened the link, in the browser that asked for it: {@link storeProof} follows. */
export async function finishProof({ now }: Context, callback: CallbackInput): Promise<Identity> {
  const { params, flow, tokens, purpose } = callback
  const { userId, address, factorId, changedAt } = flow
  const isComplete = userId !== undefined && address !== undefined && factorId !== undefined
  if (!isComplete || purpose !== 'signIn') {
    throw new AuthError('Verification', 'the link belongs to another browser')
  }
  const token = await readLinkToken(tokens, address, params.get('token'))
  if (token === undefined || !(await tokens.use('signIn', address, token))) {
    throw new AuthError('Verification', 'the token is unknown, used or expired')
  }
  return {
    subject: userId,
    profile: { email: address },
    tokens: {},
    claims: {},
    authentication: { authenticatedAt: now, methods: ['pwd', 'email'] },
    provenBy: { type: PASSWORD, id: factorId, changedAt: Number(changedAt) },
    pending: { address },
  }
}

/**
 * Marks the email address as verified, unless it or the password has changed since the password was typed.
 *
 * @throws AuthError `Verification`; `OAuthAccountNotLinked` if another user has proven the email address
 */
export async function storeProof(
  ctx: Context,
  settings: PasswordSettings,
  { pending, ...identity }: Identity,
): Promise<Identity> {
  const { address = '' } = { ...pending }
  const { subject: userId, provenBy } = identity
  const storage = requireStorage(ctx.service.storage, `providers.${settings.provider.id}`, [
    'factors',
  ])
  const factor = await findPasswordFactor(storage, userId)
  const user = await storage.getUser(userId)
  const isSame = factor && factor.changedAt === provenBy?.changedAt
  if (!isSame || !isSameEmail(user?.email ?? null, address)) {
    throw new AuthError('Verification', 'the password or the email address has changed meanwhile')
  }
  if (!(await storage.updateUser(userId, { email: address, emailVerified: true }))) {
    throw new AuthError(
      'OAuthAccountNotLinked',
      'another user has proven the email address meanwhile',
    )
  }
  const own = await makeOwn(storage, factor)
  const remember = await toKnown(ctx, settings, address, own.changedAt)
  return { ...identity, provenBy: own, remember }
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
