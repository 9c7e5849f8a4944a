import type { OptionParts } from '../option-parts.ts'
import type { StoredUser } from '../ports/records.ts'
import type { Session } from '../session/session.ts'
import type { GuardedStorage } from '../storage/guard-storage.ts'

/** The value of the option `secondFactor`. It brings its code along, so that others do not bundle it. */
export interface SecondFactor {
  /** Not a member: the compiler prints what to write in place of an object. */
  readonly methods?: 'write secondFactor({ methods }), of @latchkey/core/second-factor'
  /** The rules that its pages add to the style sheet. */
  readonly style: string
  /** Whether every user needs a second factor. */
  readonly isRequiredOfAll: boolean
  /** @throws ConfigurationError if another option does not fit, or is missing */
  readonly check: (parts: OptionParts) => void
  /** Returns whether a user of the storage has a second factor. */
  readonly isEnrolled: (storage: GuardedStorage, userId: string) => Promise<boolean>
  /**
   * Returns whether a user of the storage has a second factor or needs one: a session of a previous service is
   * then not imported.
   *
   * @throws AuthError `Callback` if the option `require` throws
   */
  readonly isNeeded: (storage: GuardedStorage, user: StoredUser) => Promise<boolean>
  /**
   * Returns whether the user of a session, of whom no second factor was required, needs one by now.
   *
   * @throws AuthError `Callback` if the option `require` throws
   */
  readonly isNeededNow: (session: Session) => Promise<boolean>
}
