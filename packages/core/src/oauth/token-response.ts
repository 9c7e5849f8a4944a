import { isList, isObject } from '../lib/members.ts'
import type { Claims } from './provider-config.ts'

/** The members that a token response may leave out (RFC 6749 §5.1). Some providers send null or an empty text. */
const optionalMembers: readonly string[] = ['expires_in', 'id_token', 'refresh_token', 'scope']

/**
 * Returns a successful token response as RFC 6749 §5.1 describes it: with the status 200, which some
 * providers replace by 201, and without optional members that are null or empty.
 */
export async function normalizeTokenResponse(response: Response): Promise<Response> {
  const body = await readTokens(response)
  if (!body) return response
  const members = Object.entries(body).filter((member) => !isAbsent(...member))
  return Response.json(Object.fromEntries(members))
}

/**
 * Returns a token response as plain OAuth 2.0 has it: without its ID Token, which cannot be verified
 * without an issuer, and with the type `bearer` if it names none, as at WeChat and WorkOS.
 */
export async function toPlainTokenResponse(response: Response): Promise<Response> {
  const body = await readTokens(response)
  if (!body) return response
  const { id_token: _, token_type: type, ...rest } = body
  return Response.json({ ...rest, token_type: isMissing(type) ? 'bearer' : type })
}

/** Returns the body of a successful token response, which stays unread; undefined if it has none. */
export async function readTokens(response: Response): Promise<Claims | undefined> {
  if (response.status !== 200 && response.status !== 201) return undefined
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined)
  return isObject(body) && !isList(body) ? body : undefined
}

function isAbsent(name: string, value: unknown): boolean {
  return optionalMembers.includes(name) && isMissing(value)
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}
