'use client'

import { useMemo } from 'react'
import { createFactorsStore, toFactorsState } from './factors-store.ts'
import type { FactorsState } from './factors-store.ts'
import type { Factors, FactorsResult } from './factors.ts'
import { SessionContext } from './react.ts'
import type { ReactClient } from './react.ts'
import { createStoreFinder, useAccountStore } from './use-account-store.ts'

/** The result of {@link ReactFactors.useFactors}. The functions stay the same ones while the page is mounted. */
export type UseFactorsValue = FactorsState &
  Omit<Factors, 'list'> & {
    /** Reads the factors again. Concurrent calls share one request. Never rejects. */
    readonly refresh: () => Promise<FactorsResult>
  }

/** The hook of the second factors. */
export interface ReactFactors {
  /**
   * Returns the second factors of the session's user, and what changes them. All components share one read; it is
   * repeated after a change and with another session, as after a sign-out in another tab. On a server the status is `loading`.
   *
   * @throws Error outside a `SessionProvider`
   */
  readonly useFactors: () => UseFactorsValue
}

/** Shared by all hooks of factors. */
const findStore = /* @__PURE__ */ createStoreFinder(createFactorsStore)

/**
 * Creates the hook for the `SessionProvider` of `createReactClient`. Call it once, beside that function.
 *
 * @example
 *   import { createReactClient } from '@latchkey/client/react'
 *   import { createReactFactors } from '@latchkey/client/react-factors'
 *   import type { Auth } from '@latchkey/core'
 *
 *   declare const auth: Auth<{ user: { id: string; admin: boolean } }>
 *   const client = createReactClient<typeof auth>()
 *   export const { SessionProvider, useSession, signIn, signOut } = client
 *   export const { useFactors } = createReactFactors(client)
 */
export function createReactFactors<Session>(
  react: Pick<ReactClient<Session>, 'SessionContext'>,
): ReactFactors {
  return {
    useFactors() {
      const { store, state } = useAccountStore('useFactors', react, findStore)
      return useMemo(() => {
        const { refresh, enrol, rename, remove } = store
        return { ...toFactorsState(state), refresh, enrol, rename, remove }
      }, [store, state])
    },
  }
}

/** Returns the second factors of the session's user, inside the `SessionProvider` of `@latchkey/client/react`. */
export const useFactors: ReactFactors['useFactors'] = /* @__PURE__ */ createReactFactors({
  SessionContext,
}).useFactors

export type { FactorsState } from './factors-store.ts'
export type { EnrolResult, FactorInfo, FactorKey, FactorOptions, FactorsResult } from './factors.ts'
