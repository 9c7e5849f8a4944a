import { emit } from '../events.ts'
import type { Context, Input, ProviderInput } from '../context.ts'
import { AuthError } from '../errors.ts'
import { toRefusal } from '../http/refusal.ts'
import { redirect, withCookies } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import type { Provider } from '../ports/provider.ts'
import { beginFlow } from '../sign-in/flow.ts'
import { completeIdentity } from '../sign-in/run-callback.ts'
import { getReturnUrl, getVerifyRequestUrl } from '../sign-in/urls.ts'
import { getErrorCode, replySignInPage, toUserName } from './page-replies.ts'

/** `GET /signin`: shows the sign-in page with every provider. */
export function showSignIn(ctx: Context, input: Input): Promise<Reply> {
  return show(ctx, input, [...ctx.service.providers.values()])
}

/** `GET /signin/:provider`: shows the sign-in page with one provider. A link cannot start a sign-in. */
export function showProvider(ctx: Context, input: ProviderInput): Promise<Reply> {
  return show(ctx, input, [input.provider])
}

/** `POST /signin/:provider`: redirects to the identity provider, or sends a sign-in link. */
export async function startSignIn(ctx: Context, input: ProviderInput): Promise<Reply> {
  try {
    return await start(ctx, input)
  } catch (thrown) {
    const { error } = toRefusal(thrown)
    emit(ctx, 'signInFailed', { provider: input.provider.id, error: error.code })
    throw thrown
  }
}

async function start(ctx: Context, input: ProviderInput): Promise<Reply> {
  const { provider, body } = input
  const callbackUrl = await getReturnUrl(ctx, input)
  const purpose = body.fields.get('link') === 'true' ? 'link' : 'signIn'
  if (purpose === 'link') await assertCanLink(ctx)
  const { result, flow, cookies } = await beginFlow(ctx, input, { callbackUrl, purpose })
  if ('identity' in result) return completeIdentity(ctx, provider, flow, result.identity)
  const url = 'redirect' in result ? result.redirect.href : getVerifyRequestUrl(ctx, provider)
  return withCookies(redirect(url), cookies)
}

/** An account can be linked only to the user of a session, in a storage (I-39). */
async function assertCanLink(ctx: Context): Promise<void> {
  if (!ctx.service.storage) throw new AuthError('Configuration', 'link needs the option storage')
  const origin = ctx.request.headers.get('origin') ?? ctx.baseUrl.origin
  // A trusted origin must not link an account that it chooses to the user (I-42).
  if (origin !== ctx.baseUrl.origin) {
    throw new AuthError('Csrf', `link=true needs the origin ${ctx.baseUrl.origin}, found ${origin}`)
  }
  const { session } = await ctx.readSession()
  if (!session) throw new AuthError('SessionRequired', 'linking an account needs a session')
}

async function show(ctx: Context, input: Input, providers: readonly Provider[]): Promise<Reply> {
  const callbackUrl = await getReturnUrl(ctx, input)
  const { session } = await ctx.readSession()
  const signedInAs = session && toUserName(session)
  const error = getErrorCode(input.query)
  return replySignInPage(ctx, providers, { callbackUrl, error, signedInAs })
}
