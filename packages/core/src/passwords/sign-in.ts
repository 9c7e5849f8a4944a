import type { Context } from '../context.ts'
import { parseEmailAddress } from '../email/email-address.ts'
import { AuthError } from '../errors.ts'
import { foldName } from '../limits/fold-name.ts'
import { recallName } from '../limits/known-names.ts'
import { spend } from '../limits/limits.ts'
import { getCauses } from '../lib/log.ts'
import type { BeginInput, BeginResult } from '../ports/provider.ts'
import { toChangeTime } from '../lib/change-time.ts'
import { requireStorage } from '../storage/guard-storage.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import { createPause } from './random-pause.ts'
import { findPassword, getLastChange, isOwnPassword, toPasswordData } from './password-factor.ts'
import type { FoundPassword } from './password-factor.ts'
import { proveMailbox } from './prove-mailbox.ts'
import type { PasswordSettings } from './settings.ts'

/** Failed attempts under one name without a success, from browsers that do not know it (I-55.11). */
const failures = { times: 100, window: 400 * 86_400 }
/** Seconds: when the next attempt is worth it. */
const DAY = 86_400

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
  const pause = createPause(ctx.service.runtime)
  const storage = requireStorage(ctx.service.storage, `providers.${id}`, ['factors'])
  const found = await findPassword(storage, address)
  const refund = isKnown ? undefined : await limitFailures(ctx, id, address, found)
  const isRight = await compare(settings, input, { ...typed, found, isKnown }, async () => {
    await takeBack()
    await refund?.()
  })
  if (!found || !isRight) {
    await pause()
    throw noMatch('the password or the email address does not match')
  }
  const used = { ...found, password: typed.password, isKnown }
  await noteUse(ctx, settings, storage, used)
  if (!isOwnPassword(found.factor)) {
    await takeBack()
    return proveMailbox(settings, input, found.factor, address)
  }
  const { type, id: factorId, changedAt } = found.factor
  const provenBy = { type, id: factorId, changedAt }
  const authentication = { authenticatedAt: ctx.now, methods: ['pwd'] } as const
  const identity = { subject: found.user.id, profile: { email: address }, tokens: {}, claims: {} }
  return { identity: { ...identity, provenBy, authentication, remember: remember() }, takeBack }
}

/** An attempt to sign in. */
interface Attempt extends Typed {
  readonly found: FoundPassword | undefined
  /** Whether the user has signed in with the browser before. */
  readonly isKnown: boolean
}

/** Compares a password. If that fails, nothing was guessed, and the attempt does not count. */
async function compare(
  settings: PasswordSettings,
  input: BeginInput,
  { address, password, found, isKnown }: Attempt,
  takeBack: () => Promise<void>,
): Promise<boolean> {
  try {
    const hash = found?.hash ?? (await getDecoy(settings, input, address))
    return await settings.work.verify(password, hash, { isKnown })
  } catch (thrown) {
    await takeBack()
    throw thrown
  }
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
 * @returns A function that takes the attempt back
 *
 * @throws AuthError `RateLimited`: a sign-in elsewhere or a new password ends it, and not a time
 */
async function limitFailures(
  ctx: Context,
  id: string,
  address: string,
  found: FoundPassword | undefined,
): Promise<() => Promise<void>> {
  const since = found ? getLastChange(found.factor) : 0
  const key = `${id} ${since} ${foldName(address)}`
  try {
    return await spend(ctx, failures, ['passwordFailures', key])
  } catch (thrown) {
    const isReached = thrown instanceof AuthError && thrown.code === 'RateLimited'
    throw isReached ? new AuthError('RateLimited', thrown.message, { retryAfter: DAY }) : thrown
  }
}

/** Returns a hash of the same format each time, so that no name differs from another (I-55.9). */
async function getDecoy(
  { work }: PasswordSettings,
  { tokens }: BeginInput,
  address: string,
): Promise<string> {
  return work.getDecoy(await tokens.sign(`decoy ${address}`))
}

/** A password that was right. */
interface UsedPassword extends FoundPassword {
  readonly password: string
  /** Whether the user has signed in with the browser before. */
  readonly isKnown: boolean
}

/** Stores that a password was used, and its new hash if the old one is outdated. */
async function noteUse(
  ctx: Context,
  { work, provider }: PasswordSettings,
  storage: GuardedStorage,
  { factor, hash, password, isKnown }: UsedPassword,
): Promise<void> {
  const { type, id, version } = factor
  const used = { lastUsedAt: toChangeTime(ctx.now, getLastChange(factor)) }
  const data = work.needsRehash(hash) ? await rehash(ctx, work, password, isKnown) : undefined
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
  isKnown: boolean,
): Promise<string | undefined> {
  try {
    return toPasswordData(await work.hash(password, { isKnown }))
  } catch (thrown) {
    log.warn('a password was not hashed again', { causes: getCauses(thrown) })
    return undefined
  }
}
