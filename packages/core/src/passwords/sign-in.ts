import type { Context } from '../context.ts'
import { parseEmailAddress } from '../email/email-address.ts'
import { AuthError } from '../errors.ts'
import { foldName } from '../limits/fold-name.ts'
import { recallName } from '../limits/known-names.ts'
import { spend } from '../limits/limits.ts'
import { getCauses } from '../lib/log.ts'
import type { BeginInput, BeginResult } from '../ports/provider.ts'
import { toChangeTime } from '../second-factor/factors.ts'
import { requireStorage } from '../storage/guard-storage.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import { findPassword, getLastChange, toPasswordData } from './password-factor.ts'
import type { FoundPassword } from './password-factor.ts'
import { proveMailbox } from './prove-mailbox.ts'
import type { PasswordSettings } from './settings.ts'

/** Failed attempts under one name without a success, from browsers that do not know it (I-55.11). */
const failures = { times: 100, window: 400 * 86_400 }

/** A name and a password as they were typed. */
interface Typed {
  readonly address: string
  readonly password: string
}

/** Signs in by an email address and its password (I-55.1). */
export async function signIn(
  ctx: Context,
  settings: PasswordSettings,
  input: BeginInput,
): Promise<BeginResult> {
  const { id } = settings.provider
  if (input.purpose !== 'signIn' && input.purpose !== 'confirm') {
    throw new AuthError('Default', `${id} cannot be linked: its form is action=change`)
  }
  const typed = readTyped(input.fields)
  const { address } = typed
  const { browserId, remember } = await recallName(input, id, address)
  const isKnown = browserId !== undefined
  const takeBack = await input.limitAttempt(foldName(address), browserId)
  const storage = requireStorage(ctx.service.storage, `providers.${id}`, ['factors'])
  const found = await findPassword(storage, address)
  if (!isKnown) await limitFailures(ctx, id, address, found)
  const hash = found?.hash ?? (await getDecoy(settings, input, address))
  const isRight = await settings.work.verify(typed.password, hash, { isKnown })
  if (!found || !isRight) throw noMatch('the password or the email address does not match')
  await noteUse(ctx, settings, storage, { ...found, password: typed.password })
  const { type, id: factorId, changedAt } = found.factor
  if (!found.user.emailVerified) {
    await takeBack()
    return proveMailbox(settings, input, found.user.id, address)
  }
  const authentication = { authenticatedAt: ctx.now, methods: ['pwd'] } as const
  const profile = { email: address }
  const provenBy = { type, id: factorId, changedAt }
  const proven = { subject: found.user.id, profile, tokens: {}, claims: {}, provenBy }
  return { identity: { ...proven, authentication, remember: remember() }, takeBack }
}

function noMatch(problem: string): AuthError {
  return new AuthError('CredentialsSignin', problem)
}

/** @throws AuthError `CredentialsSignin` */
function readTyped(fields: BeginInput['fields']): Typed {
  const address = parseEmailAddress((fields.get('email') ?? '').trim())
  const password = fields.get('password') ?? ''
  if (address === undefined) throw noMatch('the field email is not an email address')
  if (password === '') throw noMatch('the field password is empty')
  return { address, password }
}

/**
 * Counts an attempt from a browser that does not know the name, also of a name that no user has. A success, and a new
 * password, begin another count.
 *
 * @throws AuthError `RateLimited`
 */
async function limitFailures(
  ctx: Context,
  id: string,
  address: string,
  found: FoundPassword | undefined,
): Promise<void> {
  const since = found ? getLastChange(found.factor) : 0
  await spend(ctx, failures, ['passwordFailures', `${id} ${since} ${foldName(address)}`])
}

/** Returns a hash of the same format each time, so that no name differs from another (I-55.9). */
async function getDecoy(
  { work }: PasswordSettings,
  { tokens }: BeginInput,
  address: string,
): Promise<string> {
  return work.getDecoy(await tokens.sign(`decoy ${address}`))
}

/** Stores that a password was used, and its new hash if the old one is outdated. */
async function noteUse(
  ctx: Context,
  { work, provider }: PasswordSettings,
  storage: GuardedStorage,
  { factor, hash, password }: FoundPassword & { readonly password: string },
): Promise<void> {
  const { type, id, version } = factor
  const used = { lastUsedAt: toChangeTime(ctx.now, getLastChange(factor)) }
  const data = work.needsRehash(hash) ? await rehash(ctx, work, password) : undefined
  const changes = data === undefined ? used : { ...used, data }
  // Another sign-in, or a new password, has changed the factor meanwhile: that has stored a time too.
  if (await storage.updateFactor(type, id, version, changes)) return
  if ((await storage.getFactorAndUser(type, id))?.factor.changedAt === factor.changedAt) return
  throw noMatch(`the password of ${provider.id} was changed meanwhile`)
}

/** The sign-in continues with the old hash if the new one cannot be computed now. */
async function rehash(
  { service: { log } }: Context,
  work: PasswordSettings['work'],
  password: string,
): Promise<string | undefined> {
  try {
    return toPasswordData(await work.hash(password))
  } catch (thrown) {
    log.warn('a password was not hashed again', { causes: getCauses(thrown) })
    return undefined
  }
}
