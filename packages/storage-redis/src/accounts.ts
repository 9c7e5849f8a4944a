import type { Storage } from '@latchkey/core'
import type { Run } from './client.ts'
import { accountsOf, fieldsOf, ref } from './records.ts'
import * as scripts from './scripts.ts'

type AccountVerbs = Pick<
  Storage,
  'linkAccount' | 'listAccounts' | 'updateAccount' | 'unlinkAccount'
>

/** Accounts of users, with their tokens. */
export function accountVerbs(run: Run): AccountVerbs {
  return {
    async linkAccount(userId, account) {
      const [user, name] = [ref(userId), ref([account.provider, account.providerAccountId])]
      const keys = [`user:${user}`, `accounts:${user}`, `account:${name}`]
      return (
        (await run(scripts.linkAccount, keys, [user, name, fieldsOf({ ...account, userId })])) === 1
      )
    },
    async listAccounts(userId) {
      const user = ref(userId)
      return accountsOf(await run(scripts.listAccounts, [`accounts:${user}`], [user]))
    },
    async updateAccount(provider, providerAccountId, tokens, expected) {
      const name = ref([provider, providerAccountId])
      const wanted = expected === undefined ? '' : ref(expected)
      // When an access token ends is said of that one only.
      const forgotten = tokens.access_token === undefined ? '' : 'expires_at'
      const args = [name, fieldsOf(tokens), wanted, forgotten]
      return (await run(scripts.updateAccount, [`account:${name}`], args)) === 1
    },
    async unlinkAccount(userId, provider, providerAccountId) {
      const [user, name] = [ref(userId), ref([provider, providerAccountId])]
      const keys = [`accounts:${user}`, `account:${name}`]
      return (await run(scripts.unlinkAccount, keys, [user, name])) === 1
    },
  }
}
