import { isList, readMember, readText } from '@latchkey/core/capability/options'
import type { Client, ClientMethod, GrantType } from './client.ts'
import { getPublicUrl } from './public-url.ts'
import { getRedirectKind } from './redirect-uri.ts'

const MAX_URIS = 20
const MAX_NAME = 64
/** Characters that change how a name is shown, or show nothing: controls, marks of direction and width, and fillers. */
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u115f\u1160\u202f\u2065\u2800\u3164\uffa0]/u
/** A mark alone can show nothing. */
const VISIBLE = /[^\p{M}\s]/u

/**
 * Reads the metadata document of a client. Only its name, redirect URIs, grant types, authentication and keys are used: no URI of
 * it is shown, and only `jwks_uri` is requested, which {@link findKeysUrl} returns.
 *
 * @param id The URL of the document
 * @param hasAssertions Whether clients may authenticate by `private_key_jwt`
 * @throws Error that says what is wrong, without repeating it
 */
export function parseDocument(document: object, id: string, hasAssertions: boolean): Client {
  // As text: two spellings of one URL are two clients (§4.1).
  if (readMember(document, 'client_id') !== id) throw new Error('client_id is not its URL')
  if ('client_secret' in document || 'client_secret_expires_at' in document) {
    throw new Error('a public document must have no client_secret')
  }
  return { id, ...parseMetadata(document, hasAssertions ? ['none', 'private_key_jwt'] : ['none']) }
}

/** What a client says of itself (RFC 7591 §2). */
export type ClientMetadata = Omit<Client, 'id'>

/**
 * Reads what a client says of itself.
 *
 * @param allowed Methods that it may authenticate by, the preferred one first. Of several that a client offers, as ChatGPT does, the
 *   first of these counts
 * @throws Error that says what is wrong, without repeating it
 */
export function parseMetadata(document: object, allowed: readonly ClientMethod[]): ClientMetadata {
  const method = readMethod(document, allowed)
  const own = method === 'private_key_jwt' ? readMember(document, 'jwks') : undefined
  return {
    name: readName(document),
    redirectUris: readUris(document),
    grants: readGrants(document),
    method,
    secrets: [],
    jwks: own === undefined ? undefined : parseKeys(own),
    isOpen: true,
  }
}

function readName(document: object): string {
  const name = readMember(document, 'client_name')
  const isName = typeof name === 'string' && VISIBLE.test(name) && !INVISIBLE.test(name)
  if (isName && name.length <= MAX_NAME) return name.trim()
  throw new Error(`client_name must be a text of 1 to ${MAX_NAME} visible characters`)
}

function readUris(document: object): readonly string[] {
  const uris = readMember(document, 'redirect_uris')
  const texts = isList(uris) ? uris.filter((uri) => typeof uri === 'string') : []
  const isRight = isList(uris) && texts.length === uris.length && texts.length <= MAX_URIS
  if (isRight && texts.length > 0 && texts.every((uri) => getRedirectKind(uri))) return texts
  throw new Error(`redirect_uris must be 1 to ${MAX_URIS} URLs that a client may have`)
}

/** RFC 7591 §2 */
function readGrants(document: object): readonly GrantType[] {
  const types = readMember(document, 'grant_types') ?? ['authorization_code']
  if (!isList(types) || !types.includes('authorization_code')) {
    throw new Error('grant_types must have authorization_code')
  }
  return types.includes('refresh_token')
    ? ['authorization_code', 'refresh_token']
    : ['authorization_code']
}

function readMethod(document: object, allowed: readonly ClientMethod[]): ClientMethod {
  const one = readMember(document, 'token_endpoint_auth_method') ?? []
  const several = readMember(document, 'token_endpoint_auth_methods_supported') ?? []
  const offered = [one, several].flat()
  const method = offered.length === 0 ? 'none' : allowed.find((each) => offered.includes(each))
  if (method !== undefined) return method
  throw new Error(`token_endpoint_auth_method must be one of ${allowed.join(', ')}`)
}

/**
 * Returns the URL of the keys of a client whose document does not have them: `jwks_uri` (RFC 7591 §2), which must be a URL as the
 * document's, at the same host. Undefined if no keys are needed, or the document has them.
 *
 * @throws Error that says what is wrong, without repeating it
 */
export function findKeysUrl(
  document: object,
  { id, method, jwks }: Pick<Client, 'id' | 'method' | 'jwks'>,
): string | undefined {
  if (method !== 'private_key_jwt' || jwks) return undefined
  const uri = readText(document, 'jwks_uri')
  const url = uri === undefined ? undefined : getPublicUrl(uri)
  if (url && url.hostname === new URL(id).hostname) return url.href
  throw new Error('private_key_jwt needs public keys: jwks, or a jwks_uri at the same host')
}

/**
 * Reads a set of public keys (RFC 7517 §5).
 *
 * @throws Error that says what is wrong, without repeating it
 */
export function parseKeys(set: unknown): { readonly keys: readonly object[] } {
  const keys = readMember(set, 'keys')
  const objects = isList(keys) ? keys.filter((key) => typeof key === 'object' && key !== null) : []
  const isPublic = objects.every((key) => !('d' in key) && !('k' in key))
  if (objects.length > 0 && isPublic) return { keys: objects }
  throw new Error('private_key_jwt needs public keys, and no others')
}
