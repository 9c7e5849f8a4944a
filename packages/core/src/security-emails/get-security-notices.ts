import { holdsCode } from '../option-parts.ts'
import type { Service } from '../kernel/context.ts'
import type { SecurityEmails } from './option.ts'
import type { SecurityNotices } from './security-notices.ts'

/** What `securityEmails()` returns. The service knows only its first part: notices know the service. */
export interface SecurityEmailsHolder extends SecurityEmails {
  readonly notices: SecurityNotices
}

/** Returns what notifies users of changes; undefined without the option. */
export function getSecurityNotices({
  securityEmails,
}: Pick<Service, 'securityEmails'>): SecurityNotices | undefined {
  return securityEmails && holdsCode<SecurityEmailsHolder>(securityEmails, 'notices')
    ? securityEmails.notices
    : undefined
}
