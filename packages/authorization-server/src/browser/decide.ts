import type { StoredUser } from '@latchkey/core'
import { callDecision } from '@latchkey/core/capability'
import type { Context, Session } from '@latchkey/core/capability'
import { countFactors } from '../acr.ts'
import type { Client } from '../clients/client.ts'
import { getRedirectKind } from '../clients/redirect-uri.ts'
import { getGrantStorage, isLasting, listUsedGrants } from '../grant.ts'
import type { OAuthErrorCode } from '../oauth-error.ts'
import type { Server } from '../server.ts'
import type { AuthorizationRequest } from './request.ts'

/** The user of a request, and the session in which the request is answered. */
export interface Requester {
  readonly user: StoredUser
  readonly session: Session
}

/** What a request needs next. */
export type Decision =
  | { readonly next: 'signIn' }
  | { readonly next: 'confirm' | 'consent'; readonly requester: Requester }
  | { readonly next: 'denied'; readonly requester: Requester; readonly why?: OAuthErrorCode }
  | {
      readonly next: 'granted'
      readonly requester: Requester
      readonly scopes: readonly string[]
    }

/**
 * Decides what a request needs: the one place where that is decided. Nothing is written.
 *
 * @param hasConfirmed Whether the user comes from a confirmation for this request. Default: false
 */
export async function decide(
  ctx: Context,
  server: Server,
  client: Client,
  request: AuthorizationRequest,
  hasConfirmed: boolean = false,
): Promise<Decision> {
  const requester = await findRequester(ctx)
  if (!requester) return { next: 'signIn' }
  const isOther = requester.session.id !== request.sessionId
  if (request.prompt.includes('select_account') && !isOther) return { next: 'signIn' }
  if (await server.settings.openid?.isForAnother(client, request, requester.user.id)) {
    return isOther ? { next: 'denied', requester } : { next: 'signIn' }
  }
  if (!(await isProven(ctx, client, request, requester))) return { next: 'confirm', requester }
  if (isBelow(request, requester)) return askForFactors(ctx, requester, hasConfirmed)
  const { user } = requester
  const { id, name } = client
  const { resource, scopes } = request
  const asked = { client: { id, name }, user, resource, scopes }
  const answer = await callDecision('authorizationServer.consent', () =>
    server.settings.consent(asked),
  )
  if (answer === 'denied') return { next: 'denied', requester }
  if (mustAsk(request)) return { next: 'consent', requester }
  const known = answer === 'granted' ? scopes : await findConsent(ctx, client, request, user)
  return known ? { next: 'granted', requester, scopes: known } : { next: 'consent', requester }
}

/** Returns the user of the session as stored now: an unfinished sign-in is no session. */
export async function findRequester(ctx: Context): Promise<Requester | undefined> {
  const { session } = await ctx.readSession()
  if (!session || session.isUnstored) return undefined
  const user = await getGrantStorage(ctx.service).getUser(session.token.sub)
  return user && { user, session }
}

/**
 * Returns whether the user has proven recently enough who they are: as the request asks (OpenID Connect Core 1.0 §3.1.2.1), and as
 * for linking an account if the client gets a lasting way in.
 */
async function isProven(
  ctx: Context,
  client: Client,
  { prompt, maxAge, at, sessionId, scopes }: AuthorizationRequest,
  { session }: Requester,
): Promise<boolean> {
  const { authenticatedAt = 0 } = session.authentication ?? {}
  const isLoginAsked = prompt.includes('login') || maxAge === 0
  // A sign-in and a confirmation give the session another id.
  if (isLoginAsked && (session.id === sessionId || authenticatedAt < at)) return false
  if (maxAge !== undefined && authenticatedAt < at - maxAge) return false
  if (!isLasting(client, scopes)) return true
  const { recency } = ctx.service.capabilities
  return recency === undefined || (await recency.isRecent(ctx, 'link'))
}

function isBelow({ factors }: AuthorizationRequest, { session }: Requester): boolean {
  return countFactors(session.authentication?.methods ?? []) < factors
}

/**
 * A confirmation asks for the second factor of a user who has one. Who has a passkey that counts as two is asked once, and may prefer
 * a password. Nobody else can prove two (RFC 9470 §5).
 */
async function askForFactors(
  ctx: Context,
  requester: Requester,
  hasConfirmed: boolean,
): Promise<Decision> {
  const { id } = requester.user
  const { proven } = ctx.service.capabilities
  const isEnrolled = await proven?.isEnrolled(getGrantStorage(ctx.service), id)
  if (isEnrolled || (!hasConfirmed && (await hasBothInOne(ctx, id)))) {
    return { next: 'confirm', requester }
  }
  return { next: 'denied', requester, why: 'unmet_authentication_requirements' }
}

/** Returns whether a user has a factor that counts as two. */
async function hasBothInOne({ service }: Context, userId: string): Promise<boolean> {
  const kinds = service.capabilities.list.flatMap(({ factor }) => (factor?.isBoth ? [factor] : []))
  const factors = kinds.length > 0 ? await getGrantStorage(service).listFactors(userId) : []
  return factors.some((each) =>
    kinds.some(({ type, isBoth }) => type === each.type && isBoth?.(each)),
  )
}

/** Any application on a device can take a redirect to it (RFC 8252 §8.6). */
function mustAsk({ prompt, redirectUri }: AuthorizationRequest): boolean {
  return prompt.includes('consent') || getRedirectKind(redirectUri) !== 'https'
}

/** Returns whether the user of the session has a living grant of a client. */
export async function hasGrantOf(ctx: Context, client: Client): Promise<boolean> {
  const requester = await findRequester(ctx)
  if (!requester) return false
  const used = await listUsedGrants(ctx.service, requester.user.id, ctx.now)
  return used.some(({ grant }) => grant.clientId === client.id)
}

/** Returns the scopes that the user has granted before, to the same client at the same URL, while that grant lives. */
async function findConsent(
  ctx: Context,
  client: Client,
  { redirectUri, resource, scopes }: AuthorizationRequest,
  user: StoredUser,
): Promise<readonly string[] | undefined> {
  for (const { grant, data } of await listUsedGrants(ctx.service, user.id, ctx.now)) {
    const isAlike = grant.clientId === client.id && grant.resource === resource
    if (!isAlike || data.redirectUri !== redirectUri) continue
    if (!scopes.every((scope) => data.asked.includes(scope))) continue
    const granted = scopes.filter((scope) => grant.scopes.includes(scope))
    // Who has allowed a sign-in has not allowed more than that.
    if (isLasting(client, granted) && !data.isLasting) continue
    if (granted.length > 0) return granted
  }
  return undefined
}
