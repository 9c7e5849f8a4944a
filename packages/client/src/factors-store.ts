import type { ErrorCode, FactorInfo } from '@latchkey/core'
import { createAccountStore } from './account-store.ts'
import type { AccountState, AccountStore } from './account-store.ts'
import { createFactors } from './factors.ts'
import type { Factors, FactorsResult } from './factors.ts'
import type { Client } from './index.ts'

/**
 * What a page knows of the factors. After a failed read the factors that were known before stay, with `error`; the
 * status is `failed` only if there are none.
 */
export type FactorsState =
  | {
      readonly status: 'ready'
      readonly factors: readonly FactorInfo[]
      readonly error: ErrorCode | undefined
    }
  | { readonly status: 'failed'; readonly factors: null; readonly error: ErrorCode }
  | { readonly status: 'loading'; readonly factors: null; readonly error: undefined }
  | { readonly status: 'unauthenticated'; readonly factors: null; readonly error: undefined }

/** The factors of a page, and their changes. */
export type FactorsStore = AccountStore<FactorInfo, FactorsResult> & Omit<Factors, 'list'>

/** Creates the store of a client. */
export function createFactorsStore(client: Client<unknown>): FactorsStore {
  const { list, enrol, rename, remove } = createFactors(client)
  const store = createAccountStore(client, list, (result) =>
    result.ok ? { ok: true, items: result.factors } : result,
  )
  return {
    ...store,
    async enrol(method, options) {
      const result = await enrol(method, options)
      // Nothing else is stored before the user has typed a code (I-53.2).
      if ('codes' in result) await store.read()
      return result
    },
    rename: (factor, name, options) => store.readAfter(rename(factor, name, options)),
    remove: (factor, options) => store.readAfter(remove(factor, options)),
  }
}

/** Returns the state as the hook does. */
export function toFactorsState({ items, ...state }: AccountState<FactorInfo>): FactorsState {
  if (state.status !== 'ready') return { ...state, factors: null }
  return { ...state, factors: items ?? [] }
}
