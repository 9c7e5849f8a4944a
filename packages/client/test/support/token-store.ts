import type { TokenStore } from '../../src/native.ts'

/** A store of tokens in memory, whose text a test reads and changes. */
export interface KeptTokens extends TokenStore {
  text: string | undefined
}

/** Creates a store that keeps nothing yet. */
export function createTokenStore(): KeptTokens {
  const store: KeptTokens = {
    text: undefined,
    get: async () => store.text,
    set: async (text) => void (store.text = text),
    delete: async () => void (store.text = undefined),
  }
  return store
}
