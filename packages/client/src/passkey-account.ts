import { changeAccount, readAccount } from './account.ts'
import type { Result } from './follow.ts'
import type { Client, Failure } from './index.ts'
import { signalAccepted, signalUnknown } from './passkey-signals.ts'
import type { UserDetails } from './passkey-signals.ts'

/** A passkey of the user. Times are seconds since 1970. */
export interface PasskeyInfo {
  readonly type: 'passkey'
  /** Names the passkey in `rename` and `remove`. */
  readonly id: string
  readonly name: string | null
  readonly createdAt: number
  readonly changedAt: number
  readonly lastUsedAt: number | null
  /** The credential ID in base64url. */
  readonly credentialId: string
  /** The user handle in base64url. */
  readonly userHandle: string
  readonly rpId: string
  /** Whether a passkey manager synchronises it to other devices. */
  readonly isSynchronised: boolean
}

/** The options of {@link PasskeyAccount.rename} and {@link PasskeyAccount.remove}. */
export interface PasskeyChangeOptions {
  /** The URL to return to after a confirmation. Default: the current page. */
  readonly callbackUrl?: string
  /** Whether the page navigates to the page that asks to confirm. Default: true. */
  readonly redirect?: boolean
}

/** The passkeys, null without a session; or the failure. */
export type PasskeysResult =
  { readonly ok: true; readonly passkeys: readonly PasskeyInfo[] | null } | Failure

/** The passkeys of the account. */
export interface PasskeyAccount {
  /**
   * Reads the passkeys of the user, oldest first, and signals them to the passkey managers of the browser: these hide
   * passkeys that were removed.
   */
  readonly list: () => Promise<PasskeysResult>
  /**
   * Names a passkey. A user who must confirm first is led to that page, and from there to `callbackUrl`, where they
   * make the change again (`ConfirmationRequired`); other failures do not navigate.
   *
   * @param id The `id` of the passkey
   * @param name At most 64 characters; null removes the name
   */
  readonly rename: (
    id: string,
    name: string | null,
    options?: PasskeyChangeOptions,
  ) => Promise<Result>
  /**
   * Removes a passkey, and signals that to the passkey managers of the browser. Confirmation is as for
   * {@link PasskeyAccount.rename}. The last way of a user to sign in, and a second factor that is required, are
   * refused with the status 409, and `message` says so.
   *
   * @param id The `id` of the passkey
   */
  readonly remove: (id: string, options?: PasskeyChangeOptions) => Promise<Result>
}

/** Creates the functions. The caller reads the list after a change, which signals it. */
export function createPasskeyAccount(client: Client<unknown>): PasskeyAccount {
  const known = new Map<string, PasskeyInfo>()
  return {
    async list() {
      const result = await readAccount(client)
      if (!result.ok) return result
      if (!result.account) return { ok: true, passkeys: null }
      const { user, passkeys: listed } = result.account
      // Absent without the provider.
      const passkeys: readonly PasskeyInfo[] = Array.isArray(listed) ? listed : []
      for (const passkey of passkeys) known.set(passkey.id, passkey)
      signalAccepted(passkeys, toUserDetails(user))
      return { ok: true, passkeys }
    },
    rename: (id, name, options) =>
      changeAccount(client, { action: 'renamePasskey', id, name: name ?? '' }, options),
    async remove(id, options) {
      const result = await changeAccount(client, { action: 'removePasskey', id }, options)
      const passkey = known.get(id)
      // The list after the removal of the last passkey has no user handle to signal.
      if (result.ok && passkey) signalUnknown(passkey.rpId, passkey.credentialId)
      return result
    },
  }
}

function toUserDetails(user: unknown): UserDetails | undefined {
  if (typeof user !== 'object' || user === null) return undefined
  const name = 'name' in user && typeof user.name === 'string' ? user.name : ''
  const email = 'email' in user && typeof user.email === 'string' ? user.email : ''
  return name || email ? { name: email || name, displayName: name || email } : undefined
}
