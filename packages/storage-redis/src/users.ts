import type { Account, NewSession, Storage, StoredUser } from '@latchkey/core'
import type { Run } from './client.ts'
import { fieldsOf, ref, userOf } from './records.ts'
import * as scripts from './scripts.ts'
import { beginning } from './sessions.ts'

type UserVerbs = Pick<
  Storage,
  'createUser' | 'getUser' | 'getUserByEmail' | 'getUserByAccount' | 'updateUser' | 'deleteUser'
>

/** Users, found by their id, their address and their accounts. */
export function userVerbs(run: Run): UserVerbs {
  return {
    async createUser(user, account, session) {
      const keys = keysOf(user, account, session)
      return (await run(scripts.createUser, keys, argsOf(user, account, session))) === 1
        ? user
        : undefined
    },
    async getUser(id) {
      return userOf(await run(scripts.getUser, [`user:${ref(id)}`], [ref(id)]))
    },
    async getUserByEmail(email) {
      return userOf(await run(scripts.getUserByEmail, [`email:${ref(email)}`], [ref(email)]))
    },
    async getUserByAccount(provider, providerAccountId) {
      const account = ref([provider, providerAccountId])
      return userOf(await run(scripts.getUserByAccount, [`account:${account}`], [account]))
    },
    async updateUser(id, changes) {
      const { email } = changes
      const moved = email === undefined ? '' : ref(email)
      const keys = [`user:${ref(id)}`, ...(moved && email !== null ? [`email:${moved}`] : [])]
      return userOf(await run(scripts.updateUser, keys, [ref(id), fieldsOf(changes), moved]))
    },
    async deleteUser(id) {
      const keys = ['user:', 'accounts:', 'sessions:'].map((kind) => kind + ref(id))
      await run(scripts.deleteUser, keys, [ref(id)])
    },
  }
}

function argsOf(user: StoredUser, account?: Account, session?: NewSession): string[] {
  const id = ref(user.id)
  return [
    id,
    fieldsOf(user),
    ref(user.email),
    account ? ref([account.provider, account.providerAccountId]) : '',
    account ? fieldsOf({ ...account, userId: user.id }) : '',
    ...(session ? beginning(user.id, session) : []),
  ]
}

function keysOf(user: StoredUser, account?: Account, session?: NewSession): string[] {
  const id = ref(user.id)
  return [
    `user:${id}`,
    `accounts:${id}`,
    ...(user.email === null ? [] : [`email:${ref(user.email)}`]),
    ...(account ? [`account:${ref([account.provider, account.providerAccountId])}`] : []),
    ...(session ? [`session:${ref(session.id)}`, `sessions:${id}`] : []),
  ]
}
