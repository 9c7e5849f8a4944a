import {
  callDecision,
  getClientKey,
  getSignInUrl,
  limitChange,
  page,
  redirect,
  spendLimit,
  toPageContext,
  toUrl,
  withCookies,
} from '@latchkey/core/capability'
import type { Context, Input, OwnLimit, Reply, ShownError } from '@latchkey/core/capability'
import { toUserName } from '@latchkey/core/capability/pages'
import { whileAlive } from '@latchkey/core/capability/sign-in'
import { reportGrant } from '../browser/answer.ts'
import { listScopes, readScopes } from '../browser/consent.ts'
import { findRequester } from '../browser/decide.ts'
import type { Requester } from '../browser/decide.ts'
import type { Client } from '../clients/client.ts'
import { findClient } from '../clients/find-client.ts'
import { getShownName } from '../clients/shown-name.ts'
import { getGrantStorage, isLasting, toBeginning } from '../grant.ts'
import type { Beginning } from '../grant.ts'
import { renderNoticePage } from '../pages/pages.ts'
import { getServer } from '../server.ts'
import type { Server } from '../server.ts'
import type { DeviceTexts } from '../texts.ts'
import { getFirstId } from '../tokens/id-token.ts'
import { INTERVAL, changeRequest, hasEnded, toDeviceRequest, withDevice } from './device-request.ts'
import type { DeviceRequest } from './device-request.ts'
import { USER_CODE, renderApprovalPage, renderEntryPage } from './pages.ts'
import { getDeviceTexts } from './texts.ts'
import { formatUserCode, parseUserCode, toUserCodeKey } from './user-code.ts'

/** `GET /device`: asks for the code that a device shows (RFC 8628 §3.3). It writes nothing, and no URL answers a request. */
export async function showDevice(ctx: Context, { query }: Input): Promise<Reply> {
  const typed = query.get(USER_CODE) ?? ''
  const requester = await findRequester(ctx)
  if (!requester) return redirect(getSignInUrl(ctx, toOwnUrl(ctx, typed)))
  const confirmUrl = await findConfirmUrl(ctx, typed)
  return confirmUrl === undefined ? showEntry(ctx, requester, { typed }) : redirect(confirmUrl)
}

/** Shows the page again whose form was refused, with a fresh token. */
export async function showDeviceAgain(
  ctx: Context,
  { status, message }: ShownError,
  { body }: Input,
): Promise<Reply> {
  const typed = body.fields.get(USER_CODE) ?? ''
  const requester = await findRequester(ctx)
  if (!requester) return redirect(getSignInUrl(ctx, toOwnUrl(ctx, typed)))
  return showEntry(ctx, requester, { typed, message, status })
}

/** How often wrong codes may be typed. */
type CodeLimits = Readonly<
  Record<'wrongCodesPerSession' | 'wrongCodesPerClient' | 'wrongCodesInAll', OwnLimit>
>

/** `POST /device`: the code, and then the answer of the user who has entered it. */
export async function postDevice(
  ctx: Context,
  { body }: Input,
  limits: CodeLimits,
): Promise<Reply> {
  const { fields } = body
  const typed = fields.get(USER_CODE) ?? ''
  const server = getServer(ctx.service)
  const requester = await findRequester(ctx)
  if (!requester) return redirect(getSignInUrl(ctx, toOwnUrl(ctx, typed)))
  const found = await findEntered(ctx, limits, typed, requester)
  if (!found) return showWrong(ctx, requester, typed)
  const { enteredBy } = found.device
  const elapsed = enteredBy ? ctx.now - enteredBy.at : 0
  const confirmUrl = await findConfirmUrl(ctx, typed, elapsed)
  if (confirmUrl !== undefined) return redirect(confirmUrl)
  if (await isDeniedByApplication(server, found, requester)) return deny(ctx, found, requester)
  const decision = fields.get('decision')
  // Nothing is answered before the user has seen what for.
  if (decision === undefined || !enteredBy) return enter(ctx, server, found, requester)
  const scopes = decision === 'allow' ? readScopes(server, found.grant, fields) : []
  if (scopes.length === 0) return deny(ctx, found, requester)
  return approve(ctx, found, { requester, scopes })
}

