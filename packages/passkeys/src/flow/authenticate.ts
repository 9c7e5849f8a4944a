import type { Context, GuardedStorage } from '@latchkey/core/capability'
import { AuthError, readText } from '@latchkey/core/capability/options'
import type { PasskeyAuthentication } from '../passkey-work.ts'
import type { AuthenticationMethod, Factor, FactorChanges, ProvenBy } from '@latchkey/core'
import { changeFactor } from '@latchkey/core/capability/factors'
import { requireStorage } from '@latchkey/core/capability'
import type { FoundPasskeyFlow } from './flow.ts'
import { PASSKEY, readPasskey, toFactorId } from './passkey-factor.ts'
import type { StoredPasskey } from './passkey-factor.ts'
import { getRpId, listOrigins } from './settings.ts'
import type { PasskeySettings } from './settings.ts'

/** A posted assertion. */
export interface Assertion {
  /** The JSON of `PublicKeyCredential.toJSON()`. */
  readonly credential: string
  readonly found: Pick<FoundPasskeyFlow, 'challenge'>
  /** The user who must have the passkey; undefined at a sign-in, where the passkey says who it is. */
  readonly userId: string | undefined
  /** Whether another factor is proven too, so that a verified user counts from now on (WebAuthn §7.2 step 24). */
  readonly isWithOther: boolean
  /** Whether the other proof came when the user had another second factor already (I-52.7). */
  readonly isBesideOther?: boolean
  /** Is called if no user has the passkey. */
  readonly onUnknown: (credentialId: string) => void
}

/** What a passkey has proven. */
export interface PasskeyProof {
  readonly factor: Factor
  readonly provenBy: ProvenBy
  /** With `mfa` if the passkey counts as two factors, unless the user has another second factor (I-52.7). */
  readonly methods: readonly AuthenticationMethod[]
}

/**
 * Verifies an assertion, and stores that the passkey was used.
 *
 * @throws AuthError `Default` (400) if it is malformed; `CredentialsSignin` if it is refused; `Unavailable`
 */
export async function authenticate(
  ctx: Context,
  settings: PasskeySettings,
  assertion: Assertion,
): Promise<PasskeyProof> {
  const { provider, work } = settings
  const storage = requireStorage(ctx.service.storage, `providers.${provider.id}`, ['factors'])
  const response = parseCredential(assertion.credential)
  const credentialId = await callWork(async () => work.getCredentialId(response))
  const passkey = await findPasskey(storage, credentialId)
  if (!passkey) {
    assertion.onUnknown(credentialId)
    throw refused('no user has the passkey')
  }
  const { factor, credential, userHandle } = passkey
  const isUserKnown = assertion.userId !== undefined
  if (isUserKnown && assertion.userId !== factor.userId)
    throw refused('another user has the passkey')
  const rpId = getRpId(ctx, settings)
  if (passkey.rpId !== rpId) throw refused('the passkey was made for another RP ID')
  const { challenge } = assertion.found
  const { userVerification } = settings
  const expected = { challenge, origins: listOrigins(ctx, settings), rpId, userVerification }
  const proven = await callWork(() =>
    work.verifyAuthentication(response, { ...expected, credential, userHandle, isUserKnown }),
  )
  await noteUse(ctx, settings, storage, { passkey, proven, assertion })
  const key = credential.backupEligible ? 'swk' : 'hwk'
  const isBoth = passkey.isVerified && proven.userVerified
  const methods = isBoth ? ([key, 'user', 'mfa'] as const) : ([key, 'user'] as const)
  return { factor, methods, provenBy: toProvenBy(passkey, proven) }
}

/** @throws AuthError `Default` (400) */
export function parseCredential(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new AuthError('Default', 'the field credential is not JSON', { cause })
  }
}

/** Calls the verification: its errors say whether the response is malformed or refused. */
export async function callWork<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (cause) {
    const problem = readText(cause, 'problem')
    const message = `the passkey is ${problem}: ${readText(cause, 'message')}`
    if (problem === 'malformed') throw new AuthError('Default', message, { cause })
    if (problem === 'refused') throw new AuthError('CredentialsSignin', message, { cause })
    throw new AuthError('Unavailable', 'a passkey cannot be verified', { cause })
  }
}

function refused(problem: string): AuthError {
  return new AuthError('CredentialsSignin', `the passkey is refused: ${problem}`)
}

function toProvenBy(
  { factor: { type, id, changedAt }, besideOtherAt = 0 }: StoredPasskey,
  { userVerified }: PasskeyAuthentication,
): ProvenBy {
  return { type, id, changedAt, ...(userVerified && { besideOtherAt }) }
}

async function findPasskey(
  storage: GuardedStorage,
  credentialId: string,
): Promise<StoredPasskey | undefined> {
  const found = await storage.getFactorAndUser(PASSKEY, await toFactorId(credentialId))
  return found && readPasskey(found.factor)
}

/** A passkey that was used. */
interface UsedPasskey {
  readonly passkey: StoredPasskey
  readonly proven: PasskeyAuthentication
  readonly assertion: Assertion
}

/**
 * Stores the counter and the backup state (WebAuthn §7.2 step 24). If the passkey is used at the same time, the counter is compared
 * with that of the other use.
 */
async function noteUse(
  ctx: Context,
  settings: PasskeySettings,
  storage: GuardedStorage,
  { passkey, proven, assertion }: UsedPasskey,
): Promise<void> {
  const { now } = ctx
  const { factor } = passkey
  const toChanges = (latest: Factor): FactorChanges => {
    const { factor: _, ...kept } = readPasskey(latest)
    checkCounter(ctx, settings, kept.credential.counter, proven.counter)
    const counter = Math.max(kept.credential.counter, proven.counter)
    const credential = { ...kept.credential, counter, backupState: proven.backupState }
    const isVerified = kept.isVerified || (assertion.isWithOther && proven.userVerified)
    const isBesideOther = assertion.isBesideOther === true && proven.userVerified
    const data = { ...kept, credential, isVerified, ...(isBesideOther && { besideOtherAt: now }) }
    return { data: JSON.stringify(data), lastUsedAt: now }
  }
  if (await changeFactor(storage, factor, toChanges)) return
  throw refused('it was removed meanwhile')
}

/** Notes that a second factor of another type was proven after a passkey, which counts as two from then on (I-52.7). */
export async function noteSecond(
  { now, service }: Context,
  { type, id, changedAt, besideOtherAt }: ProvenBy,
  userId: string,
): Promise<void> {
  if (besideOtherAt === undefined) return
  const storage = requireStorage(service.storage, 'providers.passkey', ['factors'])
  await changeFactor(storage, { userId, type, id }, (latest) => {
    if (latest.changedAt !== changedAt) return undefined
    const { factor: _, ...kept } = readPasskey(latest)
    return { data: JSON.stringify({ ...kept, isVerified: true, besideOtherAt: now }) }
  })
}

/** A counter that does not grow is a sign, and not a proof, of a copy (WebAuthn §7.2 step 22). */
function checkCounter(
  { service: { log } }: Context,
  { provider, refusesCounterBehind }: PasskeySettings,
  stored: number,
  counter: number,
): void {
  if (stored === 0 || counter > stored) return
  log.warn('the counter of a passkey went back', { provider: provider.id })
  if (refusesCounterBehind) throw refused('its counter went back')
}
