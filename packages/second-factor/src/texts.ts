import { getTexts } from '@latchkey/core/capability/pages'
import type { Messages } from '@latchkey/core'

/** The texts of the pages of a second factor. */
export interface SecondFactorTexts {
  /** What an authenticator app without a name is called. */
  readonly totp: string
  /** What recovery codes are called. */
  readonly recovery: string
  /** The sentence of the section of the account page. */
  readonly accountText: string
  readonly newCodes: string
  /** Is asked before a second factor is removed. */
  readonly removeText: string
  readonly heading: string
  readonly text: string
  /** The label of the field for a code of an authenticator app. */
  readonly code: string
  /** The label of the field for a recovery code. */
  readonly recoveryCode: string
  /** The link from another method to the form for a code of an authenticator app. */
  readonly useApp: string
  /** The link from another method to the form for a recovery code. */
  readonly useRecoveryCode: string
  /** The heading of the page on which a user enrols an authenticator app. */
  readonly enrol: string
  readonly enrolText: string
  /** Replaces the text before `enrolText` if the service asks every user for a second factor. */
  readonly required: string
  /** The text of the page on which a user chooses what to enrol. */
  readonly choose: string
  /** Describes the picture that an authenticator app reads. */
  readonly picture: string
  /** The link that opens the key in an authenticator app. */
  readonly openApp: string
  /** The label of the key that a user can type into an authenticator app. */
  readonly key: string
  /** The heading of the page that shows new recovery codes. */
  readonly codes: string
  readonly codesText: string
  /** The link that stores the recovery codes in a file. */
  readonly download: string
  /** The label of the box that must be ticked before the page is left. */
  readonly saved: string
  /** The label of the box that spares the second factor in this browser; `{name}` is a duration. */
  readonly remember: string
  /** If the user has as many factors of a type as are allowed. */
  readonly tooMany: string
  /** If another request has changed a factor meanwhile. */
  readonly changed: string
}

declare module '@latchkey/core/capability/pages' {
  interface CapabilityTexts {
    readonly secondFactor?: Partial<SecondFactorTexts>
  }
}

/** The texts of second factors in one language: an element of `messages.<language>`. */
export interface SecondFactorTranslation {
  readonly capabilities: {
    readonly secondFactor: SecondFactorTexts
  }
}

/** Returns the texts of the pages of a second factor. */
export function getSecondFactorTexts(messages: Messages): SecondFactorTexts {
  return getTexts(messages, 'secondFactor', englishSecondFactor)
}

/** The English texts. */
export const englishSecondFactor: SecondFactorTexts = {
  totp: 'Authenticator app',
  recovery: 'Recovery codes',
  accountText: 'With a second step, signing in needs more than your email or your password.',
  newCodes: 'Make new recovery codes',
  removeText: 'If you remove it, you are no longer asked for it when you sign in.',
  heading: 'Second step',
  text: 'Prove with a second factor that it is you.',
  code: 'Code from your authenticator app',
  recoveryCode: 'Recovery code',
  useApp: 'Use your authenticator app',
  useRecoveryCode: 'Use a recovery code',
  enrol: 'Set up an authenticator app',
  enrolText:
    'Scan the picture with your authenticator app, or type the key into it. Then enter the code that the app shows.',
  required: 'A second factor is required here.',
  choose: 'Choose a second factor. You are then asked for it when you sign in.',
  picture: 'QR code for your authenticator app',
  openApp: 'Open in an app on this device',
  key: 'Key',
  codes: 'Your recovery codes',
  codesText:
    'Keep these codes in a safe place. Each one replaces your second factor once. They are not shown again.',
  download: 'Download as text',
  saved: 'I have saved these codes',
  remember: 'Do not ask in this browser for {name}',
  tooMany: 'You have 20 of these. Remove one first.',
  changed: 'This was changed elsewhere. Try again.',
}
