import {
  Refusal,
  getSignInUrl,
  page,
  redirect,
  text,
  toPageContext,
  toUrl,
  withCookies,
} from '@latchkey/core/capability'
import type { Action, Context, Input, Reply } from '@latchkey/core/capability'
import { AuthError } from '@latchkey/core/capability/options'
import type { Client } from '../clients/client.ts'
import { findClient } from '../clients/find-client.ts'
import { OAuthError } from '../oauth-error.ts'
import type { OAuthErrorCode } from '../oauth-error.ts'
import { renderNoticePage } from '../pages/pages.ts'
import { parseParameters } from '../parameters.ts'
import type { Parameters } from '../parameters.ts'
import { getServer } from '../server.ts'
import type { Server } from '../server.ts'
import { getTexts } from '../texts.ts'
import type { AuthorizationServerTexts } from '../texts.ts'
import { answerWithCode, answerWithError } from './answer.ts'
import { decide, hasGrantOf } from './decide.ts'
import type { Decision } from './decide.ts'
import { dropRequest, findKeptRequest, keepRequest, takeRequest } from './kept-request.ts'
import type { KeptRequest } from './kept-request.ts'
import { findRedirectUri, getQuery, readRequest } from './request.ts'
import type { AnswerTarget, AuthorizationRequest } from './request.ts'

/** The parameter that names a request which waits in this browser. */
export const WAITING = 'waiting'
/** The parameter with which a confirmation for a request returns. */
const CONFIRMED = 'confirmed'

/** `GET /authorize`: an authorization request (RFC 6749 §4.1.1), or one that continues after a sign-in. */
export async function authorize(ctx: Context, { query }: Input): Promise<Reply> {
  // A HEAD has no effect: it neither answers a request nor begins one.
  if (ctx.isHead) return text(200, '')
  const server = getServer(ctx.service)
  const id = query.get(WAITING)
  return id === undefined ? begin(ctx, server) : resume(ctx, server, id, query.has(CONFIRMED))
}

/**
 * Answers a posted request by its GET (OpenID Connect Core 1.0 §3.1.2.1). Browsers send no cookies with the form of another site.
 *
 * @param path Below the base path
 * @param maxLength Characters of the form
 */
export function leadToGet(path: `/${string}`, maxLength: number): Action {
  return (ctx, { body: { text: form } }) => {
    if (form.length > maxLength) throw refuse(ctx, 'invalid')
    const url = new URL(ctx.baseUrl.href + path)
    url.search = form
    return redirect(url.href, 303)
  }
}

async function begin(ctx: Context, server: Server): Promise<Reply> {
  const parameters = parseQuery(ctx)
  const { client, target } = await findTarget(ctx, server, parameters)
  try {
    const { session } = await ctx.readSession()
    const read = readRequest(ctx, server.settings, parameters, target)
    const { openid } = server.settings
    const asked = await openid?.readRequest(ctx, client, parameters.values)
    const request = { ...read, ...asked, sessionId: session?.id }
    const decision = await decide(ctx, server, client, request)
    return await follow(ctx, server, { client, request, decision })
  } catch (thrown) {
    if (!(thrown instanceof OAuthError)) throw thrown
    const by = (await mayRedirect(ctx, client)) ? 'redirect' : 'notice'
    return answerWithError(ctx, target, thrown, by)
  }
}

/**
 * A client that anyone can name would make the service redirect anywhere, from a link in any email: if it has no grant of this
 * user, the user presses a link first (RFC 9700 §4.11.2).
 */
async function mayRedirect(ctx: Context, client: Client): Promise<boolean> {
  return !client.isOpen || (await hasGrantOf(ctx, client))
}

/** @throws Refusal */
export function parseQuery(ctx: Context): Parameters {
  try {
    return parseParameters(getQuery(ctx.request.url))
  } catch (cause) {
    throw refuse(ctx, 'invalid', cause)
  }
}

/**
 * Finds the client and the redirect URI: if either is wrong, a page says so, and nothing is ever redirected (RFC 6749 §4.1.2.1).
 *
 * @throws Refusal
 */
async function findTarget(
  ctx: Context,
  server: Server,
  parameters: Parameters,
): Promise<{ readonly client: Client; readonly target: AnswerTarget }> {
  const id = parameters.repeated.has('client_id') ? undefined : parameters.values.get('client_id')
  const client = id === undefined ? undefined : await findClient(ctx, server, id)
  if (!client) throw refuse(ctx, 'unknownClient')
  const redirectUri = findRedirectUri(client, parameters)
  if (redirectUri === undefined) throw refuse(ctx, 'wrongRedirect')
  const isOnce = !parameters.repeated.has('state')
  const state = isOnce ? parameters.values.get('state') : undefined
  return { client, target: { clientId: client.id, redirectUri, state } }
}

