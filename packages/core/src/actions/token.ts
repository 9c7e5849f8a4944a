import { issueToken } from '../api/issue-token.ts'
import type { Context } from '../context.ts'
import { AuthError } from '../errors.ts'
import { json } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import { limitKey } from '../limits/apply-limit.ts'

/** `POST /token`: issues a token for an API to the user of the session (I-47). */
export async function postToken(ctx: Context): Promise<Reply> {
  const { session } = await ctx.readSession()
  await limitKey(ctx, 'tokensPerSession', session?.id)
  const token = await issueToken(ctx)
  if (!token) throw new AuthError('SessionRequired', 'a token needs a session')
  return json(token)
}

/** `GET /jwks`: returns the public keys, which APIs may keep. */
export function listKeys({ service }: Context): Reply {
  return { ...json(service.tokens?.keySet), cacheControl: 'public, max-age=600' }
}
