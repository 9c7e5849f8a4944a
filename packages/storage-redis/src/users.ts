import type { Account, NewSession, Storage, StoredUser } from '@latchkey/core'
import type { RunScript } from './client.ts'
import { toAccountKey, toFields, toJson, toUser } from './records.ts'
import type { UserMapping } from './records.ts'
import * as scripts from './scripts.ts'
import { toNewSessionArgs } from './sessions.ts'

type UserMethods = Pick<
  Storage,
  'createUser' | 'getUser' | 'getUserByEmail' | 'getUserByAccount' | 'updateUser' | 'deleteUser'
>

/** Creates the methods for users. */
export function createUserMethods(run: RunScript, users: UserMapping): UserMethods {
  return {
    async createUser(user, account, session) {
      const hash = users.toHash(user)
      const keys = toNewUserKeys(user, account, session)
      const args = toNewUserArgs(user, hash, account, session)
      const isCreated = (await run(scripts.createUser, keys, args)) === 1
      return isCreated ? users.toUser({ ...hash }) : undefined
    },
    async getUser(id) {
      return toUser(await run(scripts.getUser, [`user:${toJson(id)}`], [toJson(id)]), users)
    },
    async getUserByEmail(email) {
      const key = toJson(email)
      return toUser(await run(scripts.getUserByEmail, [`email:${key}`], [key]), users)
    },
    async getUserByAccount(provider, providerAccountId) {
      const key = toAccountKey(provider, providerAccountId)
      return toUser(await run(scripts.getUserByAccount, [`account:${key}`], [key]), users)
    },
    async updateUser(id, changes) {
      const { email, emailVerified = email === undefined ? undefined : false } = changes
      const newEmail = email === undefined ? '' : toJson(email)
      const emailKeys = newEmail && email !== null ? [`email:${newEmail}`] : []
      const isVerified = emailVerified === undefined ? '' : toJson(emailVerified)
      const fields = toFields(users.toChanges({ ...changes, emailVerified } as Partial<StoredUser>))
      const args = [toJson(id), fields, newEmail, isVerified]
      return toUser(
        await run(scripts.updateUser, [`user:${toJson(id)}`, ...emailKeys], args),
        users,
      )
    },
    async deleteUser(id) {
      const keys = ['user:', 'accounts:', 'sessions:'].map((kind) => kind + toJson(id))
      await run(scripts.deleteUser, keys, [toJson(id)])
    },
  }
}

function toNewUserArgs(
  user: StoredUser,
  hash: object,
  account?: Account,
  session?: NewSession,
): string[] {
  return [
    toJson(user.id),
    toFields(hash),
    isUnique(user) ? toJson(user.email) : '',
    account ? toAccountKey(account.provider, account.providerAccountId) : '',
    account ? toFields({ ...account, userId: user.id }) : '',
    ...(session ? toNewSessionArgs(user.id, session) : []),
  ]
}

function toNewUserKeys(user: StoredUser, account?: Account, session?: NewSession): string[] {
  const id = toJson(user.id)
  return [
    `user:${id}`,
    `accounts:${id}`,
    ...(isUnique(user) ? [`email:${toJson(user.email)}`] : []),
    ...(account ? [`account:${toAccountKey(account.provider, account.providerAccountId)}`] : []),
    ...(session ? [`session:${toJson(session.id)}`, `sessions:${id}`] : []),
  ]
}

/** Returns whether no other user may have verified the user's email address. */
function isUnique({ email, emailVerified }: StoredUser): boolean {
  return emailVerified && email !== null
}