/** A request, and what it needs next. */
interface Decided {
  readonly client: Client
  readonly request: AuthorizationRequest
  readonly decision: Decision
}

const missing: Readonly<Record<'signIn' | 'confirm' | 'consent', OAuthErrorCode>> = {
  signIn: 'login_required',
  confirm: 'interaction_required',
  consent: 'consent_required',
}

/** Answers a new request, or keeps it while its user is asked. */
async function follow(
  ctx: Context,
  server: Server,
  { client, request, decision }: Decided,
): Promise<Reply> {
  if (decision.next === 'denied') throw denied(decision.why)
  if (decision.next === 'granted') {
    return answerWithCode(ctx, server, { client, request, ...decision }, 'redirect')
  }
  if (request.prompt.includes('none')) {
    throw new OAuthError(missing[decision.next], 'the user must be asked')
  }
  const { kept, cookies } = await keepRequest(ctx, server, request)
  return withCookies(redirect(getNextUrl(ctx, kept, decision.next)), cookies)
}

/** Continues a request after its user was asked for something. */
async function resume(
  ctx: Context,
  server: Server,
  id: string,
  hasConfirmed: boolean,
): Promise<Reply> {
  const { kept, client } = await requireKept(ctx, server, id)
  const { request } = kept
  const decision = await decide(ctx, server, client, request, hasConfirmed)
  const { next } = decision
  if (next !== 'denied' && next !== 'granted') return redirect(getNextUrl(ctx, kept, next))
  const reply =
    decision.next === 'granted'
      ? await answerWithCode(
          ctx,
          server,
          { client, request, ...decision, take: () => take(ctx, id) },
          'page',
        )
      : await refuseKept(ctx, { kept, client }, denied(decision.why))
  return withCookies(reply, [dropRequest(ctx, id)])
}

async function refuseKept(
  ctx: Context,
  { kept, client }: { readonly kept: KeptRequest; readonly client: Client },
  error: OAuthError,
): Promise<Reply> {
  await take(ctx, kept.id)
  const by = (await mayRedirect(ctx, client)) ? 'page' : 'notice'
  return answerWithError(ctx, kept.request, error, by)
}

/** Returns the URL of the page that asks the user. */
export function getNextUrl(
  ctx: Context,
  { id, request }: KeptRequest,
  next: 'signIn' | 'confirm' | 'consent',
): string {
  const { href } = ctx.baseUrl
  if (next === 'consent') return toUrl(ctx, `${href}/consent`, { [WAITING]: id })
  const isConfirmed = next === 'confirm' ? 'true' : undefined
  const url = toUrl(ctx, `${href}/authorize`, { [WAITING]: id, [CONFIRMED]: isConfirmed })
  const { recency } = ctx.service.capabilities
  if (isConfirmed && recency) return recency.getUrl(ctx, url)
  return toUrl(ctx, getSignInUrl(ctx, url), { login_hint: request.loginHint })
}

/**
 * Returns a request that waits in this browser, and its client as it is now.
 *
 * @throws Refusal
 */
export async function requireKept(
  ctx: Context,
  server: Server,
  id: string,
): Promise<{ readonly kept: KeptRequest; readonly client: Client }> {
  const kept = await findKeptRequest(ctx, id)
  const client = kept && (await findClient(ctx, server, kept.request.clientId, true))
  if (!kept || !client) throw refuse(ctx, 'ended')
  const { redirectUri } = kept.request
  const values = new Map([['redirect_uri', redirectUri]])
  if (findRedirectUri(client, { values, repeated: new Set() }) === redirectUri) {
    return { kept, client }
  }
  throw refuse(ctx, 'wrongRedirect')
}

/**
 * Notes that a request is answered.
 *
 * @throws Refusal if it was answered before
 */
export async function take(ctx: Context, id: string): Promise<void> {
  if (!(await takeRequest(ctx, id))) throw refuse(ctx, 'ended')
}

/** The answer that a client gets if the user, or the application, does not allow it. */
export function denied(why: OAuthErrorCode = 'access_denied'): OAuthError {
  return new OAuthError(why, 'the request was denied')
}

/** Returns the refusal that shows a page: no client can be told of it. */
export function refuse(
  ctx: Context,
  why: keyof AuthorizationServerTexts & ('invalid' | 'unknownClient' | 'wrongRedirect' | 'ended'),
  cause?: unknown,
): Refusal {
  const error = new AuthError('Default', `an authorization request was refused: ${why}`, { cause })
  return new Refusal(error, {
    show: async ({ status }) => {
      const texts = getTexts(ctx)
      const sentence = why === 'invalid' ? undefined : texts[why]
      const view = { ...toPageContext(ctx), heading: texts.invalid, sentence }
      return page(renderNoticePage(view), status)
    },
  })
}
