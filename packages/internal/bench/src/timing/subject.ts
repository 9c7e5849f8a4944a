import type { Answer } from '../contenders/contender.ts'
import type { Mailbox } from '../contenders/mailbox.ts'

/** What a request does with an email address. */
export type ActionId = 'signIn' | 'forgot' | 'register'

/** The actions in the order of the table, with their names. */
export const actionTitles: Readonly<Record<ActionId, string>> = {
  signIn: 'sign in, wrong password',
  forgot: 'ask for a reset link',
  register: 'register',
}

/** A service whose answers about known and unknown email addresses are compared. */
export interface TimedSubject {
  readonly title: string
  readonly answer: Answer
  readonly mailbox: Mailbox
  readonly actions: readonly TimedAction[]
  /** Stores a user with this email address and a password, as a visitor does. */
  readonly register: (email: string) => Promise<void>
}

/** A request that the subject answers. */
export interface TimedAction {
  readonly id: ActionId
  readonly createRequest: (email: string) => Request
  /** Whether the request stores a user, so that an unknown email address serves only once. */
  readonly storesUser?: boolean
}

/** The password of all users. */
export const PASSWORD = 'four words that differ'
/** The password that is typed: not the password of any user. */
export const WRONG_PASSWORD = 'four words of another'
