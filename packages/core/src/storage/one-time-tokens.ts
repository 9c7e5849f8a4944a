import { fromBase64url, toBase64url } from '../crypto/encoding.ts'
import type { OneTimeTokens, Provider, Purpose } from '../ports/provider.ts'
import type { Runtime } from '../ports/runtime.ts'
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
      const token = createToken(runtime)
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

/** The random bytes of a token; the others are when it was issued. */
const RANDOM_BYTES = 26

/** Creates a token that says when it was issued, as no one can change without another token. */
function createToken({ random, now }: Runtime): string {
  const bytes = random(32)
  const view = new DataView(bytes.buffer, bytes.byteOffset + RANDOM_BYTES)
  const issuedAt = Math.floor(now())
  view.setUint16(0, issuedAt / 2 ** 32)
  view.setUint32(2, issuedAt % 2 ** 32)
  return toBase64url(bytes)
}

/**
 * Returns when the token of a link was issued, in milliseconds since 1970; undefined if it is not a token. It may be used or
 * expired. A provider may have added a MAC.
 */
export function getIssueTime(text: string): number | undefined {
  const [token] = /^[\w-]{43}/.exec(text) ?? []
  if (token === undefined) return undefined
  const bytes = fromBase64url(token)
  const view = new DataView(bytes.buffer, bytes.byteOffset + RANDOM_BYTES)
  return view.getUint16(0) * 2 ** 32 + view.getUint32(2)
}

/** Returns what the ids of all valid tokens for an email address end with, if a provider ends them by it. */
async function getSuffix(ctx: TokenContext, identifier: string): Promise<string> {
  for (const { getTokenSuffix } of ctx.service.capabilities.list) {
    const suffix = await getTokenSuffix?.(ctx, identifier)
    if (suffix !== undefined) return suffix
  }
  return ''
}
