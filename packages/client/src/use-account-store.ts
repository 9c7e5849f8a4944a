'use client'

import { useContext, useSyncExternalStore } from 'react'
import { loading } from './account-store.ts'
import type { AccountState, AccountStore } from './account-store.ts'
import type { Client } from './index.ts'
import type { ReactClient } from './react.ts'

/** Finds the store of a client, which all components share. */
export type StoreFinder<Store> = (client: Client<unknown>) => Store

/** Returns a function that creates one store for each client. */
export function createStoreFinder<Store>(
  create: (client: Client<unknown>) => Store,
): StoreFinder<Store> {
  const stores = new WeakMap<Client<unknown>, Store>()
  return (client) => {
    const store = stores.get(client) ?? create(client)
    stores.set(client, store)
    return store
  }
}

/**
 * Returns the store of the client of the `SessionProvider`, and its state.
 *
 * @param hook The name of the hook that calls this one
 * @throws Error outside a `SessionProvider`
 */
export function useAccountStore<Session, Item, Store extends AccountStore<Item, unknown>>(
  hook: string,
  { SessionContext }: Pick<ReactClient<Session>, 'SessionContext'>,
  findStore: StoreFinder<Store & AccountStore<Item, unknown>>,
): { readonly store: Store; readonly state: AccountState<Item> } {
  const client = useContext(SessionContext)?.client
  if (!client) throw new Error(`${hook} must be used inside a SessionProvider`)
  const store = findStore(client)
  const state = useSyncExternalStore(store.subscribe, store.getSnapshot, () => loading)
  return { store, state }
}
