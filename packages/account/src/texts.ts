import { getTexts } from '@latchkey/core/capability/pages'
import type { Messages, SecurityChange } from '@latchkey/core'

/** The texts of the account page. Of a date, `{name}` is the day. */
export interface AccountTexts {
  readonly heading: string
  readonly saved: string
  /** The heading of name and email address. */
  readonly profile: string
  readonly profileText: string
  readonly save: string
  readonly notVerified: string
  readonly changeEmail: string
  readonly changeEmailText: string
  readonly waysText: string
  readonly addWay: string
  /** The heading of the page that asks before something is removed. */
  /** `{name}` is what a row is called, in quotation marks: it begins with a capital. */
  readonly removeHeading: string
  readonly removeText: string
  readonly rename: string
  /** The heading of sessions. */
  readonly sessions: string
  readonly sessionsText: string
  readonly thisBrowser: string
  readonly unknownBrowser: string
  readonly since: string
  readonly endSession: string
  readonly endOtherSessions: string
  readonly deleteAccount: string
  readonly deleteText: string
  readonly deleted: string
  readonly deletedText: string
  readonly emailTaken: string
}

/** The texts of emails about security, and of the pages that their link leads to. */
export interface SecurityTexts {
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

declare module '@latchkey/core/capability/pages' {
  interface CapabilityTexts {
    readonly account?: Partial<AccountTexts>
    readonly securityEmails?: Partial<SecurityTexts>
  }
}

/** The texts of the package in one language: an element of `messages.<language>`. */
export interface AccountTranslation {
  readonly capabilities: {
    readonly account: AccountTexts
    readonly securityEmails: SecurityTexts
  }
}

/** Returns the texts of the account page. */
export function getAccountTexts(messages: Messages): AccountTexts {
  return getTexts(messages, 'account', englishAccount)
}

/** Returns the texts about security. */
export function getSecurityTexts(messages: Messages): SecurityTexts {
  return getTexts(messages, 'securityEmails', englishSecurity)
}

/** The English texts. */
export const englishAccount: AccountTexts = {
  heading: 'Your account',
  saved: 'Your changes are saved.',
  profile: 'About you',
  profileText: 'Your name, and the email address that we write to.',
  save: 'Save',
  notVerified: 'not verified',
  changeEmail: 'Change the email address',
  changeEmailText: 'We send a link to the new email address. Open it in this browser.',
  waysText: 'Each of these signs you in. Keep two, in case you lose one.',
  addWay: 'Add a way to sign in',
  removeHeading: 'Remove “{name}”?',
  removeText: 'If you remove it, you can no longer sign in with it. You can add it again later.',
  rename: 'Change',
  sessions: 'Where you are signed in',
  sessionsText: 'Sign out what you do not recognise.',
  thisBrowser: 'This browser',
  unknownBrowser: 'Unknown browser',
  since: 'Signed in on {name}',
  endSession: 'Sign out there',
  endOtherSessions: 'Sign out everywhere else',
  deleteAccount: 'Delete the account',
  deleteText: 'Your account and everything that belongs to it is deleted. This cannot be undone.',
  deleted: 'Your account is deleted',
  deletedText: 'You are signed out everywhere.',
  emailTaken: 'Another account has this email address. Your email address was not changed.',
}

/** The English texts. */
export const englishSecurity: SecurityTexts = {
  changes: {
    newBrowser: 'A new browser signed in to your account at {name}',
    factorAdded: 'A second factor was added to your account at {name}',
    factorRemoved: 'A second factor was removed from your account at {name}',
    recoveryCodeUsed: 'A recovery code of your account at {name} was used',
    recoveryCodesReplaced: 'New recovery codes were created for your account at {name}',
    secondFactorFailed: 'Many wrong codes were entered for your account at {name}',
    passwordChanged: 'The password of your account at {name} was changed',
    emailChanged: 'The email address of your account at {name} was changed',
    accountLinked: 'A way to sign in was added to your account at {name}',
    accountUnlinked: 'A way to sign in was removed from your account at {name}',
    applicationAllowed: 'An application was allowed to use your account at {name}',
    applicationReused: 'The access of an application to your account at {name} was ended',
  },
  time: 'Time: {name}',
  browser: 'Browser: {name}',
  detail: 'Name: {name}',
  further: 'There were further changes since our last email.',
  wasYou: 'If this was you, ignore this email.',
  wasNotYou: 'If this was not you, open this link to end all sessions:',
  note: 'The link works once and expires in {name}.',
  endSessions: 'End all sessions',
  endSessionsText: 'Your account is signed out in every browser. Then sign in again.',
  sessionsEnded: 'All sessions have ended',
  sessionsEndedText:
    'Your account is signed out in every browser. Sign in again, and check what was changed.',
}
