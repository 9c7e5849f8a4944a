import type { Context, KnownEnd, Service } from '../kernel/context.ts'
import { AuthError } from '../lib/errors.ts'
import type { FlowTarget } from '../kernel/flow.ts'
import type { ResolvedUser } from '../kernel/resolved-user.ts'

/** Seconds for which a sign-in can be in progress, at most: the link of an email, and the steps after it. */
const LONGEST = 2 * 86_400
/** Microseconds of a second. */
const SECOND = 1_000_000

/**
 * Ends the sign-ins of a user that are in progress.
 *
 * @param ctx The request that ends them, whose own sign-in continues. Default: a call of the server
 */
export async function endSignIns(service: Service, userId: string, ctx?: Context): Promise<void> {
  // Before the previous end is read: what another request stores from now on is later, and stays.
  const present = toPresent(service)
  const previous = await readEnd(service, userId)
  const endedAt = Math.max(present, previous + 1)
  await storeEnd(service, userId, endedAt)
  if (!ctx) return
  const known = findKnown(ctx, userId)
  // Another request may have ended them meanwhile.
  ctx.knownEnd = { userId, at: known && !(previous <= known.at) ? NaN : endedAt }
}

/**
 * Checks that the sign-ins of a user who is stored were not ended since a flow began.
 *
 * @throws AuthError `SessionRequired`
 */
export async function checkBegan(
  ctx: Context,
  { startedAt = Infinity }: Pick<FlowTarget, 'startedAt'>,
  { kind, signIn }: Pick<ResolvedUser, 'kind' | 'signIn'>,
): Promise<void> {
  if (kind === 'new') return
  const { id: userId } = signIn.user
  const at = await readEnd(ctx.service, userId)
  const known = findKnown(ctx, userId)
  if (known ? !(at <= known.at) : startedAt < Math.floor(at / 1000)) throw ended()
  ctx.knownEnd = { userId, at }
}

/**
 * Checks that the sign-ins of a user were not ended while a session began: that has ended only the sessions which it found.
 *
 * @throws AuthError `SessionRequired`
 */
export async function checkInProgress(ctx: Context, userId: string): Promise<void> {
  const known = findKnown(ctx, userId)
  if (known && !((await readEnd(ctx.service, userId)) <= known.at)) throw ended()
}

function findKnown({ knownEnd }: Context, userId: string): KnownEnd | undefined {
  return knownEnd?.userId === userId ? knownEnd : undefined
}

/** Returns the present in microseconds: a different time each time, with room for later ones in the same millisecond. */
function toPresent({ runtime }: Service): number {
  const [high = 0, low = 0] = runtime.random(2)
  return Math.floor(runtime.now()) * 1000 + (((high << 8) | low) % 900)
}

/**
 * Stores an end in microseconds. A storage has times in seconds, and may take them for the present: what is less than a second is a
 * time in the past, under a key of that second.
 */
async function storeEnd({ revocations }: Service, userId: string, endedAt: number): Promise<void> {
  const second = Math.floor(endedAt / SECOND)
  const expires = second + LONGEST
  await revocations.revoke(toSubject(userId, second), toPart(second, endedAt), expires)
  await revocations.revoke(toSubject(userId), second, expires)
}

/** Returns when the sign-ins of a user were ended last, in microseconds since 1970; 0 if they were not. */
async function readEnd({ revocations, runtime }: Service, userId: string): Promise<number> {
  const now = Math.floor(runtime.now() / 1000)
  const second = await revocations.getRevokedAt(toSubject(userId), now)
  if (second === undefined) return 0
  const part = await revocations.getRevokedAt(toSubject(userId, second), now)
  return toMicros(second, part ?? second)
}

function toPart(second: number, endedAt: number): number {
  return second - SECOND + (endedAt % SECOND)
}

function toMicros(second: number, part: number): number {
  return second * SECOND + part - second + SECOND
}

function toSubject(userId: string, second?: number): string {
  return `sign-in ${JSON.stringify([userId, second])}`
}

function ended(): AuthError {
  return new AuthError('SessionRequired', 'the sessions of the user were ended meanwhile')
}
