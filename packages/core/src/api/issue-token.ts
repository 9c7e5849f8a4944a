import type { Context } from '../context.ts'
import { ConfigurationError } from '../errors.ts'
import { resolveSession } from '../session/current-session.ts'
import type { IssuedToken } from '../tokens/token-issuer.ts'

/**
 * Issues a token for an API to the user of a request's session (I-47); undefined without a session.
 *
 * @throws ConfigurationError without the option `tokens`
 */
export async function issueToken(ctx: Context): Promise<IssuedToken | undefined> {
  const { tokens } = ctx.service
  if (!tokens) throw new ConfigurationError('auth.issueToken', 'needs the option tokens')
  const { session: read } = await ctx.readSession()
  if (!read) return undefined
  const { token, user, expires } = await resolveSession(ctx, read)
  const issuer = ctx.baseUrl.href
  return tokens.issue({ issuer, now: ctx.now, sessionExpires: expires, token, user })
}
