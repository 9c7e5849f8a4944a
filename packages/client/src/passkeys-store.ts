import type { ErrorCode } from '@latchkey/core'
import { createAccountStore } from './account-store.ts'
import type { AccountState, AccountStore } from './account-store.ts'
import type { Client } from './index.ts'
import { createPasskeyAccount } from './passkey-account.ts'
import type { PasskeyInfo, PasskeysResult } from './passkey-account.ts'
import { createPasskeys } from './passkeys.ts'
import type { Passkeys, PasskeysOptions } from './passkeys.ts'

/**
 * What a page knows of the passkeys. After a failed read the passkeys that were known before stay, with `error`; the
 * status is `failed` only if there are none.
 */
export type PasskeysState =
  | {
      readonly status: 'ready'
      readonly passkeys: readonly PasskeyInfo[]
      readonly error: ErrorCode | undefined
    }
  | { readonly status: 'failed'; readonly passkeys: null; readonly error: ErrorCode }
  | { readonly status: 'loading'; readonly passkeys: null; readonly error: undefined }
  | { readonly status: 'unauthenticated'; readonly passkeys: null; readonly error: undefined }

/** The passkeys of a page, and their changes. */
export type PasskeysStore = AccountStore<PasskeyInfo, PasskeysResult> &
  Pick<Passkeys, 'create' | 'rename' | 'remove'>

/** Creates the store of a client. */
export function createPasskeysStore(
  client: Client<unknown>,
  options?: PasskeysOptions,
): PasskeysStore {
  const { create } = createPasskeys(client, options)
  const { list, rename, remove } = createPasskeyAccount(client)
  const store = createAccountStore(client, list, (result) =>
    result.ok ? { ok: true, items: result.passkeys } : result,
  )
  return {
    ...store,
    async create(how) {
      const result = await create(how)
      // The device may have a passkey that was created on another page.
      if (result.ok || result.reason === 'alreadyRegistered') await store.read()
      return result
    },
    rename: (id, name, how) => store.readAfter(rename(id, name, how)),
    remove: (id, how) => store.readAfter(remove(id, how)),
  }
}

/** Returns the state as the hook does. */
export function toPasskeysState({ items, ...state }: AccountState<PasskeyInfo>): PasskeysState {
  if (state.status !== 'ready') return { ...state, passkeys: null }
  return { ...state, passkeys: items ?? [] }
}
