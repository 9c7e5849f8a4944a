import type { StoredUser } from '@latchkey/core'
import { readText } from '@latchkey/core/capability/options'
import { findLivingGrant } from '../grant.ts'
import { OAuthError } from '../oauth-error.ts'
import { parseScopes } from '../parameters.ts'
import { verifyOwn } from '../tokens/verify-own.ts'
import { readsForm } from './body.ts'
import { USERINFO } from '../metadata.ts'
import type { Client } from '../clients/client.ts'
import { findOwn } from '../clients/find-client.ts'
import type { EndpointTarget, PartContext, ProgramReply, ToSubject } from '../parts.ts'
import { getServer } from '../server.ts'

/** Creates the userinfo endpoint (OpenID Connect Core 1.0 §5.3), which says who has allowed an access token. */
export function createUserinfo(toSubject: ToSubject): EndpointTarget<PartContext> {
  const answer = async (
    ctx: PartContext,
    parameters: ReadonlyMap<string, string>,
  ): Promise<ProgramReply> => {
    const token = readToken(ctx, parameters)
    // Without credentials there is no error (RFC 6750 §3.1).
    if (token === undefined) return { status: 401, headers: { 'www-authenticate': 'Bearer' } }
    const { client, user, scopes } = await requireAllowed(ctx, token)
    const body = { sub: await toSubject(client, user.id), ...toClaims(user, scopes) }
    return { status: 200, body }
  }
  const answerForm = readsForm(answer)
  return {
    methods: ['GET', 'POST'],
    answer: (ctx, request) => {
      const hasBody = request.method === 'POST' && request.headers.has('content-type')
      return hasBody ? answerForm(ctx, request) : answer(ctx, new Map())
    },
  }
}

/** What a user has allowed. */
interface Allowed {
  readonly client: Client
  readonly user: StoredUser
  readonly scopes: readonly string[]
}

/**
 * Returns what the grant of a token allows: it must live, and so the user exists.
 *
 * @throws OAuthError
 */
async function requireAllowed(ctx: PartContext, token: string): Promise<Allowed> {
  const payload = await verifyOwn(ctx, token, 'at+jwt')
  if (!payload) throw refuse('invalid_token', 401)
  const scopes = parseScopes(readText(payload, 'scope'))
  if (!scopes.includes('openid')) throw refuse('insufficient_scope', 403)
  const living = await findLivingGrant(ctx, readText(payload, 'grant_id') ?? '')
  if (!living) throw refuse('invalid_token', 401)
  const { grant, data, user } = living
  const { settings } = getServer(ctx.service)
  const client = data.client ?? (await findOwn(ctx, settings, grant.clientId))
  const isOwn = payload['aud'] === grant.resource && payload['client_id'] === client?.id
  if (!client || !isOwn) throw refuse('invalid_token', 401)
  return { client, user, scopes }
}

/** Returns the resource of tokens that are for this endpoint only. */
export function getUserinfoUrl({ service, issuer }: PartContext): string {
  return new URL(issuer).origin + getServer(service).settings.prefix + USERINFO
}

/** RFC 6750 §2: the header, or a form. A URL with a token would be in logs. */
function readToken(
  { authorization }: PartContext,
  parameters: ReadonlyMap<string, string>,
): string | undefined {
  const field = parameters.get('access_token')
  if (authorization === null) return field
  if (field !== undefined) throw refuse('invalid_request', 400)
  return /^bearer +([\w.~+/-]+=*)$/i.exec(authorization)?.[1]
}

/** OpenID Connect Core 1.0 §5.4: what is unknown is left out. */
function toClaims(
  { name, image, email, emailVerified }: StoredUser,
  scopes: readonly string[],
): object {
  return {
    ...(scopes.includes('profile') && {
      ...(name !== null && { name }),
      ...(image !== null && { picture: image }),
    }),
    ...(scopes.includes('email') && email !== null && { email, email_verified: emailVerified }),
  }
}

/** RFC 6750 §3.1 */
function refuse(
  code: 'invalid_token' | 'insufficient_scope' | 'invalid_request',
  status: number,
): OAuthError {
  const scope = code === 'insufficient_scope' ? ', scope="openid"' : ''
  const headers = { 'www-authenticate': `Bearer error="${code}"${scope}` }
  return new OAuthError(code, 'expected one valid token with the scope openid', { status, headers })
}
