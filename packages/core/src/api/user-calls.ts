import type { Context, Service } from '../kernel/context.ts'
import { getSecurityNotices } from '../security-emails/get-security-notices.ts'
import type { UserCalls } from '../security-emails/security-notices.ts'
import { createAuthAccounts } from './accounts.ts'
import { createAuthUsers } from './users.ts'

/**
 * Creates `auth.accounts` and `auth.users`, which notify users of changes with the option `securityEmails` (I-62).
 *
 * @param ctx The request that changes them: its language and browser are in the email. Default: a call of the server
 */
export function createUserCalls(service: Service, ctx?: Context): UserCalls {
  const accounts = createAuthAccounts(service, ctx)
  const calls = { accounts, users: createAuthUsers(service, accounts, ctx) }
  return getSecurityNotices(service)?.watch(service, calls, ctx) ?? calls
}
