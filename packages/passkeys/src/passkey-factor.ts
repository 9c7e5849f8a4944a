import type { Messages } from '@latchkey/core'
import { getPasskeyTexts } from './texts.ts'

/** A method of `secondFactor()` for which the provider `passkeys()` asks. */
export interface PasskeyFactor {
  readonly id: 'passkey'
  readonly isProvider: true
  /** Returns the text of the link to it from the page of another method. */
  readonly link: (messages: Messages) => string
}

/**
 * Makes passkeys a second factor: a method of `secondFactor()`. A user who has a passkey is then asked for it after every
 * other way of signing in. It needs the provider `passkeys()`. A sign-in by a passkey that has verified its user is two factors in
 * any case.
 *
 * @example
 *   import { createAuth } from '@latchkey/core'
 *   import type { AuthConfig } from '@latchkey/core'
 *   import { recoveryCodes, secondFactor, totp } from '@latchkey/second-factor'
 *   import { passkeyFactor, passkeys } from '@latchkey/passkeys'
 *
 *   declare const config: AuthConfig
 *   const auth = createAuth({
 *     ...config,
 *     providers: [...config.providers, passkeys()],
 *     use: [secondFactor({ methods: [passkeyFactor(), totp(), recoveryCodes()] })],
 *   })
 */
export function passkeyFactor(): PasskeyFactor {
  return { id: 'passkey', isProvider: true, link: (messages) => getPasskeyTexts(messages).second }
}
