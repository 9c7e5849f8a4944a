import type { Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'

/**
 * Adds what no adapter has, and second factors need: sessions with their data, which can be listed, counts, and
 * revocations.
 * They are kept in memory, with a copy of each user.
 */
export function withSessions(users: Storage): Storage {
  const memory = memoryStorage()
  return {
    ...memory,
    ...users,
    async createUser(user, account, session, events, ...factors) {
      const created = await users.createUser(user, account, undefined, events, ...factors)
      if (created) await memory.createUser(created, undefined, session)
      return created
    },
    createSession: (...args) => memory.createSession(...args),
    getSessionAndUser: (...args) => memory.getSessionAndUser(...args),
    updateSession: (...args) => memory.updateSession(...args),
    deleteSession: (...args) => memory.deleteSession(...args),
    listSessions: (...args) => memory.listSessions(...args),
    deleteSessions: (...args) => memory.deleteSessions(...args),
    increment: (...args) => memory.increment(...args),
    createRevocation: (...args) => memory.createRevocation(...args),
    getRevocation: (...args) => memory.getRevocation(...args),
    capabilities: [
      ...(users.capabilities ?? []),
      'sessionData',
      'sessionLists',
      'increment',
      'revocations',
    ],
  }
}
