import { findInStorage } from '../access-tokens/stored-access-tokens.ts'
import { postLink, receiveLink } from '../actions/message-callback.ts'
import { createAuthAccounts } from './accounts.ts'
import { createAuthSessions } from './sessions.ts'
import { createAuthUsers } from './users.ts'
import type { StorageCode } from '../kernel/context.ts'
import type { StoredUsers } from '../ports/storage.ts'
import { createStoredSessions } from '../session/stored-session.ts'
import { checkBegan, checkInProgress } from '../sign-in/ended-sign-ins.ts'
import { completeLink } from '../sign-in/link-account.ts'
import { persistSignIn, resolveStoredUser } from '../sign-in/resolve-stored-user.ts'
import { guardStorage } from '../storage/guard-storage.ts'
import { createOneTimeTokens } from '../storage/one-time-tokens.ts'

const code: StorageCode = {
  guardStorage,
  createSessions: createStoredSessions,
  resolveUser: resolveStoredUser,
  checkBegan,
  persistSignIn,
  checkInProgress,
  completeLink,
  createOneTimeTokens,
  receiveLink,
  postLink,
  findTokens: findInStorage,
  createMembers: (service) => ({
    sessions: createAuthSessions(service),
    accounts: createAuthAccounts(service),
    users: createAuthUsers(service),
  }),
}

/**
 * The code for users in a storage: the member `storedUsers` of every storage.
 *
 * @example
 *   import type { Storage } from '@latchkey/core'
 *   import { storedUsers } from '@latchkey/core/storage'
 *
 *   declare const methods: Omit<Storage, 'storedUsers'>
 *   const storage: Storage = { storedUsers, ...methods }
 */
export const storedUsers: StoredUsers = code
