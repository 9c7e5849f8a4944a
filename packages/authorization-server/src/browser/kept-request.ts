import { clearCookie, getOwnCookie, setCookie } from '@latchkey/core/capability'
import type { Context, CookieChange, CookieSpec } from '@latchkey/core/capability'
import { isList, readMember, readText } from '@latchkey/core/capability/options'
import { getGrantStorage } from '../grant.ts'
import type { Server } from '../server.ts'
import { ID } from '../settings.ts'
import { isPrompt } from './request.ts'
import type { AuthorizationRequest } from './request.ts'

/** Seconds that a request waits while its user signs in, registers, and decides. */
export const REQUEST_LIFETIME = 1800
/** Requests that wait in one browser. */
const MAX_KEPT = 3
const ID_OF_REQUEST = /^[\w-]{22}$/
/** The key of the cookies. */
export const COOKIE = 'request'

/** A request that waits in this browser. */
export interface KeptRequest {
  readonly id: string
  readonly request: AuthorizationRequest
}

/** Keeps a request in this browser. Beyond three, the oldest are given up. */
export async function keepRequest(
  ctx: Context,
  server: Server,
  request: AuthorizationRequest,
): Promise<{ readonly kept: KeptRequest; readonly cookies: readonly CookieChange[] }> {
  const id = server.random(16)
  const sealer = ctx.service.keys.ofCapability(ID)
  const value = await sealer.seal({ v: 1, id, ...request }, ctx.now + REQUEST_LIFETIME)
  const held = listHeld(ctx)
  const surplus = held.slice(0, Math.max(0, held.length - (MAX_KEPT - 1)))
  const cleared = surplus.map((each) => clearCookie(toSpec(ctx, each)))
  return { kept: { id, request }, cookies: [setCookie(toSpec(ctx, id), value), ...cleared] }
}

/** Returns a request that waits in this browser. Nothing of it is read from elsewhere. */
export async function findKeptRequest(ctx: Context, id: string): Promise<KeptRequest | undefined> {
  if (!ID_OF_REQUEST.test(id)) return undefined
  const sealed = ctx.cookies.get(toSpec(ctx, id).name)
  const content = await ctx.service.keys.ofCapability(ID).open(sealed, ctx.now)
  if (content?.['id'] !== id || content['v'] !== 1) return undefined
  const request = parseRequest(content)
  return request && { id, request }
}

/**
 * Notes that a request is answered.
 *
 * @returns True for exactly one caller: a request is answered once
 */
export async function takeRequest({ service, now }: Context, id: string): Promise<boolean> {
  const key = `authorization request ${id}`
  const { count } = await getGrantStorage(service).increment(key, REQUEST_LIFETIME, now)
  return count === 1
}

/** Returns the change that removes a request from this browser. */
export function dropRequest(ctx: Context, id: string): CookieChange {
  return clearCookie(toSpec(ctx, id))
}

function toSpec(ctx: Context, id: string): CookieSpec {
  const spec = getOwnCookie(ctx, COOKIE)
  return { ...spec, name: `${spec.name}.${id}` }
}

/** Browsers send older cookies before newer ones (RFC 6265 §5.4). A name that the service has not written cannot be cleared. */
function listHeld(ctx: Context): readonly string[] {
  const ids = ctx.cookies.ids(getOwnCookie(ctx, COOKIE).name)
  return ids.filter((id) => ID_OF_REQUEST.test(id))
}

/** Only the service itself has sealed it: what is missing was written by another version. */
function parseRequest(content: object): AuthorizationRequest | undefined {
  const [clientId, redirectUri, resource, challenge] = [
    'clientId',
    'redirectUri',
    'resource',
    'challenge',
  ].map((name) => readText(content, name))
  const at = readMember(content, 'at')
  if (clientId === undefined || redirectUri === undefined || typeof at !== 'number')
    return undefined
  if (resource === undefined || challenge === undefined) return undefined
  const maxAge = readMember(content, 'maxAge')
  return {
    clientId,
    redirectUri,
    resource,
    challenge,
    at,
    state: readText(content, 'state'),
    namesUri: readMember(content, 'namesUri') === true,
    scopes: readTexts(content, 'scopes'),
    prompt: readTexts(content, 'prompt').filter(isPrompt),
    maxAge: typeof maxAge === 'number' ? maxAge : undefined,
    factors: readMember(content, 'factors') === 2 ? 2 : 1,
    loginHint: readText(content, 'loginHint'),
    sessionId: readText(content, 'sessionId'),
    nonce: readText(content, 'nonce'),
    subject: readText(content, 'subject'),
  }
}

function readTexts(content: object, name: string): readonly string[] {
  const list = readMember(content, name)
  return isList(list) ? list.filter((each) => typeof each === 'string') : []
}
