import type { OptionParts } from '../option-parts.ts'

/** The value of the option `securityEmails`. It brings its code along, so that others do not bundle it. */
export interface SecurityEmails {
  /** Not a member: the compiler prints what to write in place of an object. */
  readonly mailer?: 'write securityEmails({ mailer, from }), of @latchkey/core/security-emails'
  /** @throws ConfigurationError if another option does not fit, or is missing */
  readonly check: (parts: OptionParts) => void
}
