import { toBase64url } from '../crypto/encoding.ts'
import type { Signer } from '../crypto/seal.ts'
import type { OneTimeTokens, Provider, Purpose } from '../ports/provider.ts'
import type { Runtime } from '../ports/runtime.ts'
import { requireStorage } from './guard-storage.ts'
import type { GuardedStorage } from './guard-storage.ts'

/** What single-use tokens need of a request. */
interface TokenContext {
  readonly service: {
    readonly storage: GuardedStorage | undefined
    readonly keys: { readonly token: Signer }
    readonly runtime: Runtime
  }
  /** Seconds since 1970. */
  readonly now: number
}

/**
 * Creates the single-use tokens of a provider (I-30). Tokens of another provider are not valid for it.
 *
 * @throws ConfigurationError if there is no storage
 */
export function createOneTimeTokens(
  { service, now }: TokenContext,
  { id: providerId }: Pick<Provider, 'id'>,
): OneTimeTokens {
  const { keys, runtime } = service
  const storage = requireStorage(service.storage, `providers.${providerId}`, [])
  const bind = (purpose: Purpose, identifier: string, token: string): string =>
    JSON.stringify([providerId, purpose, identifier, token])
  const useById = async (identifier: string, id: string): Promise<boolean> =>
    (await storage.useVerificationToken(identifier, id, now)) !== undefined
  return {
    async issue(purpose, identifier, lifetime) {
      const token = toBase64url(runtime.random(32))
      const id = await keys.token.sign(bind(purpose, identifier, token))
      await storage.createVerificationToken({ identifier, token: id, expires: now + lifetime })
      return { token, id }
    },
    async use(purpose, identifier, token) {
      // A token issued under an older secret has the id that this secret gives.
      for (const id of await keys.token.signWithAll(bind(purpose, identifier, token))) {
        if (await useById(identifier, id)) return true
      }
      return false
    },
    useById,
    count: (key, window) => storage.increment(key, window, now),
    sign: (text) => keys.token.sign(text),
    verify: (text, mac) => keys.token.verify(text, mac),
  }
}
