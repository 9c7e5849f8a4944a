import type { OptionParts } from '../option-parts.ts'

/** The value of the option `securityEmails`. It brings its code along, so that others do not bundle it. */
export interface SecurityEmails {
  /** @throws ConfigurationError if another option does not fit, or is missing */
  readonly check: (parts: OptionParts) => void
}
