import { getTexts } from '@latchkey/core/capability/pages'
import type { Messages } from '@latchkey/core'

/** The texts of passkeys. */
export interface PasskeyTexts {
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
  /** Replaces the text of a button while the browser shows its dialog. */
  readonly waiting: string
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

declare module '@latchkey/core/capability/pages' {
  interface CapabilityTexts {
    readonly passkeys?: Partial<PasskeyTexts>
  }
}

/** The texts of passkeys in one language: an element of `messages.<language>`. */
export interface PasskeyTranslation {
  readonly capabilities: {
    readonly passkeys: PasskeyTexts
  }
}

/** Returns the texts of passkeys. */
export function getPasskeyTexts(messages: Messages): PasskeyTexts {
  return getTexts(messages, 'passkeys', englishPasskeys)
}

/** The English texts. */
export const englishPasskeys: PasskeyTexts = {
  name: 'Passkey',
  signIn: 'Sign in with a passkey',
  confirm: 'Confirm with a passkey',
  second: 'Use a passkey',
  add: 'Add a passkey',
  create: 'Create a passkey',
  createText: 'With a passkey you sign in as you unlock your device, without a code or a password.',
  waiting: 'Continue in the dialog of your browser…',
  notNow: 'Not now',
  synchronised: 'synchronised',
  notSynchronised: 'only on one device',
  refused: 'This passkey did not work. Try again, or use another way to sign in.',
  unknown: 'This passkey is not known here. Use another way to sign in.',
  failed: 'Your browser could not use a passkey. Try again, or use another way.',
  registered: 'This device has a passkey of your account already.',
  tooMany: 'You have 20 passkeys. Remove one first.',
}
