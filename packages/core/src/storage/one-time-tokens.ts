import { toBase64url } from '../crypto/encoding.ts'
import type { OneTimeTokens, Provider, Purpose } from '../ports/provider.ts'
import { getActions } from '../provider-actions.ts'
import type { TokenContext } from './token-context.ts'
import { requireStorage } from './guard-storage.ts'

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

/** Returns what the ids of all valid tokens for an email address end with, if a provider ends them by it. */
async function getSuffix(ctx: TokenContext, identifier: string): Promise<string> {
  for (const provider of ctx.service.providers.values()) {
    const suffix = await getActions(provider)?.getTokenSuffix?.(ctx, identifier)
    if (suffix !== undefined) return suffix
  }
  return ''
}
