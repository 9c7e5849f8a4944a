import type { CapabilityTexts } from './capability-texts.ts'
import type { ErrorCode } from '../ports/error-code.ts'
import type { SecurityChange } from './records.ts'

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
  /** The pages of `secondFactor()`. Default: English */
  readonly secondFactor?: SecondFactorMessages
  /** The pages and emails of passwords. Default: English */
  readonly passwords?: PasswordMessages
  /** The forms and pages of passkeys. Default: English */
  readonly passkeys?: PasskeyMessages
  /** The page of `accountPages()`. Default: English */
  readonly account?: AccountMessages
  /** The emails and pages of `securityEmails()`. Default: English */
  readonly securityEmails?: SecurityMessages
  /** The emails that sign in. Default: English */
  readonly mail?: Partial<MailMessages>
  /** The texts of capabilities of others, by their ids. Default: English */
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

/** The texts of the account page. Of a date, `{name}` is the day. */
export interface AccountMessages {
  readonly heading: string
  readonly saved: string
  /** The heading of name and email address. */
  readonly profile: string
  /** The label of the fields for the name of a user and of a factor. */
  readonly name: string
  readonly save: string
  readonly notVerified: string
  readonly changeEmail: string
  readonly changeEmailText: string
  /** The heading of accounts and email addresses. */
  readonly ways: string
  readonly addWay: string
  /** Removes an account or a factor. */
  readonly remove: string
  /** The heading of second factors. */
  readonly factors: string
  readonly noFactors: string
  /** What a factor of the type `totp` is called if it has no name. */
  readonly totp: string
  /** What recovery codes are called. */
  readonly recovery: string
  readonly newCodes: string
  readonly rename: string
  readonly added: string
  readonly lastUsed: string
  /** The heading of sessions. */
  readonly sessions: string
  readonly thisBrowser: string
  readonly unknownBrowser: string
  readonly since: string
  readonly endSession: string
  readonly endOtherSessions: string
  readonly deleteAccount: string
  readonly deleteText: string
  /** The label of the box that must be ticked. */
  readonly deleteSure: string
  readonly deleted: string
  readonly deletedText: string
  readonly lastWay: string
  /** If the account of the user's email address was to be removed. */
  readonly isEmail: string
  readonly lastFactor: string
  /** `{name}` is a number of characters. */
  readonly invalidName: string
  readonly gone: string
  readonly emailTaken: string
}

/** The texts of the pages of a second factor. */
export interface SecondFactorMessages {
  readonly heading: string
  readonly text: string
  /** The label of the field for a code of an authenticator app. */
  readonly code: string
  /** The label of the field for a recovery code. */
  readonly recoveryCode: string
  /** The heading of the page on which a user enrols an authenticator app. */
  readonly enrol: string
  readonly enrolText: string
  /** Replaces the text before `enrolText` if the service asks every user for a second factor. */
  readonly required: string
  /** Describes the picture that an authenticator app reads. */
  readonly picture: string
  /** The link that opens the key in an authenticator app. */
  readonly openApp: string
  /** The label of the key that a user can type into an authenticator app. */
  readonly key: string
  /** The heading of the page that shows new recovery codes. */
  readonly codes: string
  readonly codesText: string
  /** The label of the box that spares the second factor in this browser; `{name}` is a duration. */
  readonly remember: string
  /** If the user has as many factors of a type as are allowed. */
  readonly tooMany: string
  /** If another request has changed a factor meanwhile. */
  readonly changed: string
}

/** The texts of passkeys. */
export interface PasskeyMessages {
  /** What a passkey without a name is called. */
  readonly name: string
  /** The buttons of the sign-in page, of the page that asks to confirm, and of the second step. */
  readonly signIn: string
  readonly confirm: string
  readonly second: string
  /** The button of the account page. */
  readonly add: string
  /** The heading and the button of the page that offers a passkey. */
  readonly create: string
  readonly createText: string
  readonly notNow: string
  /** What is said of a passkey in a list. */
  readonly synchronised: string
  readonly notSynchronised: string
  /** If the service has refused a passkey, or no user has it. */
  readonly refused: string
  readonly unknown: string
  /** If the browser has failed. */
  readonly failed: string
  /** If the authenticator has a passkey of the user already. */
  readonly registered: string
  /** If the user has 20 passkeys. */
  readonly tooMany: string
}

/** The texts of the pages and emails of passwords. */
export interface PasswordMessages {
  readonly password: string
  /** The link to the form for a forgotten password, and its heading. */
  readonly forgot: string
  readonly forgotText: string
  /** The link to the form of a new account, and its heading. */
  readonly register: string
  readonly registerText: string
  /** The button that sends the link. */
  readonly send: string
  /** The heading of the page on which a password is chosen. */
  readonly choose: string
  /** `{name}` is a number of characters. */
  readonly chooseText: string
  readonly newPassword: string
  /** The button that stores the password. */
  readonly save: string
  /** The heading of the form for a user of a session, whose other sessions end. */
  readonly change: string
  readonly changeText: string
  /** Replaces `change` if the user has no password. */
  readonly add: string
  /** `{name}` is a number of characters. */
  readonly tooShort: string
  /** `{name}` is a number of characters. */
  readonly tooLong: string
  readonly unusable: string
  readonly breached: string
  /** If the link of another user is opened; `{name}` is the user of the session. */
  readonly otherUser: string
  /** If a user whose email address is not proven asks for the form. */
  readonly needsEmail: string
  /** If the link of an imported user is opened in another browser. */
  readonly otherBrowser: string
  /** On the page that lists the other ways in after a reset. */
  readonly waysText: string
  readonly mails: PasswordMailMessages
}

/** The texts of one email: `{name}` is the service's host. */
interface PasswordMailTexts {
  readonly subject: string
  readonly text: string
  readonly button: string
}

/** The texts of the emails of passwords. */
export interface PasswordMailMessages {
  readonly create: PasswordMailTexts
  readonly reset: PasswordMailTexts
  /** If the user signs in by other ways. */
  readonly elsewhere: PasswordMailTexts
  readonly prove: PasswordMailTexts
  /** `{name}` is a list of providers. */
  readonly ways: string
  /** Is below an email without a link that expires. */
  readonly ignore: string
}

/** The texts of emails about security, and of the pages that their link leads to. */
export interface SecurityMessages {
  /** The subject and the heading of an email; `{name}` is the service's host. */
  readonly changes: Readonly<Record<SecurityChange, string>>
  readonly time: string
  /** `{name}` is a description such as `Firefox (Windows)`. */
  readonly browser: string
  /** `{name}` is the name of the provider or of the kind of factor. */
  readonly detail: string
  /** If the limit has held back other emails. */
  readonly further: string
  readonly wasYou: string
  /** Is before the link. */
  readonly wasNotYou: string
  /** `{name}` is a duration. */
  readonly note: string
  /** The button of the email, and the heading and the button of its page. */
  readonly endSessions: string
  readonly endSessionsText: string
  /** The heading of the page after that. */
  readonly sessionsEnded: string
  readonly sessionsEndedText: string
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
