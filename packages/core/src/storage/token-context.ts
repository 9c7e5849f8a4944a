import type { Signer } from '../crypto/seal.ts'
import type { Runtime } from '../ports/runtime.ts'
import type { GuardedStorage } from './guard-storage.ts'
import type { Revocations } from './revocations.ts'

/** What may end the tokens for an email address. */
interface Suffixed {
  readonly getTokenSuffix?: (ctx: TokenContext, address: string) => Promise<string>
}

/** What single-use tokens need of a request. */
export interface TokenContext {
  readonly service: {
    readonly storage: GuardedStorage | undefined
    readonly revocations: Revocations
    readonly capabilities: { readonly list: readonly Suffixed[] }
    readonly keys: { readonly token: Signer }
    readonly runtime: Runtime
  }
  /** Seconds since 1970. */
  readonly now: number
}
