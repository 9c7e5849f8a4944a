/**
 * Returns whether the browser can use passkeys: false on a server, on a page without https, and in browsers that do not
 * convert the options and responses of passkeys from and to JSON, such as Safari before 18.4.
 *
 * @example
 *   import { isPasskeySupported } from '@latchkey/client/passkeys'
 *
 *   const button = document.querySelector<HTMLButtonElement>('#passkey')
 *   if (button) button.hidden = !isPasskeySupported()
 */
export function isPasskeySupported(): boolean {
  return (
    typeof PublicKeyCredential === 'function' &&
    'parseRequestOptionsFromJSON' in PublicKeyCredential &&
    'parseCreationOptionsFromJSON' in PublicKeyCredential &&
    'toJSON' in PublicKeyCredential.prototype
  )
}

/**
 * Returns whether the browser shows passkeys in an input with `autocomplete="username webauthn"`, which
 * `signInByAutofill` needs. Never rejects.
 *
 * @example
 *   import { createPasskeys, isPasskeyAutofillSupported } from '@latchkey/client/passkeys'
 *
 *   const { signInByAutofill } = createPasskeys()
 *   if (await isPasskeyAutofillSupported()) await signInByAutofill({ callbackUrl: '/' })
 */
export async function isPasskeyAutofillSupported(): Promise<boolean> {
  if (!isPasskeySupported()) return false
  return isAvailable(() => PublicKeyCredential.isConditionalMediationAvailable?.())
}

/** Returns whether the browser can create a passkey without a dialog after a sign-in. Never rejects. */
export async function isAutomaticCreationSupported(): Promise<boolean> {
  return isAvailable(async () => {
    const capabilities = await PublicKeyCredential.getClientCapabilities?.()
    return capabilities?.['conditionalCreate']
  })
}

async function isAvailable(ask: () => Promise<boolean | undefined> | undefined): Promise<boolean> {
  try {
    return (await ask()) ?? false
  } catch {
    // What the browser cannot say is not supported.
    return false
  }
}
