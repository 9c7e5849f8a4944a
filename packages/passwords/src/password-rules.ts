import { ConfigurationError } from '@latchkey/core'
import type { Logger } from '@latchkey/core'
import type { PasswordProblem } from './password-work.ts'
import type { PasswordCheck } from './breached-passwords.ts'
import { isHashable } from './bytes.ts'
import { checkKnownNames } from '@latchkey/core/capability/options'
import { isInRange } from './phc.ts'

export type { PasswordProblem } from './password-work.ts'

/** The options of {@link passwordRules}. */
export interface PasswordRulesOptions {
  /**
   * Characters that a password needs: 8 to 64. Less than 15 is for services that require a second factor of everyone
   * (NIST SP 800-63B-4 §3.1.1.2). Default: 15
   */
  readonly minLength?: number
  /** Returns whether a password is known to attackers, such as `breachedPasswords()`. Default: none is */
  readonly check?: PasswordCheck
}

/** What a new password must comply with. There are no rules about kinds of characters. */
export interface PasswordRules {
  /** Characters: Unicode code points after NFC. */
  readonly minLength: number
  /** Characters: 1,000. */
  readonly maxLength: number
  /** Returns why a password is refused; undefined if it is not. */
  readonly findProblem: (
    password: string,
    log?: Pick<Logger, 'warn'>,
  ) => Promise<PasswordProblem | undefined>
}

const MAX_LENGTH = 1000
/** UTF-16 code units of a text that is not normalized: NFC makes at most four characters one. */
const MAX_UNITS = 10 * MAX_LENGTH

/**
 * Creates the rules for new passwords: 15 to 1,000 characters, and no password that is known to attackers.
 *
 * @example
 *   import { breachedPasswords, passwordRules } from '@latchkey/passwords'
 *
 *   const rules = passwordRules({ check: breachedPasswords() })
 *   await rules.findProblem('too short') // 'tooShort'
 *
 * @throws ConfigurationError naming the option, if one is invalid
 */
export function passwordRules(options: PasswordRulesOptions = {}): PasswordRules {
  checkKnownNames('passwordRules', options, ['minLength', 'check'])
  const { minLength = 15, check } = options
  if (!isInRange(minLength, [8, 64])) {
    throw new ConfigurationError('passwordRules.minLength', 'must be an integer from 8 to 64')
  }
  return {
    minLength,
    maxLength: MAX_LENGTH,
    async findProblem(password, log) {
      const length = countCharacters(password)
      if (length < minLength) return 'tooShort'
      if (length > MAX_LENGTH) return 'tooLong'
      if (!isHashable(password)) return 'unusable'
      return (await check?.(password, log)) === true ? 'breached' : undefined
    },
  }
}

function countCharacters(password: string): number {
  return password.length > MAX_UNITS ? Infinity : Array.from(password.normalize('NFC')).length
}
