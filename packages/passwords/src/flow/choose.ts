import type { Context } from '@latchkey/core/capability'
import { parseEmailAddress, AuthError } from '@latchkey/core/capability/options'
import type { CallbackInput, Identity } from '@latchkey/core'
import { createUuid } from '@latchkey/core/capability/sign-in'
import { requireStorage } from '@latchkey/core/capability'
import { readAddress } from './ask-link.ts'
import { toCaller } from './caller.ts'
import { endLinks } from './end-links.ts'
import { readLinkToken } from './link-token.ts'
import { createPasswordFactor, PASSWORD } from './password-factor.ts'
import { toKnown } from './recall-browser.ts'
import { replacePassword } from './replace-password.ts'
import type { PasswordSettings } from './settings.ts'

/**
 * Proves a mailbox by the token of a link, for a password that was chosen: of a new user it is stored in the step that begins
 * the session, of another one by {@link storeChoice} (I-55.2 to I-55.5).
 *
 * @throws AuthError `Verification` if the link was used or has expired; `OAuthAccountNotLinked` if the user of the email address
 *   signs in by other ways; `Unavailable`, and the link stays valid, if too many hashes wait
 */
export async function finishChoice(
  ctx: Context,
  settings: PasswordSettings,
  callback: CallbackInput,
): Promise<Identity> {
  const { service, now } = ctx
  const { provider, work } = settings
  const { params, tokens, purpose } = callback
  const address = parseEmailAddress(params.get('email') ?? '')
  if (address === undefined || purpose !== 'signIn') throw usedError()
  const token = await readLinkToken(tokens, address, params.get('token'))
  if (token === undefined) throw usedError()
  const hash = await work.hash(params.get('password') ?? '', toCaller(ctx, false), async () => {
    if (!(await tokens.use('signIn', address, token))) throw usedError()
  })
  const storage = requireStorage(service.storage, `providers.${provider.id}`, ['factors'])
  const { kind, user } = await readAddress(service, storage, address)
  if (kind === 'elsewhere') {
    throw new AuthError('OAuthAccountNotLinked', 'a mailbox adds no password to other ways')
  }
  const proven = {
    profile: { email: address, emailVerified: true },
    emailProven: true,
    tokens: {},
    claims: {},
    authentication: { authenticatedAt: now, methods: ['pwd'] },
  } as const
  if (user) return { ...proven, subject: user.id, pending: { address, hash } }
  await endLinks(ctx, address)
  const name = settings.asksName ? (params.get('name') ?? '').trim() : ''
  const id = createUuid(service.runtime.random)
  const newFactor = createPasswordFactor(id, hash, now)
  const provenBy = { type: PASSWORD, id, changedAt: now }
  const remember = await toKnown(ctx, settings, address, now)
  return {
    ...proven,
    profile: { ...proven.profile, name },
    subject: id,
    newFactor,
    provenBy,
    remember,
  }
}

/**
 * Stores the password that a user has chosen by a link, once each factor is proven.
 *
 * @throws AuthError `SessionRequired` if another user has the email address meanwhile, or it is no longer enough
 */
export async function storeChoice(
  ctx: Context,
  settings: PasswordSettings,
  { pending, ...identity }: Identity,
): Promise<Identity> {
  const { address = '', hash = '' } = { ...pending }
  const option = `providers.${settings.provider.id}`
  const storage = requireStorage(ctx.service.storage, option, ['factors'])
  const { kind, user } = await readAddress(ctx.service, storage, address)
  if (user?.id !== identity.subject || kind !== 'reset') {
    throw new AuthError('SessionRequired', 'the user of the email address has changed meanwhile')
  }
  await endLinks(ctx, address)
  // If this fails, the user asks for another link. What begins meanwhile ends here, or by I-55.13.
  const { provenBy, tell } = await replacePassword(ctx, storage, user.id, { hash })
  await tell()
  const remember = await toKnown(ctx, settings, address, provenBy.changedAt)
  return { ...identity, provenBy, remember }
}

function usedError(): AuthError {
  return new AuthError('Verification', 'the token is unknown, used or expired')
}
