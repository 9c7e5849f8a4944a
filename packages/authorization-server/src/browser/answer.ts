import {
  changed,
  getCauses,
  limitChange,
  page,
  redirect,
  toPageContext,
} from '@latchkey/core/capability'
import type { Context, Reply } from '@latchkey/core/capability'
import { AuthError } from '@latchkey/core/capability/options'
import { fill } from '@latchkey/core/capability/pages'
import { whileAlive } from '@latchkey/core/capability/sign-in'
import type { Client } from '../clients/client.ts'
import { addParameters, getShownHost } from '../clients/redirect-uri.ts'
import { getReportedName } from '../clients/shown-name.ts'
import { getGrantStorage, isLasting, listUsedGrants, toBeginning } from '../grant.ts'
import type { Beginning, GrantData } from '../grant.ts'
import { OAuthError } from '../oauth-error.ts'
import { renderNoticePage } from '../pages/pages.ts'
import type { Server } from '../server.ts'
import { getTexts } from '../texts.ts'
import { CODE_LIFETIME, formatCode } from '../tokens/code.ts'
import { getFirstId } from '../tokens/id-token.ts'
import type { Requester } from './decide.ts'
import type { AnswerTarget, AuthorizationRequest } from './request.ts'

/**
 * How an answer reaches the client: by a redirect of the request, after a posted form, by a page that leads on, because the policy of
 * the form that was posted before applies to its redirects, or by a page whose link the user presses.
 */
export type AnswerBy = 'redirect' | 'form' | 'page' | 'notice'

/** What is answered with a code. */
interface Granted {
  readonly client: Client
  readonly request: AuthorizationRequest
  readonly requester: Requester
  readonly scopes: readonly string[]
  /** Notes that the request is answered. Default: it was not kept */
  readonly take?: () => Promise<void>
}

/**
 * Answers with a code (RFC 6749 §4.1.2). If the storage fails when a kept request was taken already, the client is told, which can
 * begin again: the user cannot answer the request twice.
 */
export async function answerWithCode(
  ctx: Context,
  server: Server,
  granted: Granted,
  by: AnswerBy,
): Promise<Reply> {
  const { client, request, requester, scopes, take } = granted
  const { user, session } = requester
  const isNew = isLasting(client, scopes) && (await isNewWay(ctx, client, user.id, by))
  if (isNew) await limitChange(ctx, user.id)
  await take?.()
  try {
    const beginning = await toBeginning(ctx, user.id, client, scopes)
    const { id } = await whileAlive(ctx, session, async () => {
      const created = await createGrant(ctx, server, granted, beginning)
      const undo = (): Promise<void> => getGrantStorage(ctx.service).deleteGrant(created)
      const tell = async (): Promise<void> => {
        if (isNew) await reportGrant(ctx, client, user.id)
      }
      return { id: created, undo, tell }
    })
    return answer(ctx, request, { code: await formatCode(server.mac, id) }, by)
  } catch (thrown) {
    if (!take || !isOutage(thrown)) throw thrown
    ctx.service.log.error('a code was not stored', { client: client.id, causes: getCauses(thrown) })
    const problem = new OAuthError('temporarily_unavailable', 'the request was not stored')
    return answerWithError(ctx, request, problem, by)
  }
}

function isOutage(thrown: unknown): boolean {
  return thrown instanceof AuthError && thrown.code === 'Unavailable'
}

/**
 * Returns whether the refresh token of a client is a way in of which the user is told. What continues without a press of the
 * user is none, if the client has such a grant that was used: else links of other sites would use up the emails and changes of the user.
 */
async function isNewWay(
  ctx: Context,
  { id }: Client,
  userId: string,
  by: AnswerBy,
): Promise<boolean> {
  if (by === 'form') return true
  const used = await listUsedGrants(ctx.service, userId, ctx.now)
  return !used.some(({ grant, data }) => grant.clientId === id && data.isLasting)
}

/** Tells the user that a client was allowed to act. */
export function reportGrant(
  ctx: Context,
  { id, name, isOpen }: Client,
  userId: string,
): Promise<void> {
  const detail = getReportedName(id, isOpen ? undefined : name)
  return changed({ service: ctx.service, ctx, kind: 'applicationAllowed', userId, detail })
}

/** Answers with an error (RFC 6749 §4.1.2.1). */
export function answerWithError(
  ctx: Context,
  target: AnswerTarget,
  { code, message }: OAuthError,
  by: AnswerBy,
): Reply {
  return answer(ctx, target, { error: code, error_description: message }, by)
}

/** Every response names its issuer, so that a client cannot take it for another server's (RFC 9207 §2). */
function answer(
  ctx: Context,
  { redirectUri, state }: AnswerTarget,
  parameters: Readonly<Record<string, string>>,
  by: AnswerBy,
): Reply {
  const url = addParameters(redirectUri, { ...parameters, state, iss: ctx.baseUrl.href })
  // No policy can name an IPv6 address, so no form may lead to one.
  const isPage = by === 'form' && redirectUri.startsWith('http://[')
  if (by === 'redirect' || (by === 'form' && !isPage)) {
    return redirect(url, by === 'form' ? 303 : 302)
  }
  return leadOn(ctx, url, by === 'notice' ? parameters['error'] : undefined)
}

/**
 * Shows a page with a link to a client, which leads on by itself.
 *
 * @param error The code of what is wrong: then the user presses the link. Default: none
 */
export function leadOn(ctx: Context, url: string, error?: string): Reply {
  const texts = getTexts(ctx)
  const link = { url, text: fill(texts.continueAt, getShownHost(url)) }
  const heading = error === undefined ? texts.leaving : texts.invalid
  const view = { ...toPageContext(ctx), heading, sentence: error, link }
  return page(renderNoticePage(view), error === undefined ? 200 : 400)
}

/** Creates a grant that ends with its code, unless the code is used. */
async function createGrant(
  ctx: Context,
  server: Server,
  { client, request, requester, scopes }: Granted,
  beginning: Beginning,
): Promise<string> {
  const storage = getGrantStorage(ctx.service)
  const { user, session } = requester
  const { redirectUri, namesUri, challenge, resource } = request
  const id = server.random(16)
  const { authenticatedAt = null, methods = [] } = session.authentication ?? {}
  const data: GrantData = {
    redirectUri,
    namesUri,
    challenge,
    asked: request.scopes,
    advances: [],
    ...beginning,
    ...(client.isOpen ? { client } : { clientName: client.name }),
    ...(scopes.includes('openid') && { nonce: request.nonce, sessionId: getFirstId(session) }),
  }
  await storage.createGrant({
    id,
    userId: user.id,
    clientId: client.id,
    resource,
    scopes,
    authenticatedAt,
    methods,
    counter: 0,
    createdAt: ctx.now,
    changedAt: ctx.now,
    expires: ctx.now + CODE_LIFETIME,
    key: null,
    data: JSON.stringify(data),
  })
  return id
}
