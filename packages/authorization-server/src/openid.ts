import { sha256, toBase64url } from '@latchkey/core/capability'
import type { Context } from '@latchkey/core/capability'
import { ConfigurationError, checkKnownNames } from '@latchkey/core/capability/options'
import { getTexts } from '@latchkey/core/capability/pages'
import { toAuthenticationClaims } from './acr.ts'
import type { Client, Fail } from './clients/client.ts'
import { getRedirectKind } from './clients/redirect-uri.ts'
import { createUserinfo, getUserinfoUrl } from './endpoints/userinfo.ts'
import type { LivingGrant } from './grant.ts'
import { USERINFO, createMetadata } from './metadata.ts'
import type {
  OpenIdLogout,
  OpenIdProvider,
  OpenIdRequest,
  PartContext,
  Target,
  ToSubject,
} from './parts.ts'
import { getServer } from './server.ts'
import type { Server } from './server.ts'
import type { OpenIdTexts } from './texts.ts'
import { ID_TOKEN, getAlgorithm, toSid, verifyIdToken } from './tokens/id-token.ts'

/** The options of {@link openId}. */
export interface OpenIdOptions {
  /**
   * Gives each client, or all clients of one host, other subjects for the same users (OpenID Connect Core 1.0 §8.1), so that clients
   * cannot compare them. A secret text of at least 32 characters, which must never change: users become other ones with it.
   * Default: the subject is the id of the user
   */
  readonly pairwiseSalt?: string
  /** Ends sessions for clients, and tells them of the end of sessions: `openIdLogout()`. Default: none */
  readonly logout?: OpenIdLogout
}

const OPTION = 'openId'
const MIN_SALT = 32
const scopes = ['openid', 'profile', 'email', 'offline_access'] as const

/**
 * Makes the authorization server an OpenID provider: the option `openid`. Clients that ask for the scope `openid` sign users in by ID
 * Tokens. Older ones know RS256 only: `apiTokens()` needs such a key, which may be its second one.
 *
 * @example
 *   import { authorizationServer, openId } from '@latchkey/authorization-server'
 *
 *   const server = authorizationServer({
 *     resources: { 'https://api.example.com/notes': { scopes: { read: { en: 'Read your notes' } } } },
 *     clients: [{ id: 'partner', name: 'Partner', redirectUris: ['https://partner.example/cb'] }],
 *     openid: openId(),
 *   })
 *
 * @throws ConfigurationError `openId.…`
 */
export function openId(options: OpenIdOptions = {}): OpenIdProvider {
  checkKnownNames(OPTION, options, ['pairwiseSalt', 'logout'])
  const { pairwiseSalt: salt, logout } = options
  if (logout !== undefined && typeof logout?.start !== 'function') {
    throw new ConfigurationError(`${OPTION}.logout`, 'must be openIdLogout()')
  }
  if (salt !== undefined && !(typeof salt === 'string' && salt.length >= MIN_SALT)) {
    throw new ConfigurationError(`${OPTION}.pairwiseSalt`, `must have ${MIN_SALT} characters`)
  }
  const toSubject: ToSubject = async (client, userId) =>
    salt === undefined ? userId : sha256(JSON.stringify([getSector(client), userId, salt]))
  const userinfo = createUserinfo(toSubject)
  return {
    scopes,
    logout,
    start: (service) => logout?.start(service, toSubject),
    isForAnother: async (client, { subject }, userId) =>
      subject !== undefined && subject !== (await toSubject(client, userId)),
    toAccessClaims: async (ctx, client, { grant, user }) => ({
      grant_id: grant.id,
      // A resource needs the id of the user.
      ...(grant.resource === getUserinfoUrl(ctx) && { sub: await toSubject(client, user.id) }),
    }),
    checkClient: (client, fail) => salt !== undefined && checkSector(client, fail),
    readRequest,
    describeScope: (ctx, scope) => getScopeTexts(ctx).get(scope),
    createIdToken: (ctx, client, living, accessToken) =>
      createIdToken(ctx, client, living, { accessToken, toSubject }),
    findTarget: (service, issuer, pathname) => {
      const server = getServer(service)
      if (pathname === server.settings.prefix + USERINFO) return userinfo
      return findMetadata(server, issuer, pathname, salt === undefined ? 'public' : 'pairwise')
    },
  }
}

/** Returns the metadata, at the path of an OpenID provider (Discovery 1.0 §4), also inserted as RFC 8414 §3 says. */
function findMetadata(
  server: Server,
  issuer: string,
  pathname: string,
  subjects: string,
): Target<PartContext> | undefined {
  const path = '/.well-known/openid-configuration'
  const { origin, pathname: own } = new URL(issuer)
  if (pathname !== path + own && pathname !== own + path) return undefined
  const document = {
    ...createMetadata(server, issuer),
    ...describe(server, origin, subjects),
    ...server.settings.openid?.logout?.describe(issuer),
  }
  return { methods: ['GET', 'HEAD'], document, maxAge: 3600 }
}

