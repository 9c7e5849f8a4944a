import type { OptionParts } from '../option-parts.ts'

/** The value of the option `account`. It brings its code along, so that others do not bundle it. */
export interface AccountOption {
  /** The rules that its page adds to the style sheet. */
  readonly style: string
  /** The fields of its forms: a second value of one is refused. */
  readonly fields: readonly string[]
  /** @throws ConfigurationError if another option does not fit, or is missing */
  readonly check: (parts: OptionParts) => void
}
