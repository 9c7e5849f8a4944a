import { toBase64url } from '../crypto/encoding.ts'
import type { Signer } from '../crypto/seal.ts'
import { toChangeTime } from '../lib/change-time.ts'
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
  const bind = (purpose: Purpose, identifier: string, token: string): string =>
    JSON.stringify([providerId, purpose, identifier, token])
  const take = async (identifier: string, id: string): Promise<boolean> =>
    (await storage.useVerificationToken(identifier, id, now)) !== undefined
  return {
    async issue(purpose, identifier, lifetime) {
      const token = toBase64url(runtime.random(32))
      const suffix = await getSuffix({ service, now }, identifier)
      const id = (await keys.token.sign(bind(purpose, identifier, token))) + suffix
      await storage.createVerificationToken({ identifier, token: id, expires: now + lifetime })
      return { token, id }
    },
    async use(purpose, identifier, token) {
      const suffix = await getSuffix({ service, now }, identifier)
      // A token issued under an older secret has the id that this secret gives.
      for (const id of await keys.token.signWithAll(bind(purpose, identifier, token))) {
        if (await take(identifier, id + suffix)) return true
      }
      return false
    },
    async useById(identifier, id) {
      const suffix = id.includes('.') ? id.slice(id.indexOf('.')) : ''
      return suffix === (await getSuffix({ service, now }, identifier)) && take(identifier, id)
    },
    count: (key, window) => storage.increment(key, window, now),
    sign: (text) => keys.token.sign(text),
    verify: (text, mac) => keys.token.verify(text, mac),
  }
}

/** Seconds for which the end of links is remembered: longer than any link is valid. */
const ENDED_LINKS_LIFETIME = 400 * 86_400

/** Ends all links to an email address that were issued until now, whichever provider has sent them (I-55.5). */
export async function endLinks(ctx: TokenContext, address: string): Promise<void> {
  const { service, now } = ctx
  // Another time than before, also within a second, so that no link of before has the suffix of those that follow.
  const revokedAt = toChangeTime(now, await getLinksEndedAt(ctx, address))
  const revocations = createRevocations(service.storage)
  await revocations.revoke(`links ${address}`, revokedAt, now + ENDED_LINKS_LIFETIME)
}

/**
 * Returns what the ids of all valid tokens for an email address end with: when its links have ended, in seconds since
 * 1970, or nothing.
 */
async function getSuffix(ctx: TokenContext, address: string): Promise<string> {
  const endedAt = await getLinksEndedAt(ctx, address)
  return endedAt === undefined ? '' : `.${endedAt}`
}

async function getLinksEndedAt(
  { service: { providers, storage }, now }: TokenContext,
  address: string,
): Promise<number | undefined> {
  if (![...providers.values()].some(({ signsInByFactor }) => signsInByFactor)) return undefined
  return createRevocations(storage).getRevokedAt(`links ${address}`, now)
}
