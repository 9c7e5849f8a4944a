import type { CookieRow } from '../http/cookies.ts'
import { toBase64url } from '../crypto/encoding.ts'
import type { Jar } from '../http/cookie-jar.ts'
import type { SessionToken } from '../config.ts'
import type { Runtime } from '../ports/runtime.ts'
import type { Storage } from '../ports/storage.ts'
import type { Sealer } from '../crypto/seal.ts'
import { dataOf, expiry, isDue, toStore } from './session.ts'
import type { Session, SessionLimits, Sessions } from './session.ts'

/**
 * Sessions that live in their cookie, encrypted. Nothing is asked, so nothing but time ends a copy;
 * unless there is a `register`: then each is one only while it stands in there as well.
 *
 * @param storage Where users are kept: a session of one who is gone is not renewed
 */
export function createCookieSessions(
  sealer: Sealer,
  limits: SessionLimits,
  random: Runtime['random'],
  register: Storage | undefined,
  storage: Storage | undefined,
): Sessions {
  const write = async (jar: Jar, row: CookieRow, session: Session): Promise<Session> => {
    const { expires, renewedAt, user: _, agent: __, ...content } = session
    const sealed = await sealer.seal({ ...content, iat: renewedAt }, expires)
    jar.set(row, sealed, expires - renewedAt)
    return session
  }
  const registered = async (session: Session, now: number): Promise<Session | undefined> => {
    if (!register) return session
    const entry = await register.getSessionAndUser(session.id, now)
    return entry && { ...session, user: entry.user, agent: dataOf(entry.session).agent }
  }
  return {
    async read(jar, row, now) {
      const sealed = jar.get(row.name)
      if (sealed === undefined) return undefined
      const opened = withinLimits(await sealer.open(sealed, now), limits, now)
      const session = opened && (await registered(opened, now))
      if (!session) jar.clear(row)
      return session
    },
    open(now, beginning, former) {
      const expires = expiry(limits, now, now)
      const id = toBase64url(random(register ? 32 : 16))
      const session = { ...beginning, id, startedAt: now, renewedAt: now, expires }
      return { session, stored: register && { ...toStore(session), replaces: former?.id } }
    },
    async enter(jar, row, { session }) {
      await write(jar, row, session)
    },
    isDue: (session, now) => isDue(limits, session, now),
    async renew(jar, row, now, session, token) {
      const expires = expiry(limits, session.startedAt, now)
      const renewed = { ...session, token, renewedAt: now, expires }
      const goesOn = register
        ? await register.updateSession(session.id, toStore(renewed))
        : await isKnown(storage, token.sub)
      if (goesOn) return write(jar, row, renewed)
      jar.clear(row)
      return undefined
    },
    async end(jar, row, session) {
      if (session) await register?.deleteSession(session.id)
      jar.clear(row)
    },
  }
}

/** These sessions need no storage: one that cannot be asked ends none of them. */
async function isKnown(storage: Storage | undefined, userId: string): Promise<boolean> {
  if (!storage) return true
  return storage.getUser(userId).then(
    (user) => user !== undefined,
    () => true,
  )
}

/** The limits of today hold for cookies of yesterday too. */
function withinLimits(
  content: Readonly<Record<string, unknown>> | undefined,
  limits: SessionLimits,
  now: number,
): Session | undefined {
  if (!content) return undefined
  const {
    id,
    token,
    madeWith,
    startedAt,
    iat: renewedAt,
    exp,
  } = content as unknown as SealedSession
  const expires = Math.min(exp, expiry(limits, startedAt, renewedAt))
  return expires > now ? { id, token, madeWith, startedAt, renewedAt, expires } : undefined
}

interface SealedSession {
  readonly id: string
  readonly token: SessionToken
  readonly madeWith: string
  readonly startedAt: number
  readonly iat: number
  readonly exp: number
}
