import { isStep, replySignInPage, toPageContext } from '../actions/page-replies.ts'
import type { Context, ShownError, TypedFields } from '../kernel/context.ts'
import { page, redirect, withCookies } from '../http/reply.ts'
import type { Reply } from '../http/reply.ts'
import { renderConfirmationPage } from '../pages/confirmation.ts'
import type { Provider } from '../ports/provider.ts'
import type { Session } from '../session/session.ts'
import { toUrl } from '../sign-in/urls.ts'
import { listWays } from './ways.ts'

/** Replies with the page that asks a user to confirm, or redirects to `pages.confirm` (I-51.5). */
export async function showConfirmPage(ctx: Context, options: ShownError): Promise<Reply> {
  const { callbackUrl, error, status, message, typed } = options
  const { session } = await ctx.readSession()
  if (!session) {
    const providers = [...ctx.service.providers.values()]
    return replySignInPage(ctx, providers, { callbackUrl, error: error ?? 'SessionRequired' })
  }
  const { confirm } = ctx.service.pages
  if (confirm !== undefined) return redirect(toUrl(ctx, confirm, { callbackUrl, error }))
  const { token: csrfToken, cookies } = await ctx.getCsrfToken()
  const providers = await listWays(ctx, session)
  const { messages } = ctx.language
  const view = {
    ...toPageContext(ctx),
    base: ctx.baseUrl.href,
    providers,
    csrfToken,
    callbackUrl,
    // The heading asks for the confirmation: it is no error.
    message:
      error === 'ConfirmationRequired' ? undefined : (message ?? (error && messages.errors[error])),
    isStep: isStep(error),
    typed: typed ?? toTyped(providers, session),
    signedInAs: undefined,
    hidden: { confirm: 'true' },
  }
  return withCookies(page(renderConfirmationPage(view), status), cookies)
}

/** Fills in the email address that the user has proven. */
function toTyped(providers: readonly Provider[], session: Session): TypedFields | undefined {
  const provider = providers.find(({ fields }) => fields && 'email' in fields)
  const { email } = session.user ?? session.token
  if (!provider || typeof email !== 'string') return undefined
  return { providerId: provider.id, values: new Map([['email', email]]), isMistake: false }
}
