import { toBase64url } from '../crypto/encoding.ts'
import type { Sealer } from '../crypto/seal.ts'
import type { Runtime } from '../ports/runtime.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'
import { createSession, getExpiry, isSettled, parseData, toRecord } from './session.ts'
import type { Session, SessionLimits, SessionStrategy } from './session.ts'
import type { SessionTokenKeeper } from '../access-tokens/token-keeper.ts'

/** The options of {@link createCookieSessions}. */
export interface CookieSessionOptions {
  readonly sealer: Sealer
  readonly limits: SessionLimits
  readonly random: Runtime['random']
  /** Lists the sessions, so that they can be revoked: a session without a row has ended. */
  readonly register: GuardedStorage | undefined
  /** Keeps the users: the session of a deleted user is not renewed. */
  readonly storage: GuardedStorage | undefined
  readonly accessTokens: SessionTokenKeeper | undefined
}

/** Keeps sessions encrypted in their cookie. Without a `register` only time ends a copied cookie. */
export function createCookieSessions(options: CookieSessionOptions): SessionStrategy {
  const { sealer, limits, random, register, storage, accessTokens } = options
  return {
    limits,
    isStored: false,
    isRevocable: register !== undefined,
    accessTokens,
    peekId: async (cookie, now) => toSession(limits, await sealer.open(cookie, now), now)?.id,
    toId: (secret) => secret,
    async read(cookie, now, mayLag) {
      const session = toSession(limits, await sealer.open(cookie, now), now)
      if (!session || !register) return session
      const isOld = mayLag === true && isSettled(limits, now - session.renewedAt, register.maxLag)
      const row = await register.getSessionAndUser(session.id, now, isOld)
      if (!row) return undefined
      const { userAgent, replaced } = parseData(row.session)
      return { ...session, user: row.user, userAgent, replaced, account: row.session.account }
    },
    prepare(init, now) {
      const id = init.secret ?? toBase64url(random(register ? 32 : 16))
      const session = createSession(init, { id, limits, now })
      return { session, secret: id, record: register && toRecord(session) }
    },
    async toCookie({ session }, now) {
      const { expires, renewedAt, user: _, userAgent: __, ...rest } = session
      const { account: ___, replaced: ____, ...content } = rest
      const tokens = content.tokens && (await accessTokens?.getNewest(content.tokens))
      const value = await sealer.seal({ ...content, tokens, iat: renewedAt }, expires)
      return { value, maxAge: expires - now }
    },
    async renew(session, { token, now, events }) {
      const expires = getExpiry(limits, session.startedAt, now)
      const renewed = { ...session, token, renewedAt: now, expires }
      const isAlive = register
        ? await register.updateSession(session.id, toRecord(renewed), events)
        : session.isUnstored || (await hasUser(storage, token.sub))
      return isAlive ? renewed : undefined
    },
    end: async ({ id }, events) => register?.deleteSession(id, events),
  }
}

/** Cookie sessions work without their storage: if it fails, the session continues. */
async function hasUser(storage: GuardedStorage | undefined, userId: string): Promise<boolean> {
  if (!storage) return true
  return storage.getUser(userId).then(
    (user) => user !== undefined,
    () => true,
  )
}

interface SealedSession extends Pick<
  Session,
  | 'id'
  | 'token'
  | 'csrfTokenHash'
  | 'startedAt'
  | 'importedFrom'
  | 'tokens'
  | 'isUnstored'
  | 'satisfiedBy'
  | 'authentication'
> {
  readonly iat: number
  readonly exp: number
}

/** Applies the configured limits, which may be shorter than those the cookie was sealed with. */
function toSession(
  limits: SessionLimits,
  content: Readonly<Record<string, unknown>> | undefined,
  now: number,
): Session | undefined {
  if (!isSealedSession(content)) return undefined
  const { iat: renewedAt, exp, ...sealed } = content
  const expires = Math.min(exp, getExpiry(limits, sealed.startedAt, renewedAt))
  return expires > now ? { ...sealed, renewedAt, expires } : undefined
}

function isSealedSession(content: object | undefined): content is SealedSession {
  return content !== undefined && 'iat' in content
}
