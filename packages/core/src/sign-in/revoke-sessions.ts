import type { Context, EndReason, Service } from '../kernel/context.ts'
import { callListener } from '../kernel/emit.ts'
import { endAll } from '../kernel/points.ts'
import { requireStorage } from '../storage/guard-storage.ts'
import { endSignIns } from './ended-sign-ins.ts'

/** How {@link revokeAllSessions} ends sessions. */
interface Revocation {
  /** The id of the session that stays. Default: none */
  readonly except?: string | undefined
  /** The request that ends them; undefined if the server does. */
  readonly ctx: Context | undefined
  /** Default: `recovery` */
  readonly reason?: EndReason
  /** Whether it ends what has begun since the same request ended them: nobody is told again. Default: false */
  readonly isRepeated?: boolean
}

/**
 * Ends what can become a session of a user beside a step that gives the first second factor (I-52.11), or joins the user (I-38.14):
 * before it, so that nothing is half done if that fails, and after it what has begun in between.
 *
 * @param except The id of the session that stays
 */
export async function endOthers<T>(
  ctx: Context,
  userId: string,
  except: string,
  step: () => Promise<T>,
): Promise<T> {
  await revokeAllSessions(ctx.service, userId, { ctx, except })
  try {
    return await step()
  } finally {
    // Also if it fails: the change may be stored by then.
    await revokeAllSessions(ctx.service, userId, { ctx, except, isRepeated: true })
  }
}

/**
 * Ends what a way to sign in has begun before it was taken back: sessions that are younger than the request, and sign-ins in progress.
 *
 * @param except The id of the session that stays, if it lives
 */
export async function endBegunBy(
  ctx: Context,
  userId: string,
  except: string | undefined,
): Promise<void> {
  const { storage, sessions } = ctx.service
  if (!storage?.capabilities.includes('sessionLists')) return
  await endSignIns(ctx.service, userId, ctx)
  for (const { id, createdAt } of await storage.listSessions(userId, ctx.now)) {
    if (id !== except && createdAt >= ctx.now) await sessions.end({ id })
  }
}

/** Ends all sessions of a user, and what could become one. */
export async function revokeAllSessions(
  service: Service,
  userId: string,
  { except, ctx, reason = 'recovery', isRepeated = false }: Revocation,
): Promise<void> {
  const { storage, runtime, imports, outbox } = service
  const kept = requireStorage(storage, 'auth.sessions', ['sessions', 'sessionLists'])
  await endAll(service, userId, reason)
  // Before the sessions end: a sign-in that reads it as it was before stores its session before too.
  await endSignIns(service, userId, ctx)
  await imports.revokeUser(userId, Math.floor(runtime.now() / 1000), except)
  const event = { userId, ...(except !== undefined && { except }) }
  const rows = isRepeated ? undefined : outbox?.toRows('revokeSession', event, ctx)
  await kept.deleteSessions(userId, except, rows)
  // What a session has allowed in between ends with it.
  await endAll(service, userId, reason)
  if (isRepeated) return
  outbox?.deliverSoon(ctx)
  await callListener(service, 'revokeSession', event)
}
