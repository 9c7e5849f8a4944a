import {
  page,
  redirect,
  toPageContext,
  toUrl,
  getSignInUrl,
  withCookies,
} from '@latchkey/core/capability'
import type { Context, Input, Reply, ShownError } from '@latchkey/core/capability'
import { toUserName } from '@latchkey/core/capability/pages'
import type { Client } from '../clients/client.ts'
import { getRedirectKind, getShownHost } from '../clients/redirect-uri.ts'
import { getShownName } from '../clients/shown-name.ts'
import { SCOPE_FIELD, renderConsentPage } from '../pages/pages.ts'
import type { ShownScope } from '../pages/pages.ts'
import { getServer } from '../server.ts'
import type { Server } from '../server.ts'
import { getTexts } from '../texts.ts'
import { answerWithCode, answerWithError } from './answer.ts'
import { WAITING, denied, getNextUrl, requireKept, take } from './authorize.ts'
import { decide } from './decide.ts'
import type { Decision, Requester } from './decide.ts'
import { dropRequest } from './kept-request.ts'
import type { KeptRequest } from './kept-request.ts'
import type { AuthorizationRequest } from './request.ts'

/** `GET /consent`: asks the user whether a client may act for them. */
export async function showConsent(ctx: Context, { query }: Input): Promise<Reply> {
  const server = getServer(ctx.service)
  const { kept, client } = await requireKept(ctx, server, query.get(WAITING) ?? '')
  const decision = await decide(ctx, server, client, kept.request)
  return askOrLead(ctx, server, { kept, client, decision })
}

/** Shows the page again whose form was refused, with a fresh token. */
export function showConsentAgain(
  ctx: Context,
  { status }: ShownError,
  input: Input,
): Promise<Reply> {
  const query = new Map([[WAITING, input.body.fields.get(WAITING) ?? '']])
  return showConsent(ctx, { ...input, query }).then((reply) =>
    reply.kind === 'page' ? { ...reply, status: status ?? reply.status } : reply,
  )
}

/** `POST /consent`: the answer of the user. */
export async function postConsent(ctx: Context, { body }: Input): Promise<Reply> {
  const server = getServer(ctx.service)
  const { fields } = body
  const { kept, client } = await requireKept(ctx, server, fields.get(WAITING) ?? '')
  const { id, request } = kept
  const decision = await decide(ctx, server, client, request)
  const isAsked = decision.next === 'consent' || decision.next === 'granted'
  // The page was shown to the user of another session.
  if (!isAsked || fields.get('session') !== decision.requester.session.id) {
    return askOrLead(ctx, server, { kept, client, decision })
  }
  const scopes = readScopes(server, request, fields)
  const isAllowed = fields.get('decision') === 'allow' && scopes.length > 0
  if (!isAllowed) await take(ctx, id)
  const reply = isAllowed
    ? await answerWithCode(
        ctx,
        server,
        { client, request, ...decision, scopes, take: () => take(ctx, id) },
        'form',
      )
    : answerWithError(ctx, request, denied(), 'form')
  return withCookies(reply, [dropRequest(ctx, id)])
}

/** A request that waits, and what it needs next. */
interface Waiting {
  readonly kept: KeptRequest
  readonly client: Client
  readonly decision: Decision
}

/** Shows the page, or leads to what the request needs first. */
async function askOrLead(
  ctx: Context,
  server: Server,
  { kept, client, decision }: Waiting,
): Promise<Reply> {
  if (decision.next === 'signIn' || decision.next === 'confirm') {
    return redirect(getNextUrl(ctx, kept, decision.next))
  }
  if (decision.next === 'denied') {
    return redirect(toUrl(ctx, `${ctx.baseUrl.href}/authorize`, { [WAITING]: kept.id }))
  }
  return showPage(ctx, server, kept, client, decision.requester)
}

async function showPage(
  ctx: Context,
  server: Server,
  { id, request }: KeptRequest,
  client: Client,
  { session }: Requester,
): Promise<Reply> {
  const { token: csrfToken, cookies } = await ctx.getCsrfToken()
  const { href } = ctx.baseUrl
  const { redirectUri } = request
  const again = toUrl(ctx, `${href}/authorize`, { [WAITING]: id })
  const html = renderConsentPage({
    ...toPageContext(ctx),
    texts: getTexts(ctx),
    action: `${href}/consent`,
    fields: { csrfToken, [WAITING]: id, session: session.id },
    clientName: getShownName(server.settings, client),
    host: getShownHost(redirectUri),
    isOnDevice: getRedirectKind(redirectUri) !== 'https',
    userName: toUserName(session),
    scopes: listScopes(ctx, server, request),
    otherAccountUrl: getSignInUrl(ctx, again),
  })
  return withCookies(page(html, 200, new URL(redirectUri)), cookies)
}

/** Returns the scopes of a request in words. */
export function listScopes(
  ctx: Context,
  { settings }: Server,
  { resource, scopes }: Pick<AuthorizationRequest, 'resource' | 'scopes'>,
): readonly ShownScope[] {
  const known = settings.resources.get(resource)
  const shown = scopes.filter((name) => name !== 'openid')
  return shown.map((name) => {
    const texts = known?.scopes.get(name)
    const words = texts?.[ctx.language.tag] ?? texts?.en
    const text = words ?? settings.openid?.describeScope(ctx, name) ?? name
    return { name, text, isRequired: known?.required.includes(name) === true }
  })
}

/** Returns the scopes that the user has left: of the request, nothing of the form is added. */
export function readScopes(
  { settings }: Server,
  { resource, scopes }: Pick<AuthorizationRequest, 'resource' | 'scopes'>,
  fields: ReadonlyMap<string, string>,
): readonly string[] {
  const required = ['openid', ...(settings.resources.get(resource)?.required ?? [])]
  return scopes.filter((scope) => required.includes(scope) || fields.has(SCOPE_FIELD + scope))
}
