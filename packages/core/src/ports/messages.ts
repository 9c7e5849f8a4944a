import type { CapabilityTexts } from './capability-texts.ts'
import type { ErrorCode } from '../ports/error-code.ts'

/**
 * The texts of pages, JSON refusals and emails in one language. `{name}` stands for a value. If that is
 * a duration, it comes with its unit, such as `10 minutes`.
 */
export interface Messages {
  /** `rtl` for languages written from right to left. */
  readonly direction: 'ltr' | 'rtl'
  readonly signIn: string
  /** The button of a provider. */
  readonly continueWith: string
  /** The button of the form that asks for an email address. */
  readonly continueWithEmail: string
  /** The button of the same form, if another way is the main one of the page. */
  readonly emailLink: string
  /** Marks the way by which this browser signed in last. */
  readonly lastUsed: string
  /** Divides the ways of signing in. */
  readonly or: string
  readonly signInTo: string
  readonly signedInAs: string
  readonly continue: string
  readonly useAnotherAccount: string
  readonly signOut: string
  readonly signOutQuestion: string
  /** Replaces `signOutQuestion` if there is no session. */
  readonly notSignedIn: string
  readonly cancel: string
  /** After a sign-out that could not reach the storage; `{name}` is a duration. */
  readonly signedOutHere: string
  readonly checkEmail: string
  readonly checkEmailText: string
  /** Replaces `checkEmailText` in the browser that requested the email; `{name}` is the email address. */
  readonly sentTo: string
  readonly noEmail: string
  readonly sendAgain: string
  readonly sentAgain: string
  readonly useAnotherEmail: string
  /** Replaces the sentence of `EmailSignin` if nothing was sent, because of a typing mistake. */
  readonly notAnEmail: string
  /** The label of the field for an email address. */
  readonly email: string
  /** The label of the field for an eight-digit code. */
  readonly code: string
  readonly wrongCode: string
  /** Replaces the sentence of `EmailSignin` if the mailer failed, which is not the user's mistake. */
  readonly emailNotSent: string
  readonly confirm: string
  readonly confirmText: string
  /** The heading of the error page, if the code has no separate heading. */
  readonly error: string
  /** The heading of `AccessDenied`. */
  readonly accessDenied: string
  /** The heading of `Verification`. */
  readonly linkExpired: string
  /** The heading of a page that does not exist. */
  readonly notFound: string
  readonly notFoundText: string
  readonly back: string
  /** Replaces the sentence of `RateLimited` if the time is known; `{name}` is a duration. */
  readonly retryIn: string
  readonly terms: string
  readonly privacy: string
  /** The page of `confirmation()`. Default: English */
  readonly confirmation?: ConfirmationMessages
  /** Names of ways to sign in, and why one stays. Default: English */
  readonly ways?: WayMessages
  /** The emails that sign in. Default: English */
  readonly mail?: Partial<MailMessages>
  /** The texts of capabilities, by their ids. Default: English */
  readonly capabilities?: CapabilityTexts
  readonly errors: Readonly<Record<ErrorCode, string>>
}

/** The texts of the page that asks a signed-in user to prove again who they are. */
export interface ConfirmationMessages {
  readonly heading: string
  readonly text: string
  /** If there is no way in which the user can confirm. */
  readonly none: string
}

/** The texts about ways to sign in. Of a date, `{name}` is the day. */
export interface WayMessages {
  /** The label of the fields for the name of a user and of a factor. */
  readonly name: string
  /** The heading of accounts and email addresses. */
  readonly ways: string
  /** Removes an account or a factor. */
  readonly remove: string
  readonly added: string
  readonly lastUsed: string
  /** If the account of the user's email address was to be removed. */
  readonly isEmail: string
  readonly lastWay: string
  readonly lastFactor: string
  /** `{name}` is a number of characters. */
  readonly invalidName: string
  readonly gone: string
}

/** The texts of a sign-in email: `{name}` is the service's host, in `note` a duration. */
export interface MailMessages {
  readonly subject: string
  readonly text: string
  /** Replaces `subject` if the email address is being linked to an account. */
  readonly linkSubject: string
  /** Replaces `text` if the email address is being linked to an account. */
  readonly linkText: string
  /** Replaces `subject` if a signed-in user confirms that it is them. */
  readonly confirmSubject: string
  /** Replaces `text` if a signed-in user confirms that it is them. */
  readonly confirmText: string
  readonly code: string
  readonly note: string
}

/** The language of one reply. */
export interface Language {
  /** BCP 47, lower case: the page's `lang`. */
  readonly tag: string
  readonly messages: Messages
}
