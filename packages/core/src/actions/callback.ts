import type { Context, ProviderInput } from '../context.ts'
import { AuthError } from '../errors.ts'
import { assertNoDuplicates, getSearch } from '../http/query.ts'
import { text } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import type { OutOfBand } from '../ports/provider.ts'
import { runCallback } from '../sign-in/complete.ts'
import { findFlow, findMatchingFlow, toFlowOfOtherBrowser } from '../sign-in/flow.ts'
import { openPostedCallback } from '../sign-in/posted-callback.ts'
import { replyConfirmPage } from './page-replies.ts'

/** `GET /callback/:provider`: the return from the identity provider, from a posted callback (I-28), or from a link. */
export async function receiveCallback(ctx: Context, input: ProviderInput): Promise<Reply> {
  const { provider, query } = input
  if (provider.outOfBand) return receiveLink(ctx, input, provider.outOfBand)
  const id = query.get('return')
  const { params, cookies } =
    id === undefined
      ? { params: getParams(ctx), cookies: [] }
      : await openPostedCallback(ctx, provider, id)
  return runCallback(ctx, provider, params, await findFlow(ctx, provider, params), cookies)
}

/** `POST /callback/:provider` with a CSRF token: a callback that a page of ours posts. */
export async function receivePost(ctx: Context, input: ProviderInput): Promise<Reply> {
  const { provider, body } = input
  const params = new URLSearchParams([...body.fields])
  if (!provider.outOfBand) {
    return runCallback(ctx, provider, params, await findFlow(ctx, provider, params))
  }
  const own = await findMatchingFlow(ctx, provider, provider.outOfBand, params)
  const flow = own ?? (await toFlowOfOtherBrowser(ctx, params))
  return runCallback(ctx, provider, params, flow)
}

/** `HEAD /callback/:provider`: says that the route exists (I-5). */
export function receiveHead(): Reply {
  return text(200, '')
}

/** A link signs in at once in the browser that asked for it; in any other it shows a page that asks (I-31). */
async function receiveLink(
  ctx: Context,
  input: ProviderInput,
  outOfBand: OutOfBand,
): Promise<Reply> {
  const { provider } = input
  const search = getParams(ctx)
  assertNoDuplicates(search, 'Verification')
  const confirmation = outOfBand.describeConfirmation(search)
  if (!confirmation) throw new AuthError('Verification', 'the link is incomplete')
  // A code is typed and posted, never taken from a link.
  const params = new URLSearchParams(confirmation.fields)
  const isIgnored = isPrefetch(ctx.request)
  const flow = isIgnored ? undefined : await findMatchingFlow(ctx, provider, outOfBand, params)
  if (!flow) return replyConfirmPage(ctx, input, confirmation)
  return runCallback(ctx, provider, params, flow)
}

function getParams({ request }: Context): URLSearchParams {
  return new URLSearchParams(getSearch(request.url))
}

/** Browsers announce a prefetch: it must not use the link up. */
function isPrefetch({ headers }: Request): boolean {
  return /prefetch|prerender/.test(headers.get('sec-purpose') ?? headers.get('purpose') ?? '')
}
