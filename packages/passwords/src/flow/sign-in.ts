import type { Context, GuardedStorage } from '@latchkey/core/capability'
import { parseEmailAddress, AuthError } from '@latchkey/core/capability/options'
import { foldName, takeBack as takeBackCount } from '@latchkey/core/capability/sign-in'
import { getCauses, requireStorage, spendLimit } from '@latchkey/core/capability'
import type { PasswordCaller } from '../password-work.ts'
import type { BeginInput, BeginResult } from '@latchkey/core'
import { toChangeTime } from '@latchkey/core/capability/factors'
import { toCaller } from './caller.ts'
import { createPause } from './random-pause.ts'
import { findPassword, getLastChange, isOwnPassword, toPasswordData } from './password-factor.ts'
import type { FoundPassword } from './password-factor.ts'
import { proveMailbox } from './prove-mailbox.ts'
import { recallBrowser } from './recall-browser.ts'
import type { PasswordSettings } from './settings.ts'

/** Seconds without an attempt after which a name that was refused can sign in again. */
const DAY = 86_400
/** Failed attempts under one name, from browsers that do not know it (I-55.11). */
const failures = { name: 'passwordFailures', limit: { times: 100, window: 30 * DAY } }

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
  const storage = requireStorage(ctx.service.storage, `providers.${id}`, ['factors'])
  const { browserId, remember, ...recalled } = await recallBrowser(storage, input, id, address)
  const isKnown = browserId !== undefined
  const takeBack = await input.limitAttempt(foldName(address), browserId)
  const pause = createPause(ctx.service.runtime)
  const found = recalled.found ?? (await findPassword(storage, address))
  const refund = isKnown ? doNothing : await limitFailures(ctx, id, address, found)
  if (!refund) {
    await pause()
    throw tooManyFailures()
  }
  // A browser that knows the name is the user's: no other client can use up the user's turn.
  const caller = toCaller(ctx, isKnown, isKnown ? (found?.user.id ?? address) : undefined)
  const isRight = await compare(settings, input, { ...typed, found, caller }, async () => {
    await takeBack()
    await refund()
  })
  if (!found || !isRight) {
    await pause()
    throw noMatch('the password or the email address does not match')
  }
  // The password was right, whether or not a second factor follows.
  await takeBackCount(ctx, refund)
  const used = { ...found, password: typed.password, caller }
  await noteUse(ctx, settings, storage, used)
  if (!isOwnPassword(found.factor)) {
    await takeBack()
    return proveMailbox(settings, input, found.factor, address)
  }
  const { type, id: factorId, changedAt } = found.factor
  const provenBy = { type, id: factorId, changedAt }
  const authentication = { authenticatedAt: ctx.now, methods: ['pwd'] } as const
  const identity = { subject: found.user.id, profile: { email: address }, tokens: {}, claims: {} }
  return {
    identity: { ...identity, provenBy, authentication, remember: remember(changedAt) },
    takeBack,
  }
}

/** An attempt to sign in. */
interface Attempt extends Typed {
  readonly found: FoundPassword | undefined
  readonly caller: PasswordCaller
}

/** Compares a password. If that fails, nothing was guessed, and the attempt does not count. */
async function compare(
  settings: PasswordSettings,
  input: BeginInput,
  { address, password, found, caller }: Attempt,
  takeBack: () => Promise<void>,
): Promise<boolean> {
  try {
    const hash = found?.hash ?? (await getDecoy(settings, input, address))
    return await settings.work.verify(password, hash, caller)
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
 * Counts an attempt from a browser that does not know the name, also of a name that no user has: both are counted in the same way, so
 * that no sign-in elsewhere begins another count. A new password does.
 *
 * @returns A function that takes the attempt back; undefined after a hundred failures, until a day without an attempt has passed
 */
async function limitFailures(
  ctx: Context,
  id: string,
  address: string,
  found: FoundPassword | undefined,
): Promise<(() => Promise<void>) | undefined> {
  const { service, now } = ctx
  const subject = `passwordFailures ${id} ${found?.factor.changedAt ?? 0} ${foldName(address)}`
  const { revocations: refusals } = service
  const refusedAt = await refusals.getRevokedAt(subject, now)
  const isRefused = refusedAt !== undefined && now - refusedAt < DAY
  // A refusal that has ended names the count that follows it.
  const refund = isRefused ? undefined : await countFailure(ctx, `${subject} ${refusedAt ?? 0}`)
  if (!refund) await refusals.revoke(subject, now, now + failures.limit.window)
  return refund
}

function tooManyFailures(): AuthError {
  const problem = `${failures.limit.times} passwords did not match, the last one within a day`
  return new AuthError('RateLimited', problem, { retryAfter: DAY })
}

async function doNothing(): Promise<void> {}

/** Returns a function that takes the attempt back; undefined if there were a hundred before. */
async function countFailure(ctx: Context, key: string): Promise<(() => Promise<void>) | undefined> {
  try {
    return await spendLimit(ctx, failures, key)
  } catch (thrown) {
    if (thrown instanceof AuthError && thrown.code === 'RateLimited') return undefined
    throw thrown
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
  readonly caller: PasswordCaller
}

/** Stores that a password was used, and its new hash if the old one is outdated. */
async function noteUse(
  ctx: Context,
  { work, provider }: PasswordSettings,
  storage: GuardedStorage,
  { factor, hash, password, caller }: UsedPassword,
): Promise<void> {
  const { type, id, version } = factor
  const used = { lastUsedAt: toChangeTime(ctx.now, getLastChange(factor)) }
  const data = work.needsRehash(hash) ? await rehash(ctx, work, password, caller) : undefined
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
  caller: PasswordCaller,
): Promise<string | undefined> {
  try {
    return toPasswordData(await work.hash(password, caller))
  } catch (thrown) {
    log.warn('a password was not hashed again', { causes: getCauses(thrown) })
    return undefined
  }
}
