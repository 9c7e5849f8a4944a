import { toBase64url } from '../crypto/encoding.ts'
import type { OneTimeTokens, Purpose } from '../ports/provider.ts'
import type { Runtime } from '../ports/runtime.ts'
import type { Storage } from '../ports/storage.ts'
import type { Signer } from '../crypto/seal.ts'

/**
 * Single-use tokens in the storage (I-30).
 *
 * @param providerId Whose tokens: those of another provider are others
 * @param now Seconds since 1970
 */
export function createOneTimeTokens(
  storage: Storage,
  signer: Signer,
  random: Runtime['random'],
  providerId: string,
  now: number,
): OneTimeTokens {
  const useById = async (identifier: string, id: string): Promise<boolean> =>
    (await storage.useVerificationToken(identifier, id, now)) !== undefined
  return {
    async issue(purpose, identifier, lifetime) {
      const token = toBase64url(random(32))
      const id = await signer.sign(bound(providerId, purpose, identifier, token))
      await storage.createVerificationToken({ identifier, token: id, expires: now + lifetime })
      return { token, id }
    },
    async use(purpose, identifier, token) {
      // A token that was issued under an older secret has the id that this one gave it.
      for (const id of await signer.signWithAll(bound(providerId, purpose, identifier, token))) {
        if (await useById(identifier, id)) return true
      }
      return false
    },
    useById,
    count: (key, window) => storage.increment(key, window, now),
    sign: (text) => signer.sign(text),
    verify: (text, mac) => signer.verify(text, mac),
  }
}

function bound(...parts: readonly [string, Purpose, string, string]): string {
  return JSON.stringify(parts)
}
