import type { Begun, Context, Service } from '../kernel/context.ts'
import { AuthError } from '../lib/errors.ts'
import { endBegun } from './end-begun.ts'
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
  const endedAt = await storeEnd(service, userId)
  if (ctx) ctx.ownEnd = endedAt
}

/**
 * Checks that the sign-ins of a user were not ended since a flow began.
 *
 * @returns What {@link checkInProgress} compares when the session has begun; undefined for a new user
 *
 * @throws AuthError `SessionRequired`
 */
export async function checkBegan(
  ctx: Context,
  { startedAt = Infinity }: Pick<FlowTarget, 'startedAt'>,
  { kind, signIn }: Pick<ResolvedUser, 'kind' | 'signIn'>,
): Promise<number | undefined> {
  if (kind === 'new') return undefined
  const endedAt = await readEnd(ctx, signIn.user.id)
  if (endedAt === ctx.ownEnd || startedAt >= Math.floor(endedAt / 1000)) return endedAt
  throw ended()
}

/**
 * Checks that the sign-ins of a user were not ended while a session began: that has ended only the sessions which it found.
 *
 * @throws AuthError `SessionRequired`, and what has begun has ended
 */
export async function checkInProgress(
  ctx: Context,
  before: number | undefined,
  begun: Begun,
): Promise<void> {
  if (before === undefined) return
  const endedAt = await readEnd(ctx, begun.userId)
  if (endedAt === before || endedAt === ctx.ownEnd) return
  await endBegun(ctx, begun)
  throw ended()
}

/**
 * Stores the present, and returns it in microseconds: a different time each time, so that a sign-in notices it within a
 * millisecond too. A storage has times in seconds, and may take them for the present: what is less than a second is a time in the
 * past, under a key of that second.
 */
async function storeEnd({ revocations, runtime }: Service, userId: string): Promise<number> {
  const present = runtime.now()
  const now = Math.floor(present / 1000)
  const expires = now + LONGEST
  const subject = toSubject(userId, now)
  const previous = await revocations.getRevokedAt(subject, now)
  const [high = 0, low = 0] = runtime.random(2)
  const micros = Math.floor(present % 1000) * 1000 + (((high << 8) | low) % 1000)
  const part = Math.max(now - SECOND + micros, (previous ?? 0) + 1)
  await revocations.revoke(subject, part, expires)
  await revocations.revoke(toSubject(userId), now, expires)
  return toMicros(now, part)
}

/** Returns when the sign-ins of a user were ended last, in microseconds since 1970; 0 if they were not. */
async function readEnd({ service, now }: Context, userId: string): Promise<number> {
  const { revocations } = service
  const second = await revocations.getRevokedAt(toSubject(userId), now)
  if (second === undefined) return 0
  const part = await revocations.getRevokedAt(toSubject(userId, second), now)
  return toMicros(second, part ?? second)
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
