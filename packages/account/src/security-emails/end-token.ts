import { toBase64url, requireStorage } from '@latchkey/core/capability'
import { AuthError } from '@latchkey/core/capability/options'
import type { Context, Service } from '@latchkey/core/capability'
import { findUser } from '@latchkey/core/capability/sign-in'
import { LINK_LIFETIME } from './security-mail.ts'

/** The content of a link that ends all sessions of a user. */
export interface EndToken {
  readonly userId: string
  /** Random, so that each link works once. */
  readonly id: string
  /** Seconds since 1970. */
  readonly exp: number
}

/** Returns the token of a link, which works once, for 24 hours. */
export function issueEndToken(
  { keys, runtime }: Service,
  userId: string,
  now: number,
): Promise<string> {
  const content = { userId, id: toBase64url(runtime.random(16)) }
  return keys.endSessions.seal(content, now + LINK_LIFETIME)
}

/**
 * Opens the token of a link. It may have been used.
 *
 * @throws AuthError `Verification` if it is not one of this service, has expired, or its user was deleted
 */
export async function openEndToken(
  { service, now }: Context,
  token: string | undefined,
): Promise<EndToken> {
  const content = await service.keys.endSessions.open(token, now)
  if (!isEndToken(content)) throw expired('is invalid or has expired')
  const storage = requireStorage(service.storage, 'securityEmails', [])
  if (!(await findUser(storage, content.userId))) throw expired('is for a user who was deleted')
  return content
}

/** Uses a token up. */
export async function takeEndToken(
  { service, now }: Context,
  { id, exp }: EndToken,
): Promise<void> {
  if (!(await service.usedOnce.take(`end sessions ${id}`, exp, now))) throw expired('was used')
}

function isEndToken(content: object | undefined): content is EndToken {
  return content !== undefined && 'userId' in content && 'id' in content
}

function expired(problem: string): AuthError {
  return new AuthError('Verification', `the link that ends all sessions ${problem}`)
}
