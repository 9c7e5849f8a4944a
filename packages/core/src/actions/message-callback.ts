import type { Context, ProviderInput } from '../kernel/context.ts'
import { AuthError } from '../lib/errors.ts'
import { checkNoDuplicates } from '../http/query.ts'
import { redirect } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import type { Provider } from '../ports/provider.ts'
import { findMatchingFlow, toFlowOfOtherBrowser } from '../sign-in/find-flow.ts'
import type { FoundFlow } from '../sign-in/find-flow.ts'
import { runCallback } from '../sign-in/run-callback.ts'
import { getReturnUrl, getSignInUrl, getVerifyRequestUrl } from '../sign-in/urls.ts'
import { replyConfirmPage } from './page-replies.ts'

/**
 * Receives a link of an {@link OutOfBand} provider. In the browser that asked for the link, it signs in
 * immediately. In any other browser it changes nothing and shows a page that asks (I-31).
 */
export async function receiveLink(ctx: Context, input: ProviderInput): Promise<Reply> {
  const { provider } = input
  const query = new URL(ctx.request.url).searchParams
  checkNoDuplicates(query, 'Verification')
  const confirmation = provider.outOfBand?.describeConfirmation(query)
  if (!confirmation) throw new AuthError('Verification', 'the link is incomplete')
  // A code is typed and posted, never taken from a link.
  const params = new URLSearchParams(confirmation.fields)
  const isIgnored = isPrefetch(ctx.request)
  const found = isIgnored ? undefined : await findMatchingFlow(ctx, provider, params)
  if (found) return run(ctx, input, found, params)
  if (!isIgnored && (await isSignedInBy(ctx, confirmation.identifier))) {
    return redirect(await getReturnUrl(ctx, input))
  }
  return replyConfirmPage(ctx, input, confirmation)
}

/**
 * Returns whether the browser's session began by an email to this address, of a user who has verified it: the
 * link is opened again (I-31.11). Another session, which somebody else may have planted, does not count.
 */
async function isSignedInBy(ctx: Context, address: string): Promise<boolean> {
  const { token, authentication } = (await ctx.readSession()).session ?? {}
  if (token?.email !== address || token.email_verified !== true) return false
  return authentication?.methods.includes('email') === true
}

/** Receives a code, or the button of the page that {@link receiveLink} shows. */
export async function postLink(ctx: Context, input: ProviderInput): Promise<Reply> {
  const params = new URLSearchParams([...input.body.fields])
  const own = await findMatchingFlow(ctx, input.provider, params)
  return run(ctx, input, own ?? (await toFlowOfOtherBrowser(ctx, params)), params)
}

function run(
  ctx: Context,
  { provider }: ProviderInput,
  found: FoundFlow,
  params: URLSearchParams,
): Promise<Reply> {
  const getRetryUrl = ({ canRetry, code }: AuthError): string | undefined => {
    // A code can be typed again, and a link opened again once the storage is back.
    if (canRetry || code === 'Unavailable') return getVerifyRequestUrl(ctx, provider)
    const isUsedLink = code === 'Verification' && params.has('token')
    return isUsedLink ? getNewMessageUrl(ctx, provider, found) : undefined
  }
  return runCallback(ctx, { provider, params, found, spent: [], getRetryUrl })
}

/**
 * Returns where the browser that asked for a message can ask for another one, once the token was used or has
 * expired; undefined in any other browser, for linking, and if the application has its own pages.
 */
function getNewMessageUrl(ctx: Context, provider: Provider, found: FoundFlow): string | undefined {
  const { signIn, error } = ctx.service.pages
  if (!found.spec || !('flow' in found) || found.flow.purpose !== 'signIn') return undefined
  return signIn === undefined && error === undefined
    ? getSignInUrl(ctx, found.flow.callbackUrl, provider)
    : undefined
}

/** Browsers announce a prefetch: it must not use the link up. */
function isPrefetch({ headers }: Request): boolean {
  return /prefetch|prerender/.test(headers.get('sec-purpose') ?? headers.get('purpose') ?? '')
}
