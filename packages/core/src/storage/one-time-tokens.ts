import { toBase64url } from '../crypto/encoding.ts'
import type { Signer } from '../crypto/seal.ts'
import type { OneTimeTokens, Provider, Purpose } from '../ports/provider.ts'
import type { Runtime } from '../ports/runtime.ts'
import { requireStorage } from './guard-storage.ts'
import type { GuardedStorage } from './guard-storage.ts'
import { createRevocations } from './revocations.ts'

/** What single-use tokens need of a request. */
interface TokenContext {
  readonly service: {
    readonly storage: GuardedStorage | undefined
    readonly providers: ReadonlyMap<string, Provider>
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
  const bind = async (purpose: Purpose, identifier: string, token: string): Promise<string> => {
    const endedAt = await getLinksEndedAt({ service, now }, identifier)
    const ended = endedAt === undefined ? [] : [endedAt]
    return JSON.stringify([providerId, purpose, identifier, token, ...ended])
  }
  const useById = async (identifier: string, id: string): Promise<boolean> =>
    (await storage.useVerificationToken(identifier, id, now)) !== undefined
  return {
    async issue(purpose, identifier, lifetime) {
      const token = toBase64url(runtime.random(32))
      const id = await keys.token.sign(await bind(purpose, identifier, token))
      await storage.createVerificationToken({ identifier, token: id, expires: now + lifetime })
      return { token, id }
    },
    async use(purpose, identifier, token) {
      // A token issued under an older secret has the id that this secret gives.
      for (const id of await keys.token.signWithAll(await bind(purpose, identifier, token))) {
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

/** Seconds for which the end of links is remembered: longer than any link is valid. */
const ENDED_LINKS_LIFETIME = 400 * 86_400

/** Ends all links to an email address that were issued until now, whichever provider has sent them (I-55.5). */
export function endLinks({ service, now }: TokenContext, address: string): Promise<void> {
  const revocations = createRevocations(service.storage)
  return revocations.revoke(`links ${address}`, now, now + ENDED_LINKS_LIFETIME)
}

/**
 * Returns when the links to an email address have ended, in seconds since 1970: it is part of what makes the id of a token, so
 * that no earlier token is found. Undefined if they have not, or no provider ends any.
 */
async function getLinksEndedAt(
  { service: { providers, storage }, now }: TokenContext,
  address: string,
): Promise<number | undefined> {
  if (![...providers.values()].some(({ signsInByFactor }) => signsInByFactor)) return undefined
  return createRevocations(storage).getRevokedAt(`links ${address}`, now)
}
