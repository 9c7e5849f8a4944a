/** Who has turns. */
export interface TurnTaker {
  /** Undefined has no turns: such callers do not wait for each other. */
  readonly user: string | undefined
}

/** Turns of users: one caller of each user at a time. */
export interface Turns<T extends TurnTaker> {
  /**
   * Asks for a turn.
   *
   * @returns `later` if `end` of another caller will return this one; `full` if too many others come before it
   */
  readonly begin: (caller: T) => 'now' | 'later' | 'full'
  /** Ends the turn of a caller, or the wait for it, and returns the caller whose turn it is now. */
  readonly end: (caller: T) => T | undefined
}

/** @param max Callers of one user */
export function createTurns<T extends TurnTaker>(max: number): Turns<T> {
  /** The first one of each user has the turn. */
  const users = new Map<string, Set<T>>()
  return {
    begin(caller) {
      const { user } = caller
      if (user === undefined) return 'now'
      const callers = users.get(user) ?? new Set<T>()
      if (callers.size >= max) return 'full'
      users.set(user, callers.add(caller))
      return callers.size === 1 ? 'now' : 'later'
    },
    end(caller) {
      const callers = caller.user === undefined ? undefined : users.get(caller.user)
      if (!callers) return undefined
      const [first] = callers
      callers.delete(caller)
      if (callers.size === 0 && caller.user !== undefined) users.delete(caller.user)
      return first === caller ? callers.values().next().value : undefined
    },
  }
}
