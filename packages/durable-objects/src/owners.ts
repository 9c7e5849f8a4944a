import type { CallObject } from './objects.ts'

/** Finds the user of a session. */
export interface Owners {
  set(id: string, userId: string, expires: number): Promise<void>
  /**
   * Calls a function with the user of a session, and returns its result. If it finds nothing with the user
   * that this isolate remembers, it is called again with the user of the session's object.
   */
  find<T>(id: string, read: (userId: string) => Promise<T | undefined>): Promise<T | undefined>
}

/** Sessions whose user an isolate remembers: about 3 MB. */
const MAX_OWNERS = 10_000

/**
 * Creates the {@link Owners}. Each session has its own object, which is near the user who began it. An
 * isolate remembers the answer, because the user of a session never changes: it only finds the object which
 * decides whether the session exists.
 */
export function createOwners(call: CallObject): Owners {
  const remembered = new Map<string, string>()
  const remember = (id: string, userId: string): void => {
    remembered.delete(id)
    remembered.set(id, userId)
    const [oldest] = remembered.keys()
    if (remembered.size > MAX_OWNERS && oldest !== undefined) remembered.delete(oldest)
  }
  return {
    set: (id, userId, expires) =>
      call('session', id, 'repeatable', (session) => session.setOwner(id, userId, expires)),
    async find(id, read) {
      const known = remembered.get(id)
      const found = known === undefined ? undefined : await read(known)
      if (found !== undefined) return found
      remembered.delete(id)
      const userId = await call('session', id, 'repeatable', (session) => session.getOwner(id))
      // An imported session has the id of its cookie, whose user may have been deleted and created again.
      if (userId === undefined || userId === known) return undefined
      remember(id, userId)
      return read(userId)
    },
  }
}
