import { getTexts } from '@latchkey/core/capability/pages'
import type { Messages } from '@latchkey/core'

/** The texts of the pages and emails of passwords. */
export interface PasswordTexts {
  readonly password: string
  /** The link to the form for a forgotten password, and its heading. */
  readonly forgot: string
  readonly forgotText: string
  /** Is before the link `register`. */
  readonly newHere: string
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
  readonly mails: PasswordMailTexts
}

/** The texts of one email: `{name}` is the service's host. */
interface OneMailTexts {
  readonly subject: string
  readonly text: string
  readonly button: string
}

/** The texts of the emails of passwords. */
interface PasswordMailTexts {
  readonly create: OneMailTexts
  readonly reset: OneMailTexts
  /** If the user signs in by other ways. */
  readonly elsewhere: OneMailTexts
  readonly prove: OneMailTexts
  /** `{name}` is a list of providers. */
  readonly ways: string
  /** Is below an email without a link that expires. */
  readonly ignore: string
}

declare module '@latchkey/core/capability/pages' {
  interface CapabilityTexts {
    readonly passwords?: Partial<PasswordTexts>
  }
}

/** The texts of passwords in one language: an element of `messages.<language>`. */
export interface PasswordTranslation {
  readonly capabilities: {
    readonly passwords: PasswordTexts
  }
}

/** Returns the texts of the pages and emails of passwords. */
export function getPasswordTexts(messages: Messages): PasswordTexts {
  return getTexts(messages, 'passwords', englishPasswords)
}

/** The English texts. */
export const englishPasswords: PasswordTexts = {
  password: 'Password',
  forgot: 'Forgot your password?',
  forgotText: 'Enter your email address. We send you a link to choose a new password.',
  newHere: 'New here?',
  register: 'Create an account',
  registerText: 'Enter your email address. We send you a link to choose a password.',
  send: 'Send the link',
  choose: 'Choose a password',
  chooseText: 'Use at least {name} characters. Several words that do not belong together are good.',
  newPassword: 'New password',
  save: 'Save the password',
  change: 'Change your password',
  changeText: 'You are then signed out everywhere else.',
  add: 'Add a password',
  tooShort: 'Choose a password of at least {name} characters.',
  tooLong: 'Choose a password of at most {name} characters.',
  unusable: 'This password has characters that cannot be used. Choose another one.',
  breached: 'This password is known from a data breach. Choose another one.',
  otherUser: 'You are signed in as {name}. This page is for another account.',
  needsEmail: 'A password needs a verified email address. Verify yours first.',
  otherBrowser:
    'Open this link in the browser in which you typed your password. If that was not you, close this page: nothing has happened.',
  waysText:
    'Your new password is saved. The following also belongs to your account. Remove what you do not recognise.',
  mails: {
    create: {
      subject: 'Create your account at {name}',
      text: 'Open this link to choose a password for your new account at {name}:',
      button: 'Choose a password',
    },
    reset: {
      subject: 'Choose a new password for {name}',
      text: 'Open this link to choose a new password for your account at {name}:',
      button: 'Choose a new password',
    },
    elsewhere: {
      subject: 'Your account at {name}',
      text: 'You have an account at {name}, without a password. Sign in first; then you can add one:',
      button: 'Sign in',
    },
    prove: {
      subject: 'Verify your email address for {name}',
      text: 'Open this link in the browser in which you have just typed your password for {name}:',
      button: 'Verify the email address',
    },
    ways: 'You can also sign in with {name}.',
    ignore: 'If you did not ask for this email, ignore it.',
  },
}
