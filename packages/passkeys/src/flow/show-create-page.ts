import {
  toPageContext,
  page,
  redirect,
  withCookies,
  getSignInUrl,
  toUrl,
} from '@latchkey/core/capability'
import type { Context, Reply } from '@latchkey/core/capability'
import { renderCreatePage } from '../pages/passkeys.ts'
import type { Provider } from '@latchkey/core'
import { findProblem } from './automatic.ts'
import type { PasskeySettings } from './settings.ts'

/** What the page shows. */
interface CreatePageOptions {
  readonly callbackUrl: string
  readonly message?: string
  readonly status?: number
}

/** Returns the URL of the page on which the user of a session adds a passkey. */
export function getCreateUrl(
  ctx: Context,
  { id }: Pick<Provider, 'id'>,
  callbackUrl: string,
): string {
  return toUrl(ctx, `${ctx.baseUrl.href}/signin/${id}`, { action: 'create', callbackUrl })
}

/** A page that tried what is refused would leave an error in the console of the browser. */
async function isAllowed(ctx: Context, userId: string): Promise<boolean> {
  const user = await ctx.service.storage?.getUser(userId)
  if (!user || (await findProblem(ctx, user)) !== undefined) return false
  return (await ctx.service.capabilities.recency?.isRecent(ctx, 'factor')) ?? true
}

/** Shows the page on which the user of a session adds a passkey; without a session, leads to the sign-in page. */
export async function showCreatePage(
  ctx: Context,
  { provider, userVerification }: PasskeySettings,
  { callbackUrl, message, status }: CreatePageOptions,
): Promise<Reply> {
  const { session } = await ctx.readSession()
  if (!session) {
    const signInUrl = getSignInUrl(ctx, getCreateUrl(ctx, provider, callbackUrl))
    return redirect(toUrl(ctx, signInUrl, { error: 'SessionRequired' }))
  }
  const { token: csrfToken, cookies } = await ctx.getCsrfToken()
  const { methods = [] } = { ...session.authentication }
  const view = {
    ...toPageContext(ctx),
    base: ctx.baseUrl.href,
    providerId: provider.id,
    csrfToken,
    callbackUrl,
    message,
    // Browsers make one without asking only after a password (WebAuthn §5.1.3).
    isAutomatic:
      userVerification === 'required' &&
      methods.includes('pwd') &&
      message === undefined &&
      (await isAllowed(ctx, session.token.sub)),
  }
  return withCookies(page(renderCreatePage(view), status), cookies)
}
