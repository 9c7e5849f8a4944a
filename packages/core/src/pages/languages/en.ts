import type { Messages } from '../../ports/messages.ts'

const tryAgain = 'We could not sign you in. Try again.'
const noAccount = 'We could not create your account. Try again.'

/** English: the default, and the fallback for texts that a configured language leaves out. */
export const en: Messages = {
  direction: 'ltr',
  signIn: 'Sign in',
  signInWith: 'Sign in with {name}',
  signInTo: 'to continue to {name}',
  signOut: 'Sign out',
  signOutQuestion: 'Do you want to sign out?',
  signedOutHere:
    'You are signed out in this browser. A copy of the session may stay valid for up to {name} days.',
  checkEmail: 'Check your email',
  checkEmailText: 'We sent you a link that signs you in. You can close this page.',
  email: 'Email address',
  code: 'Or type the eight-digit code from the email',
  wrongCode: 'This code is wrong or has expired. Check it and try again.',
  emailNotSent: 'We could not send the email. Try again in a minute.',
  confirm: 'Sign in as {name}?',
  confirmText: 'You opened a sign-in link. If you did not request it, close this page.',
  mail: {
    subject: 'Sign in to {name}',
    text: 'Open this link to sign in to {name}:',
    linkSubject: 'Add this email address to your account at {name}',
    linkText: 'Open this link only if you are adding this email address to your account at {name}:',
    code: 'Or type this code on the page where you requested it:',
    note: 'It works once and expires in {name} minutes. If you did not request it, ignore this email.',
  },
  error: 'Something went wrong',
  back: 'Back to {name}',
  errors: {
    Configuration: 'This service is not configured correctly. Contact its operator.',
    AccessDenied: 'You do not have access. Sign in with another account.',
    Verification: 'This link or code has expired or was used already. Request a new one.',
    Default: 'We could not handle this request. Go back and try again.',
    OAuthSignin: 'We could not reach the sign-in provider. Try again in a minute.',
    OAuthCallback: tryAgain,
    OAuthCreateAccount: noAccount,
    OAuthAccountNotLinked: 'Sign in the way you did the first time.',
    EmailSignin: 'We could not send the email. Check the email address and try again.',
    EmailCreateAccount: noAccount,
    CredentialsSignin: 'These details do not match. Check them and try again.',
    Callback: tryAgain,
    SessionRequired: 'Sign in to see this page.',
    Csrf: 'This page has expired. Nothing was changed. Try again.',
    Cancelled: 'You cancelled the sign-in. You can try again at any time.',
    RateLimited: 'Too many attempts. Wait a while and try again.',
    Unavailable: 'This service is not available right now. Try again in a minute.',
  },
}
