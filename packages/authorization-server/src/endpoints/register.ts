import type { Limit } from '@latchkey/core'
import { limitClient, sha256 } from '@latchkey/core/capability'
import type { OwnLimit } from '@latchkey/core/capability'
import {
  checkKnownNames,
  createOwnLimits,
  isList,
  isObject,
  readMember,
} from '@latchkey/core/capability/options'
import { foldName } from '@latchkey/core/capability/sign-in'
import { toClientInfo } from '../clients/auth-clients.ts'
import { parseMetadata } from '../clients/parse-document.ts'
import type { ClientMetadata } from '../clients/parse-document.ts'
import { getRedirectKind, getShownHost } from '../clients/redirect-uri.ts'
import {
  UNUSED_LIFETIME,
  findRegistered,
  getClientStorage,
  keepRegistered,
  toRegisteredId,
} from '../clients/registered-clients.ts'
import { emit } from '../events.ts'
import { OAuthError } from '../oauth-error.ts'
import type { DynamicRegistration, PartContext } from '../parts.ts'

/** The options of {@link dynamicRegistration}. */
export interface DynamicRegistrationOptions {
  /** `registrationsPerClient`: registrations from one IP address. Default: 10 in 3600 seconds */
  readonly limits?: { readonly registrationsPerClient?: Limit | false }
}

const OPTION = 'dynamicRegistration'
const defaultLimits = { registrationsPerClient: { times: 10, window: 3600 } }

/**
 * Lets clients register themselves (RFC 7591): the option `registration`, for MCP clients that know no metadata documents. Anyone
 * can: users see where they lead. It needs a storage with the capability `clients`.
 *
 * @example
 *   import { authorizationServer, dynamicRegistration } from '@latchkey/authorization-server'
 *
 *   const server = authorizationServer({
 *     resources: { 'https://mcp.example.com/mcp': { scopes: { read: { en: 'Read your notes' } } } },
 *     registration: dynamicRegistration(),
 *   })
 *
 * @throws ConfigurationError `dynamicRegistration.…`
 */
export function dynamicRegistration(options: DynamicRegistrationOptions = {}): DynamicRegistration {
  checkKnownNames(OPTION, options, ['limits'])
  const limits = createOwnLimits(`${OPTION}.limits`, defaultLimits, options.limits)
  return {
    register: (ctx, body) => register(ctx, body, limits.registrationsPerClient),
    foldName,
    find: findRegistered,
    keep: keepRegistered,
  }
}

/** Methods that a registration may have: a client that offers `none` needs no secret. */
const methods = ['none', 'client_secret_basic', 'client_secret_post'] as const

/** Characters that are kept of a registration. */
const MAX_DATA = 8192

/**
 * The registration endpoint (RFC 7591 §3): anyone can register a client, so nothing is known of who runs it. A registration that is
 * not used ends after seven days.
 */
async function register(ctx: PartContext, body: string, limit: OwnLimit): Promise<object> {
  const { service, server, now } = ctx
  await limitClient(ctx, limit)
  const metadata = readMetadata(body)
  const id = toRegisteredId(server.random(16))
  const secret = metadata.method === 'none' ? undefined : server.random(32)
  const kept = { ...metadata, ...(secret !== undefined && { secretHash: await sha256(secret) }) }
  const data = JSON.stringify(kept)
  if (data.length > MAX_DATA) {
    throw new OAuthError('invalid_client_metadata', 'the metadata is too long')
  }
  const expires = now + UNUSED_LIFETIME
  const stored = await getClientStorage(service).createClient({ id, createdAt: now, expires, data })
  if (!stored) throw new OAuthError('server_error', 'the id is taken', { status: 500 })
  emit(ctx, 'createClient', { client: toClientInfo({ id, ...metadata }, now) })
  return toResponse(id, metadata, now, secret)
}

/** RFC 7591 §3.2.1 */
function toResponse(
  id: string,
  { name, redirectUris, grants, method }: ClientMetadata,
  now: number,
  secret: string | undefined,
): object {
  return {
    client_id: id,
    client_id_issued_at: now,
    ...(secret !== undefined && { client_secret: secret, client_secret_expires_at: 0 }),
    client_name: name,
    redirect_uris: redirectUris,
    grant_types: grants,
    response_types: ['code'],
    token_endpoint_auth_method: method,
  }
}

/** @throws OAuthError RFC 7591 §3.2.2 */
function readMetadata(body: string): ClientMetadata {
  const document = parseObject(body)
  try {
    return parseMetadata(withName(document), methods)
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : ''
    const isUri = problem.startsWith('redirect_uris')
    const code = isUri ? 'invalid_redirect_uri' : 'invalid_client_metadata'
    throw new OAuthError(code, problem, { cause })
  }
}

/** A name is optional (RFC 7591 §2), and Claude registers without one: it is then the host to which the client leads. */
function withName(document: object): object {
  const uris = readMember(document, 'redirect_uris')
  const uri: unknown = isList(uris) ? uris[0] : undefined
  if (typeof uri !== 'string' || !getRedirectKind(uri)) return document
  return { client_name: getShownHost(uri), ...document }
}

function parseObject(body: string): object {
  try {
    const document: unknown = JSON.parse(body)
    if (isObject(document) && !isList(document)) return document
  } catch (cause) {
    throw new OAuthError('invalid_client_metadata', 'the body is not JSON', { cause })
  }
  throw new OAuthError('invalid_client_metadata', 'the body is not a JSON object')
}