/** A request whose code was entered. */
interface Entered extends DeviceRequest {
  readonly client: Client
  readonly code: string
}

/**
 * Returns the request of a code. Each code is counted before it is looked for, so that who guesses is refused whatever the guess is
 * (RFC 8628 §5.1); one that is right is not counted.
 */
async function findEntered(
  ctx: Context,
  limits: CodeLimits,
  typed: string,
  requester: Requester,
): Promise<Entered | undefined> {
  const code = parseUserCode(typed)
  if (code === undefined) return undefined
  const server = getServer(ctx.service)
  const refund = await countCode(ctx, limits, requester)
  const found = await findOpen(ctx, server, code, requester).catch(async (thrown: unknown) => {
    // An outage says nothing about the code.
    await refund()
    throw thrown
  })
  if (found) await refund()
  return found
}

async function findOpen(
  ctx: Context,
  server: Server,
  code: string,
  requester: Requester,
): Promise<Entered | undefined> {
  const key = await toUserCodeKey(server.mac, code)
  const grant = await getGrantStorage(ctx.service).getGrantByKey(key, ctx.now)
  const request = grant && toDeviceRequest(grant)
  const client = grant && (await findClient(ctx, server, grant.clientId))
  if (!request || !client?.grants.includes('device')) return undefined
  return isOpenTo(ctx, request, requester) ? { ...request, client, code } : undefined
}

async function countCode(
  ctx: Context,
  { wrongCodesPerSession, wrongCodesPerClient, wrongCodesInAll }: CodeLimits,
  { session }: Requester,
): Promise<() => Promise<void>> {
  // The one of all is last, so that attempts that another limit refuses do not use it up.
  const refunds = [
    await spendLimit(ctx, wrongCodesPerSession, getFirstId(session)),
    await spendLimit(ctx, wrongCodesPerClient, getClientKey(ctx)),
    await spendLimit(ctx, wrongCodesInAll, 'all'),
  ]
  return async () => {
    for (const refund of refunds) await refund()
  }
}

/** Nobody but the user who has entered the code approves it, in the same session. */
function isOpenTo({ now }: Context, request: DeviceRequest, { user, session }: Requester): boolean {
  const { grant, device } = request
  if (grant.userId !== null || device.isDenied || hasEnded(request, now)) return false
  const { enteredBy } = device
  return !enteredBy || (enteredBy.userId === user.id && enteredBy.sessionId === getFirstId(session))
}

/** Returns the URL at which the user proves again who they are, unless that is recent enough, as for linking an account. */
async function findConfirmUrl(
  ctx: Context,
  typed: string,
  elapsed = 0,
): Promise<string | undefined> {
  const { recency } = ctx.service.capabilities
  if (!recency || (await recency.isRecent(ctx, 'link', elapsed))) return undefined
  return recency.getUrl(ctx, toOwnUrl(ctx, typed))
}

async function isDeniedByApplication(
  { settings }: Server,
  { grant, client }: Entered,
  { user }: Requester,
): Promise<boolean> {
  const { resource, scopes } = grant
  const asked = { client: { id: client.id, name: client.name }, user, resource, scopes }
  const answer = await callDecision('authorizationServer.consent', () => settings.consent(asked))
  return answer === 'denied'
}

/** Binds a request to the user and the session, and asks. */
async function enter(
  ctx: Context,
  server: Server,
  found: Entered,
  requester: Requester,
): Promise<Reply> {
  const { user, session } = requester
  const entry = { userId: user.id, sessionId: getFirstId(session), at: ctx.now }
  const isEntered = await changeRequest(ctx, found.grant.id, (request) => {
    if (!isOpenTo(ctx, request, requester)) return undefined
    const enteredBy = request.device.enteredBy ?? entry
    return { data: withDevice(request, { ...request.device, enteredBy }) }
  })
  if (!isEntered) return showWrong(ctx, requester, found.code)
  return showApproval(ctx, server, found, requester)
}

/** What a user allows. */
interface Approved {
  readonly requester: Requester
  readonly scopes: readonly string[]
}