/** Returns the members that the metadata has besides (Discovery 1.0 §3). */
function describe({ settings, signer }: Server, origin: string, subjects: string): object {
  const others = [...settings.resources.values()].flatMap((each) => [...each.scopes.keys()])
  return {
    scopes_supported: [...new Set([...scopes, ...others])],
    userinfo_endpoint: origin + settings.prefix + USERINFO,
    subject_types_supported: [subjects],
    id_token_signing_alg_values_supported: [getAlgorithm(signer)],
    claims_supported: claims.split(' '),
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    // The default is true.
    request_uri_parameter_supported: false,
  }
}

const claims =
  'iss sub aud exp iat auth_time nonce acr amr sid at_hash name picture email email_verified'

/** The English texts. */
export const englishOpenId: OpenIdTexts = {
  scopeProfile: 'Know your name and your picture',
  scopeEmail: 'Know your email address',
  scopeOffline: 'Keep this access while you are away',
}

function getScopeTexts({ language }: Context): ReadonlyMap<string, string> {
  const { scopeProfile, scopeEmail, scopeOffline } = getTexts(
    language.messages,
    'authorizationServer',
    englishOpenId,
  )
  return new Map([
    ['profile', scopeProfile],
    ['email', scopeEmail],
    ['offline_access', scopeOffline],
  ])
}

/** Reads `nonce` and `id_token_hint` (Core 1.0 §3.1.2.1). */
async function readRequest(
  { service, baseUrl }: Context,
  { id }: Client,
  values: ReadonlyMap<string, string>,
): Promise<OpenIdRequest> {
  const hint = values.get('id_token_hint')
  const nonce = values.get('nonce')
  if (hint === undefined) return { nonce }
  const hinted = await verifyIdToken({ server: getServer(service), issuer: baseUrl.href }, hint)
  return { nonce, subject: hinted?.clientId === id ? hinted.subject : '' }
}

/** Creates an ID Token (Core 1.0 §2, §3.1.3.6, §12.2). The first one has the nonce. */
async function createIdToken(
  { service, server, issuer, now }: PartContext,
  client: Client,
  { grant, data, user }: LivingGrant,
  { accessToken, toSubject }: { readonly accessToken: string; readonly toSubject: ToSubject },
): Promise<string> {
  const { nonce, sessionId, redeemedAt } = data
  const algorithm = getAlgorithm(server.signer)
  const { settings } = getServer(service)
  const facts = {
    iss: issuer,
    sub: await toSubject(client, user.id),
    aud: client.id,
    iat: now,
    exp: now + settings.accessTokenMaxAge,
    ...toAuthenticationClaims(settings.acr, grant),
    ...(nonce !== undefined && redeemedAt === undefined && { nonce }),
    ...(sessionId !== undefined && { sid: await toSid(client, sessionId) }),
    at_hash: await toTokenHash(accessToken, algorithm),
  }
  return server.signer.sign(facts, ID_TOKEN, algorithm)
}

/** The left half of the hash of the algorithm (Core 1.0 §3.1.3.6): Ed25519 has SHA-512. */
async function toTokenHash(token: string, algorithm: string): Promise<string> {
  const hash = algorithm === 'EdDSA' ? 'SHA-512' : 'SHA-256'
  const digest = new Uint8Array(await crypto.subtle.digest(hash, new TextEncoder().encode(token)))
  return toBase64url(digest.subarray(0, digest.length / 2))
}

function findSite(uri: string): string | undefined {
  return getRedirectKind(uri) === 'https' ? new URL(uri).host : undefined
}

/** Returns the hosts that a client leads to; undefined stands for the user's device. */
function listHosts({ redirectUris }: Client): ReadonlySet<string | undefined> {
  return new Set(redirectUris.map(findSite))
}

/**
 * Returns the sector of a client (Core 1.0 §8.1): its host. Clients on devices have one each, and so do those of several hosts that
 * anyone can name: else they would learn the subjects of another one.
 */
function getSector(client: Client): string {
  const [host, ...others] = listHosts(client)
  return client.sector ?? (others.length > 0 ? undefined : host) ?? `client ${client.id}`
}

function checkSector(client: Client, fail: Fail): void {
  const { sector } = client
  if (sector === undefined ? listHosts(client).size <= 1 : SECTOR.test(sector)) return
  throw fail('must have a sector like partner.example: it leads to several hosts')
}

/** Nothing with a space, so that no client is another one's sector. */
const SECTOR = /^[!-~]{1,255}$/
