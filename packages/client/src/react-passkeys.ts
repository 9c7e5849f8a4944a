'use client'

import { useMemo } from 'react'
import { createPasskeysStore, toPasskeysState } from './passkeys-store.ts'
import type { PasskeysState } from './passkeys-store.ts'
import type { Passkeys, PasskeysOptions, PasskeysResult } from './passkeys.ts'
import { SessionContext } from './react.ts'
import type { ReactClient } from './react.ts'
import { createStoreFinder, useAccountStore } from './use-account-store.ts'

/** The result of {@link ReactPasskeys.usePasskeys}. The functions stay the same ones while the page is mounted. */
export type UsePasskeysValue = PasskeysState &
  Pick<Passkeys, 'create' | 'rename' | 'remove'> & {
    /** Reads the passkeys again. Concurrent calls share one request. Never rejects. */
    readonly refresh: () => Promise<PasskeysResult>
  }

/** The hook of the passkeys. */
export interface ReactPasskeys {
  /**
   * Returns the passkeys of the session's user, and what changes them. All components share one read; it is repeated
   * after a change and with another session, as after a sign-out in another tab. On a server the status is `loading`.
   *
   * @throws Error outside a `SessionProvider`
   */
  readonly usePasskeys: () => UsePasskeysValue
}

/**
 * Creates the hook for the `SessionProvider` of `createReactClient`. Call it once, beside that function.
 *
 * @example
 *   import { createReactClient } from '@latchkey/client/react'
 *   import { createReactPasskeys } from '@latchkey/client/react-passkeys'
 *   import type { Auth } from '@latchkey/core'
 *
 *   declare const auth: Auth<{ user: { id: string; admin: boolean } }>
 *   const client = createReactClient<typeof auth>()
 *   export const { SessionProvider, useSession, signIn, signOut } = client
 *   export const { usePasskeys } = createReactPasskeys(client)
 */
export function createReactPasskeys<Session>(
  react: Pick<ReactClient<Session>, 'SessionContext'>,
  options?: PasskeysOptions,
): ReactPasskeys {
  const findStore = createStoreFinder((client) => createPasskeysStore(client, options))
  return {
    usePasskeys() {
      const { store, state } = useAccountStore('usePasskeys', react, findStore)
      return useMemo(() => {
        const { refresh, create, rename, remove } = store
        return { ...toPasskeysState(state), refresh, create, rename, remove }
      }, [store, state])
    },
  }
}

/** Returns the passkeys of the session's user, inside the `SessionProvider` of `@latchkey/client/react`. */
export const usePasskeys: ReactPasskeys['usePasskeys'] = /* @__PURE__ */ createReactPasskeys({
  SessionContext,
}).usePasskeys

export type { PasskeysState } from './passkeys-store.ts'
export type {
  PasskeyChangeOptions,
  PasskeyCreateOptions,
  PasskeyCreateResult,
  PasskeyFailure,
  PasskeyInfo,
  PasskeyReason,
  PasskeysOptions,
  PasskeysResult,
} from './passkeys.ts'
