import { replySignInPage } from '@latchkey/core/capability/pages'
import { toPageContext, page, withCookies } from '@latchkey/core/capability'
import type { Context, ShownError, Reply } from '@latchkey/core/capability'
import { renderChoicePage, toEnrolButton } from './pages/second-factor.ts'
import type { Provider } from '@latchkey/core'
import type { ProviderMethod } from './method.ts'
import { createMethodProvider } from './method-provider.ts'
import type { SecondFactorSettings } from './settings.ts'

/** Returns the provider of a method that a provider asks for. */
export function listProvider(
  { service: { providers } }: Context,
  { id }: ProviderMethod,
): readonly Provider[] {
  const provider = providers.get(id)
  return provider ? [provider] : []
}

/**
 * Shows the second factors that the user of a session can enrol (I-53.9): a form for each, which asks for a
 * confirmation if the last one is too old. Without a session, shows the sign-in page.
 */
export async function showChoicePage(
  ctx: Context,
  { methods }: SecondFactorSettings,
  { callbackUrl, error }: ShownError,
): Promise<Reply> {
  const { session } = await ctx.readSession()
  if (!session) {
    const providers = [...ctx.service.providers.values()]
    return replySignInPage(ctx, providers, { callbackUrl, error: error ?? 'SessionRequired' })
  }
  const { token: csrfToken, cookies } = await ctx.getCsrfToken()
  const view = {
    ...toPageContext(ctx),
    base: ctx.baseUrl.href,
    providers: [...methods.values()].flatMap((method) => {
      if (method.isBackup) return []
      if (method.isProvider) return listProvider(ctx, method)
      const { button = toEnrolButton } = method.enrolment
      return [{ ...createMethodProvider(method), fields: {}, button }]
    }),
    csrfToken,
    callbackUrl,
    message: error && ctx.language.messages.errors[error],
    typed: undefined,
    signedInAs: undefined,
    hidden: { link: 'true' },
  }
  return withCookies(page(renderChoicePage(view)), cookies)
}