async function approve(
  ctx: Context,
  { grant, client, code }: Entered,
  { requester, scopes }: Approved,
): Promise<Reply> {
  const { user, session } = requester
  const isWay = isLasting(client, scopes)
  if (isWay) await limitChange(ctx, user.id)
  const beginning = await toBeginning(ctx, user.id, client, scopes)
  const { undo } = await whileAlive(ctx, session, async () => {
    const isApproved = await approveGrant(ctx, grant.id, beginning, { requester, scopes })
    if (!isApproved) return { undo: undefined }
    const remove = (): Promise<void> => getGrantStorage(ctx.service).deleteGrant(grant.id)
    const tell = async (): Promise<void> => {
      if (isWay) await reportGrant(ctx, client, user.id)
    }
    return { undo: remove, tell }
  })
  if (!undo) return showWrong(ctx, requester, code)
  return showNotice(ctx, 'deviceAllowed')
}

/** The grant gets its user. The code is free again, and who asked is forgotten. */
function approveGrant(
  ctx: Context,
  id: string,
  beginning: Beginning,
  { requester, scopes }: Approved,
): Promise<boolean> {
  const { user, session } = requester
  const { authenticatedAt = null, methods = [] } = session.authentication ?? {}
  return changeRequest(ctx, id, (request) => {
    if (!isOpenTo(ctx, request, requester)) return undefined
    const begun = { ...request.data, ...beginning, approvedAt: ctx.now }
    const data = withDevice({ ...request, data: begun }, { interval: INTERVAL })
    return { userId: user.id, key: null, scopes, authenticatedAt, methods, data }
  })
}

async function deny(ctx: Context, { grant, code }: Entered, requester: Requester): Promise<Reply> {
  const isDenied = await changeRequest(ctx, grant.id, (request) => {
    if (!isOpenTo(ctx, request, requester)) return undefined
    return { key: null, data: withDevice(request, { interval: INTERVAL, isDenied: true }) }
  })
  return isDenied ? showNotice(ctx, 'deviceDenied') : showWrong(ctx, requester, code)
}

/** What the page with the input shows. */
interface Shown {
  readonly typed: string
  readonly message?: string | undefined
  readonly status?: number | undefined
}

async function showEntry(
  ctx: Context,
  { session }: Requester,
  { typed, message, status }: Shown,
): Promise<Reply> {
  const { token: csrfToken, cookies } = await ctx.getCsrfToken()
  const html = renderEntryPage({
    ...toPageContext(ctx),
    texts: getDeviceTexts(ctx),
    action: toOwnUrl(ctx),
    csrfToken,
    userName: toUserName(session),
    typed: typed.slice(0, 32),
    message,
    otherAccountUrl: getSignInUrl(ctx, toOwnUrl(ctx, typed)),
  })
  return withCookies(page(html, status), cookies)
}

function showWrong(ctx: Context, requester: Requester, typed: string): Promise<Reply> {
  return showEntry(ctx, requester, { typed, message: getDeviceTexts(ctx).deviceWrong, status: 400 })
}

async function showApproval(
  ctx: Context,
  server: Server,
  { grant, device, client, code }: Entered,
  { session }: Requester,
): Promise<Reply> {
  const { token: csrfToken, cookies } = await ctx.getCsrfToken()
  const html = renderApprovalPage({
    ...toPageContext(ctx),
    texts: getDeviceTexts(ctx),
    action: toOwnUrl(ctx),
    csrfToken,
    userName: toUserName(session),
    userCode: formatUserCode(code),
    clientName: getShownName(server.settings, client),
    scopes: listScopes(ctx, server, grant),
    ip: device.ip,
    browser: device.browser,
    age: ctx.now - grant.createdAt,
  })
  return withCookies(page(html), cookies)
}

function showNotice(
  ctx: Context,
  heading: keyof DeviceTexts & ('deviceAllowed' | 'deviceDenied'),
): Reply {
  const texts = getDeviceTexts(ctx)
  const view = { ...toPageContext(ctx), heading: texts[heading], sentence: texts.deviceClose }
  return page(renderNoticePage(view))
}

/** Returns the URL of the page. A text that cannot be a code stays out of it. */
function toOwnUrl(ctx: Context, typed = ''): string {
  const code = parseUserCode(typed)
  const url = `${ctx.baseUrl.href}/device`
  return toUrl(ctx, url, { [USER_CODE]: code === undefined ? undefined : formatUserCode(code) })
}
