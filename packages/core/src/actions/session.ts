import type { Context } from '../context.ts'
import { decide, decideToken, makeToken } from '../callbacks.ts'
import type { DefaultSession, SessionToken } from '../config.ts'
import { json } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import type { Session } from '../session/session.ts'

/** `GET /session`: what the client may see, `{}` when nobody is signed in. */
export async function readSession(ctx: Context): Promise<Reply> {
  const session = await currentSession(ctx)
  if (!session) return json({})
  const shown = await show(ctx, session)
  ctx.tell('session', { session: shown, token: session.token })
  return json(shown ?? {})
}

/** `POST /session`: the application decides what becomes of what the client sent. */
export async function updateSession(ctx: Context): Promise<Reply> {
  const { sessions, update } = ctx.service
  const session = await ctx.session()
  if (!session) return json({})
  if (!update) return json((await show(ctx, session)) ?? {})
  const { data } = ctx.form
  const decided = await decideToken('session.update', () => update({ token: session.token, data }))
  // What comes from a client changes nobody into somebody else.
  const token = { ...decided, sub: session.token.sub }
  const renewed = await sessions.renew(ctx.jar, ctx.site.cookies.session, ctx.now, session, token)
  if (!renewed) return json({})
  const shown = await show(ctx, renewed)
  ctx.tell('updateSession', { session: shown, token })
  return json(shown ?? {})
}

/** The session as clients see it, for servers: undefined when nobody is signed in. */
export async function sessionOf(ctx: Context): Promise<unknown> {
  const session = await currentSession(ctx)
  return session && show(ctx, session)
}

/** The session of the request, renewed where that is due (I-35). */
async function currentSession(ctx: Context): Promise<Session | undefined> {
  const { sessions, callbacks } = ctx.service
  const session = await ctx.session()
  if (!session || ctx.readOnly || !sessions.isDue(session, ctx.now)) return session
  const made = await makeToken(callbacks, { trigger: 'renew', token: { ...session.token } })
  const token = { ...made, sub: session.token.sub }
  return sessions.renew(ctx.jar, ctx.site.cookies.session, ctx.now, session, token)
}

async function show(ctx: Context, { expires, token, user }: Session): Promise<unknown> {
  const session = defaultSession(token, expires)
  const callback = ctx.service.callbacks.session
  return callback ? decide('callbacks.session', () => callback({ session, token, user })) : session
}

/** The view of I-33. */
function defaultSession(token: SessionToken, expires: number): DefaultSession {
  const { sub: id, name = null, email = null, picture: image = null } = token
  return { user: { id, name, email, image }, expires: new Date(expires * 1000).toISOString() }
}
