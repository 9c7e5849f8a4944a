import type { Signer } from '../crypto/seal.ts'
import type { Provider } from '../ports/provider.ts'
import type { Runtime } from '../ports/runtime.ts'
import type { GuardedStorage } from './guard-storage.ts'

/** What single-use tokens need of a request. */
export interface TokenContext {
  readonly service: {
    readonly storage: GuardedStorage | undefined
    readonly providers: ReadonlyMap<string, Provider>
    readonly keys: { readonly token: Signer }
    readonly runtime: Runtime
  }
  /** Seconds since 1970. */
  readonly now: number
}
