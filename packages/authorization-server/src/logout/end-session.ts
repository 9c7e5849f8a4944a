import { redirect, text, toUrl } from '@latchkey/core/capability'
import type { Action, Context, Input, Reply } from '@latchkey/core/capability'
import { readText } from '@latchkey/core/capability/options'
import { signOutTo } from '@latchkey/core/capability/sign-in'
import { leadOn } from '../browser/answer.ts'
import { leadToGet, parseQuery, refuse } from '../browser/authorize.ts'
import { REQUEST_LIFETIME } from '../browser/kept-request.ts'
import { getQuery } from '../browser/request.ts'
import { findOwn } from '../clients/find-client.ts'
import { addParameters, getRedirectKind } from '../clients/redirect-uri.ts'
import type { Parameters } from '../parameters.ts'
import { getServer } from '../server.ts'
import { ID } from '../settings.ts'
import { getFirstId, toSid, verifyIdToken } from '../tokens/id-token.ts'
import type { OwnIdToken } from '../tokens/id-token.ts'

/** The parameter that says, sealed, where a user goes who has signed out. */
const RETURN = 'return'
/** Bytes of a request: it has an ID Token. */
const MAX_QUERY = 4096

/** `POST /end-session`: leads to the GET. */
export const postEndSession: Action = leadToGet('/end-session', MAX_QUERY)

/**
 * `GET /end-session`: signs a user out for a client (OpenID Connect RP-Initiated Logout 1.0 §2), with a question unless the client
 * names this session.
 */
export async function endSession(ctx: Context, { query }: Input): Promise<Reply> {
  // A HEAD has no effect.
  if (ctx.isHead) return text(200, '')
  const sealed = query.get(RETURN)
  if (sealed !== undefined) return leave(ctx, sealed)
  const { hint, uri } = await readRequest(ctx)
  const { session } = await ctx.readSession()
  const next = await toReturnUrl(ctx, uri)
  if (!session) return redirect(next)
  const sid = hint && (await toSid({ id: hint.clientId }, getFirstId(session)))
  if (sid !== undefined && sid === hint?.sid) return signOutTo(ctx, next)
  return redirect(toUrl(ctx, `${ctx.baseUrl.href}/signout`, { callbackUrl: next }))
}

/** What a client asks for. */
interface LogoutRequest {
  /** Undefined without one. */
  readonly hint: OwnIdToken | undefined
  /** Where the user goes then, with the state; undefined if the client names no URI. */
  readonly uri: string | undefined
}

/**
 * Reads a request. A URI is only one of the client that a valid hint names, as text (§3).
 *
 * @throws Refusal that shows a page: nothing is redirected
 */
async function readRequest(ctx: Context): Promise<LogoutRequest> {
  const values = readParameters(ctx)
  const token = values.get('id_token_hint')
  const server = getServer(ctx.service)
  const hint =
    token === undefined
      ? undefined
      : await verifyIdToken({ server, issuer: ctx.baseUrl.href }, token)
  if (token !== undefined && !hint) throw refuse(ctx, 'invalid')
  const clientId = values.get('client_id')
  if (hint && clientId !== undefined && clientId !== hint.clientId) throw refuse(ctx, 'invalid')
  const uri = values.get('post_logout_redirect_uri')
  if (uri === undefined) return { hint, uri }
  const client = hint && (await findOwn(ctx, server.settings, hint.clientId))
  if (!client?.postLogoutRedirectUris?.includes(uri)) throw refuse(ctx, 'wrongRedirect')
  const state = values.get('state')
  return { hint, uri: state === undefined ? uri : addParameters(uri, { state }) }
}

/** @throws Refusal */
function readParameters(ctx: Context): Parameters['values'] {
  const { values, repeated } = parseQuery(ctx)
  const isShort = getQuery(ctx.request.url).length <= MAX_QUERY
  if (isShort && repeated.size === 0) return values
  throw refuse(ctx, 'invalid')
}

/** Returns the URL that leads to a client's, once the user has signed out here, and at the provider. */
async function toReturnUrl(ctx: Context, uri: string | undefined): Promise<string> {
  if (uri === undefined) return ctx.baseUrl.origin
  const sealer = ctx.service.keys.ofCapability(ID)
  const sealed = await sealer.seal({ signedOut: uri }, ctx.now + REQUEST_LIFETIME)
  return toUrl(ctx, `${ctx.baseUrl.href}/end-session`, { [RETURN]: sealed })
}

/** Leads to the client. The policy of the form of the sign-out lets a redirect to https pass only. */
async function leave(ctx: Context, sealed: string): Promise<Reply> {
  const content = await ctx.service.keys.ofCapability(ID).open(sealed, ctx.now)
  const url = readText(content, 'signedOut')
  if (url === undefined) throw refuse(ctx, 'ended')
  return getRedirectKind(url) === 'https' ? redirect(url) : leadOn(ctx, url)
}
