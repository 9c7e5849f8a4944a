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
}

/** Ends all sessions of a user, and what could become one. */
export async function revokeAllSessions(
  service: Service,
  userId: string,
  { except, ctx, reason = 'recovery' }: Revocation,
): Promise<void> {
  const { storage, runtime, imports, outbox } = service
  const kept = requireStorage(storage, 'auth.sessions', ['sessions', 'sessionLists'])
  await endAll(service, userId, reason)
  // Before the sessions end: a sign-in that reads it as it was before stores its session before too.
  await endSignIns(service, userId, ctx)
  await imports.revokeUser(userId, Math.floor(runtime.now() / 1000), except)
  const event = { userId, ...(except !== undefined && { except }) }
  await kept.deleteSessions(userId, except, outbox?.toRows('revokeSession', event, ctx))
  // What a session has allowed in between ends with it.
  await endAll(service, userId, reason)
  outbox?.deliverSoon(ctx)
  await callListener(service, 'revokeSession', event)
}
