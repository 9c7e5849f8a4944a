import type { Storage } from '@latchkey/core'
import { toStored, toWays } from '@latchkey/core/unstable'
import { toTypeArgs } from './factors.ts'
import type { RunScript } from './run-script.ts'
import { runStep } from './outbox.ts'
import { isOne, toAccountKey, toAccounts, toFields, toJson } from './records.ts'
import * as scripts from './scripts.ts'

type AccountMethods = Pick<
  Storage,
  'linkAccount' | 'listAccounts' | 'updateAccount' | 'unlinkAccount'
>

/** Creates the methods for accounts. */
export function createAccountMethods(run: RunScript): AccountMethods {
  return {
    async linkAccount(userId, account, verifiedEmail, events, backups) {
      const user = toJson(userId)
      const key = toAccountKey(account.provider, account.providerAccountId)
      const keys = [`user:${user}`, `accounts:${user}`, `factors:${user}`, `account:${key}`]
      const email = verifiedEmail === undefined ? '' : toJson(verifiedEmail)
      const types = toTypeArgs(toStored(backups))
      const args = [user, key, toFields({ ...account, userId }), email, ...types]
      return isOne(await runStep(run, { script: scripts.linkAccount, keys, args }, events))
    },
    async listAccounts(userId) {
      const user = toJson(userId)
      return toAccounts(await run(scripts.listAccounts, [`accounts:${user}`], [user]))
    },
    async updateAccount(provider, providerAccountId, changes, expected) {
      const key = toAccountKey(provider, providerAccountId)
      const expectedToken = expected === undefined ? '' : toJson(expected)
      // `expires_at` belongs to one access token and does not apply to a new one.
      const removed = changes.access_token === undefined ? '' : 'expires_at'
      const args = [key, toFields(changes), expectedToken, removed]
      return isOne(await run(scripts.updateAccount, [`account:${key}`], args))
    },
    async unlinkAccount(userId, provider, providerAccountId, events, signsInBy) {
      const [user, key] = [toJson(userId), toAccountKey(provider, providerAccountId)]
      const keys = [`accounts:${user}`, `factors:${user}`, `account:${key}`]
      const args = [user, key, ...toTypeArgs(toWays(signsInBy))]
      const step = { script: scripts.unlinkAccount, keys, args }
      return isOne(await runStep(run, step, events))
    },
  }
}
