import type {
  Account,
  NewFactor,
  NewSession,
  Storage,
  StoredUser,
  UnverifiedUsers,
} from '@latchkey/core'
import { toNewFactorArgs, toNewFactorKeys } from './factors.ts'
import type { RunScript } from './run-script.ts'
import { runStep } from './outbox.ts'
import type { Step } from './outbox.ts'
import { isOne, toAccountKey, toFields, toJson, toUser, toUsers } from './records.ts'
import type { UserMapping } from './records.ts'
import * as scripts from './scripts.ts'
import { toNewSessionArgs } from './sessions.ts'

type UserMethods = Pick<
  Storage,
  'createUser' | 'getUser' | 'getUserByEmail' | 'getUserByAccount' | 'updateUser' | 'deleteUser'
>

/** The keys of what ends with a user. */
const userKinds = ['user:', 'accounts:', 'sessions:', 'factors:', 'grants:']

/** Creates the methods for users. */
export function createUserMethods(
  run: RunScript,
  users: UserMapping,
): UserMethods & UnverifiedUsers {
  return {
    async createUser(user, account, session, events, ...factors) {
      const hash = users.toHash(user)
      const step = createUser(user, hash, { account, session, factors })
      const isCreated = isOne(await runStep(run, step, events))
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
    async updateUser(id, changes, events) {
      const { email, emailVerified = email === undefined ? undefined : false } = changes
      const newEmail = email === undefined ? '' : toJson(email)
      const emailKeys = newEmail && email !== null ? [`email:${newEmail}`] : []
      const isVerified = emailVerified === undefined ? '' : toJson(emailVerified)
      const fields = toFields(
        users.toChanges({ ...changes, ...(emailVerified !== undefined && { emailVerified }) }),
      )
      const args = [toJson(id), fields, newEmail, isVerified]
      const keys = [`user:${toJson(id)}`, ...emailKeys]
      const step = { script: scripts.updateUser, keys, args }
      return toUser(await runStep(run, step, events), users)
    },
    async deleteUser(id, events) {
      const keys = userKinds.map((kind) => kind + toJson(id))
      await runStep(run, { script: scripts.deleteUser, keys, args: [toJson(id)] }, events)
    },
    async listUsersByEmail(email, limit) {
      const key = toJson(email)
      const args = [key, String(limit)]
      const keys = [`email:${key}`, `unverified:${key}`]
      return toUsers(await run(scripts.listUsersByEmail, keys, args), users)
    },
    async joinUser(id, email, kept, events) {
      const [user, key] = [toJson(id), toJson(email)]
      const keys = [...userKinds.map((kind) => kind + user), `email:${key}`, `unverified:${key}`]
      const accounts = kept.map((each) => toAccountKey(each.provider, each.providerAccountId))
      const step = { script: scripts.joinUser, keys, args: [user, key, ...accounts] }
      return toUser(await runStep(run, step, events), users)
    },
  }
}

/** What is stored with a new user. */
interface NewUserParts {
  readonly account: Account | undefined
  readonly session: NewSession | undefined
  readonly factors: readonly NewFactor[]
}

function createUser(user: StoredUser, hash: object, parts: NewUserParts): Step {
  const args = toNewUserArgs(user, hash, parts)
  return { script: scripts.createUser, keys: toNewUserKeys(user, parts), args }
}

function toNewUserArgs(
  user: StoredUser,
  hash: object,
  { account, session, factors }: NewUserParts,
): string[] {
  const factorArgs = factors.flatMap((factor) => toNewFactorArgs(user.id, factor))
  return [
    toJson(user.id),
    toFields(hash),
    isUnique(user) ? toJson(user.email) : '',
    account ? toAccountKey(account.provider, account.providerAccountId) : '',
    account ? toFields({ ...account, userId: user.id }) : '',
    String(factors.length),
    ...factorArgs,
    ...(session ? toNewSessionArgs(user.id, session) : []),
  ]
}

function toNewUserKeys(user: StoredUser, { account, session, factors }: NewUserParts): string[] {
  const id = toJson(user.id)
  return [
    `user:${id}`,
    `accounts:${id}`,
    ...(isUnique(user) ? [`email:${toJson(user.email)}`] : []),
    ...(account ? [`account:${toAccountKey(account.provider, account.providerAccountId)}`] : []),
    ...factors.flatMap((factor) => toNewFactorKeys(user.id, factor)),
    ...(session ? [`session:${toJson(session.id)}`, `sessions:${id}`] : []),
  ]
}

/** Returns whether no other user may have verified the user's email address. */
function isUnique({ email, emailVerified }: StoredUser): boolean {
  return emailVerified && email !== null
}
