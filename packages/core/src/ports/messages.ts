import type { ErrorCode } from '../errors.ts'

/** The texts of pages, JSON refusals and emails in one language. `{name}` stands for a value. */
export interface Messages {
  /** `rtl` for languages written from right to left. */
  readonly direction: 'ltr' | 'rtl'
  readonly signIn: string
  readonly signInWith: string
  readonly signInTo: string
  readonly signOut: string
  readonly signOutQuestion: string
  /** After a sign-out that could not reach the storage; `{name}` is a number of days. */
  readonly signedOutHere: string
  readonly checkEmail: string
  readonly checkEmailText: string
  /** The label of the field for an email address. */
  readonly email: string
  /** The label of the field for an eight-digit code. */
  readonly code: string
  readonly wrongCode: string
  /** Replaces the sentence of `EmailSignin` if the mailer failed, which is not the user's mistake. */
  readonly emailNotSent: string
  readonly confirm: string
  readonly confirmText: string
  readonly error: string
  readonly back: string
  readonly mail: MailMessages
  readonly errors: Readonly<Record<ErrorCode, string>>
}

/** The texts of a sign-in email: `{name}` is the service's host, in `note` the number of minutes. */
export interface MailMessages {
  readonly subject: string
  readonly text: string
  /** Replaces `subject` if the email address is being linked to an account. */
  readonly linkSubject: string
  /** Replaces `text` if the email address is being linked to an account. */
  readonly linkText: string
  readonly code: string
  readonly note: string
}

/** The language of one reply. */
export interface Language {
  /** BCP 47, lower case: the page's `lang`. */
  readonly tag: string
  readonly messages: Messages
}
