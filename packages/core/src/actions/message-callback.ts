import type { Context, ProviderInput } from '../context.ts'
import { AuthError } from '../errors.ts'
import { assertNoDuplicates } from '../http/query.ts'
import type { Reply } from '../http/reply.ts'
import { findMatchingFlow, toFlowOfOtherBrowser } from '../sign-in/flow.ts'
import type { FoundFlow } from '../sign-in/flow.ts'
import { runCallback } from '../sign-in/run-callback.ts'
import { getVerifyRequestUrl } from '../sign-in/urls.ts'
import { replyConfirmPage } from './page-replies.ts'

/**
 * Receives a link of an {@link OutOfBand} provider. In the browser that asked for the link, it signs in
 * immediately. In any other browser it changes nothing and shows a page that asks (I-31).
 */
export async function receiveLink(ctx: Context, input: ProviderInput): Promise<Reply> {
  const { provider } = input
  const query = new URL(ctx.request.url).searchParams
  assertNoDuplicates(query, 'Verification')
  const confirmation = provider.outOfBand?.describeConfirmation(query)
  if (!confirmation) throw new AuthError('Verification', 'the link is incomplete')
  // A code is typed and posted, never taken from a link.
  const params = new URLSearchParams(confirmation.fields)
  const isIgnored = isPrefetch(ctx.request)
  const found = isIgnored ? undefined : await findMatchingFlow(ctx, provider, params)
  return found ? run(ctx, input, params, found) : replyConfirmPage(ctx, input, confirmation)
}

/** Receives a code, or the button of the page that {@link receiveLink} shows. */
export async function postLink(ctx: Context, input: ProviderInput): Promise<Reply> {
  const params = new URLSearchParams([...input.body.fields])
  const own = await findMatchingFlow(ctx, input.provider, params)
  return run(ctx, input, params, own ?? (await toFlowOfOtherBrowser(ctx, params)))
}

function run(
  ctx: Context,
  { provider }: ProviderInput,
  params: URLSearchParams,
  found: FoundFlow,
): Promise<Reply> {
  // A code can be typed again, and a link opened again once the storage is back.
  const getRetryUrl = ({ canRetry, code }: AuthError): string | undefined =>
    canRetry || code === 'Unavailable' ? getVerifyRequestUrl(ctx, provider) : undefined
  return runCallback(ctx, { provider, params, found, spent: [], getRetryUrl })
}

/** Browsers announce a prefetch: it must not use the link up. */
function isPrefetch({ headers }: Request): boolean {
  return /prefetch|prerender/.test(headers.get('sec-purpose') ?? headers.get('purpose') ?? '')
}
