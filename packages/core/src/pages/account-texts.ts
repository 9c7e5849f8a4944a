import type { AccountMessages, Messages } from '../ports/messages.ts'

/** Returns the texts of the account page. */
export function getAccountTexts({ account = englishAccount }: Messages): AccountMessages {
  return account
}

/** The English texts: they are here so that only applications with account pages bundle them. */
export const englishAccount: AccountMessages = {
  heading: 'Your account',
  saved: 'Your changes are saved.',
  profile: 'About you',
  name: 'Name',
  save: 'Save',
  notVerified: 'not verified',
  changeEmail: 'Change the email address',
  changeEmailText: 'We send a link to the new email address. Open it in this browser.',
  ways: 'Ways to sign in',
  addWay: 'Add a way to sign in',
  remove: 'Remove',
  factors: 'Second step',
  noFactors: 'Add a second step, so that signing in needs more than your email.',
  totp: 'Authenticator app',
  recovery: 'Recovery codes',
  newCodes: 'Make new recovery codes',
  rename: 'Change',
  added: 'Added on {name}',
  lastUsed: 'last used on {name}',
  sessions: 'Where you are signed in',
  thisBrowser: 'This browser',
  unknownBrowser: 'Unknown browser',
  since: 'Signed in on {name}',
  endSession: 'Sign out there',
  endOtherSessions: 'Sign out everywhere else',
  deleteAccount: 'Delete the account',
  deleteText: 'Your account and everything that belongs to it is deleted. This cannot be undone.',
  deleteSure: 'I want to delete my account',
  deleted: 'Your account is deleted',
  deletedText: 'You are signed out everywhere.',
  isEmail: 'This is your email address. Change it to remove it.',
  lastWay: 'This is your only way to sign in. Add another one first.',
  lastFactor: 'A second step is required here. Add another one first.',
  invalidName: 'Enter a name of at most {name} characters.',
  gone: 'This does not exist any more. It may have been changed in another window.',
  emailTaken: 'Another account has this email address. Your email address was not changed.',
}

/** Returns what a second factor without a name is called. */
export function toTypeName({ totp, recovery }: AccountMessages, type: string): string {
  if (type === 'totp') return totp
  return type === 'recovery' ? recovery : type
}
