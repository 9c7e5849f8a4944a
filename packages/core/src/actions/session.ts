import { callForToken } from '../kernel/decisions.ts'
import { emit } from '../kernel/emit.ts'
import type { Context, Input } from '../kernel/context.ts'
import { json, withCookies } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import { getCurrentSession } from '../session/current-session.ts'
import { recordEnded } from '../session/ended-sessions.ts'
import { toSessionView } from '../session/session-view.ts'

/** `GET /session`: returns what the client may see of the session. */
export async function getSession(ctx: Context): Promise<Reply> {
  const changes = !ctx.isHead
  const options = { renews: changes, imports: changes, mayLag: true }
  const { session, cookies } = await getCurrentSession(ctx, options)
  if (!session) return withCookies(toReply(ctx), cookies)
  const view = await toSessionView(ctx, session)
  const { token, authentication } = session
  emit(ctx, 'session', { session: view, token, authentication })
  return withCookies(toReply(ctx, view), cookies)
}

/** `POST /session`: changes what the session carries, as `session.update` decides. */
export async function updateSession(ctx: Context, { body }: Input): Promise<Reply> {
  const { update, outbox } = ctx.service
  const held = await ctx.readSession()
  const session = await held.toShown()
  if (!session) return toReply(ctx)
  if (!update) return toReply(ctx, await toSessionView(ctx, session))
  const { token: previous } = session
  const decided = await callForToken('session.update', () =>
    update({ token: { ...previous }, data: body.data }),
  )
  // A client cannot change whose session it is.
  const token = { ...decided, sub: previous.sub }
  const facts = { userId: token.sub, sessionId: session.id }
  const events = outbox?.toRows('updateSession', facts, ctx)
  const renewed = await held.continue(token, events)
  if (!renewed) return withCookies(toReply(ctx), [recordEnded(ctx, session.id)])
  const view = await toSessionView(ctx, renewed.session)
  const { authentication } = renewed.session
  emit(ctx, 'updateSession', { session: view, token, authentication })
  return withCookies(toReply(ctx, view), renewed.cookies)
}

/** Replies with a session. If there is none, `session.empty` decides (I-44). */
function toReply({ service }: Context, view?: unknown): Reply {
  return json(view ?? service.emptySession)
}
