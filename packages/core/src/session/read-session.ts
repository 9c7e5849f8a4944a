import { hasEnded } from './ended-sessions.ts'
import type { HeldSession } from './held-session.ts'
import { holdSession } from './own-session.ts'
import type { OwnContext } from './own-session.ts'
import type { Session } from './session.ts'
import type { SessionImports } from './session-imports.ts'

/** What {@link readSession} needs of a request. */
export interface ReadingContext extends OwnContext {
  readonly service: OwnContext['service'] & {
    readonly imports: SessionImports
  }
}

/** Cookies of one name that are tried: another host below `cookies.session.domain` can set any number. */
const MAX_COOKIES = 3

/**
 * Reads the session of a request: of several cookies the first that names a session that lives. If the storage
 * fails for one, no other is tried. A session that ended in this browser counts as no session. A session of a
 * previous service counts only in a browser without a Latchkey session.
 *
 * @param mayLag Whether a replica may answer
 */
export async function readSession(ctx: ReadingContext, mayLag?: boolean): Promise<HeldSession> {
  for (const cookie of listCookies(ctx)) {
    const session = await readCookie(ctx, cookie, mayLag)
    if (session) return holdSession(ctx, session, cookie)
  }
  return (await ctx.service.imports.read(ctx)) ?? holdSession(ctx, undefined)
}

/** Reads the other sessions that a request's cookies name: each could follow when the request's session ends. */
export async function readOtherSessions(
  ctx: ReadingContext,
  held: Session | undefined,
): Promise<readonly Session[]> {
  const cookies = listCookies(ctx)
  const others = new Map<string, Session>()
  for (const cookie of cookies.length > 1 ? cookies : []) {
    const session = await readCookie(ctx, cookie)
    if (session && session.id !== held?.id) others.set(session.id, session)
  }
  return [...others.values()]
}

/** Returns the ids that a request's cookies name, without asking the storage: the sessions may have ended. */
export async function peekIds(ctx: ReadingContext): Promise<readonly string[]> {
  const { sessions } = ctx.service
  const ids = await Promise.all(listCookies(ctx).map((cookie) => sessions.peekId(cookie, ctx.now)))
  return [...new Set(ids)].flatMap((id) => (id === undefined || hasEnded(ctx, id) ? [] : id))
}

function listCookies({ cookies, baseUrl }: ReadingContext): readonly string[] {
  return cookies.list(baseUrl.cookies.session.name).slice(0, MAX_COOKIES)
}

async function readCookie(
  ctx: ReadingContext,
  cookie: string,
  mayLag?: boolean,
): Promise<Session | undefined> {
  const session = await ctx.service.sessions.read(cookie, ctx.now, mayLag)
  return session && !hasEnded(ctx, session.id) ? session : undefined
}
