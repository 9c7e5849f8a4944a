import {
  replySignInPage,
  toUserName,
  getSiteName,
  formatDuration,
} from '@latchkey/core/capability/pages'
import {
  toPageContext,
  page,
  redirect,
  withCookies,
  getSignInUrl,
  toUrl,
} from '@latchkey/core/capability'
import type { Context, ShownError, Reply } from '@latchkey/core/capability'
import type { ErrorCode } from '@latchkey/core'
import { renderEnrolmentPage, renderSecondFactorPage } from './pages/second-factor.ts'
import { getSecondUrl } from '@latchkey/core/capability/sign-in'
import type { SignInView } from '@latchkey/core/capability/pages'
import type { SecondFactorMethod } from './method.ts'
import { getFactorStorage, listFactors } from './factors.ts'
import { createMethodProvider } from './method-provider.ts'
import { listProvider } from './show-choice-page.ts'
import type { SecondFactorSettings } from './settings.ts'
import { noStep, openStep } from './step.ts'
import type { OpenedStep } from './step.ts'

/** What the page shows. */
interface SecondPageOptions extends ShownError {
  /** The method whose code was posted. Default: the parameter `method`, else the first one that needs no code */
  readonly method?: string | undefined
  /** The method whose code was wrong. */
  readonly mistake?: string | undefined
}

/** Shows the page of the step that waits in this browser (I-52.5, I-53.2); without one, the sign-in page. */
export async function showSecondPage(
  ctx: Context,
  settings: SecondFactorSettings,
  options: SecondPageOptions,
): Promise<Reply> {
  const step = await openStep(ctx)
  if (!step) {
    const providers = [...ctx.service.providers.values()]
    const { mistake: _, method: __, ...shown } = options
    return replySignInPage(ctx, providers, { ...shown, error: shown.error ?? 'SessionRequired' })
  }
  const { secondFactor } = ctx.service.pages
  if (secondFactor !== undefined && !step.enrolment) {
    const held = await listHeld(ctx, settings, step)
    const methods = held.map(({ id }) => id).join(' ')
    return redirect(toUrl(ctx, secondFactor, { methods, error: options.error }))
  }
  const { token: csrfToken, cookies } = await ctx.getCsrfToken()
  const view = { ...toView(ctx, step, options), csrfToken }
  const html = step.enrolment
    ? await renderEnrolment(ctx, settings, step, view)
    : await renderProof(ctx, settings, step, { ...view, method: options.method })
  return withCookies(page(html, options.status), cookies)
}

/** What both pages show. */
type StepView = Omit<SignInView, 'providers'> & { readonly cancelUrl: string }

function toView(
  ctx: Context,
  step: OpenedStep,
  { error, message = toSentence(ctx, error), mistake }: SecondPageOptions,
): Omit<StepView, 'csrfToken'> {
  const { callbackUrl } = step
  const isSignedIn = step.sessionId !== undefined || step.first?.flow.purpose === 'confirm'
  return {
    ...toPageContext(ctx),
    base: ctx.baseUrl.href,
    callbackUrl,
    message,
    typed: mistake === undefined ? undefined : toMistake(mistake),
    signedInAs: undefined,
    cancelUrl: isSignedIn ? callbackUrl : getSignInUrl(ctx, callbackUrl),
  }
}

/** The page itself says that a second factor is required. */
function toSentence({ language }: Context, error: ErrorCode | undefined): string | undefined {
  return error === 'SecondFactorRequired' ? undefined : error && language.messages.errors[error]
}

/** A wrong code is not shown again. */
function toMistake(providerId: string): SignInView['typed'] {
  return { providerId, values: new Map(), isMistake: true }
}

/** Returns the methods that the user of a step can prove. */
async function listHeld(
  { service }: Context,
  { methods }: SecondFactorSettings,
  { userId, first }: OpenedStep,
): Promise<readonly SecondFactorMethod[]> {
  const storage = getFactorStorage(service)
  const types = new Set((await listFactors(storage, methods, userId)).map(({ type }) => type))
  const { factorType } = { ...service.providers.get(first?.provider ?? '') }
  return [...methods.values()].filter(({ id }) => types.has(id) && id !== factorType)
}

async function renderProof(
  ctx: Context,
  settings: SecondFactorSettings,
  step: OpenedStep,
  { method: posted, ...view }: StepView & Pick<SecondPageOptions, 'method'>,
): Promise<string> {
  const held = await listHeld(ctx, settings, step)
  const named = posted ?? new URL(ctx.request.url).searchParams.get('method')
  const usual = held.filter(({ isBackup }) => !isBackup)
  const shown =
    held.find(({ id }) => id === named) ?? usual.find(({ isProvider }) => isProvider) ?? usual[0]
  const { rememberFor } = settings
  const isSpared = rememberFor > 0 && step.first?.flow.purpose === 'signIn'
  return renderSecondFactorPage({
    ...view,
    providers: shown ? toProviders(ctx, shown) : [],
    others: held
      .filter((method) => method !== shown)
      .map(({ id, link }) => ({
        url: toUrl(ctx, getSecondUrl(ctx), { method: id }),
        text: link?.(ctx.language.messages) ?? id,
      })),
    hidden: { second: 'true' },
    rememberFor: isSpared ? formatDuration(ctx.language.tag, rememberFor) : undefined,
  })
}

function toProviders(ctx: Context, method: SecondFactorMethod): SignInView['providers'] {
  return method.isProvider ? listProvider(ctx, method) : [createMethodProvider(method)]
}

async function renderEnrolment(
  ctx: Context,
  { methods }: SecondFactorSettings,
  step: OpenedStep,
  view: StepView,
): Promise<string> {
  const method = methods.get(step.enrolment?.method ?? '')
  if (!method || method.isBackup || method.isProvider)
    throw noStep('the second factor is not configured any more')
  const account = await toAccountName(ctx, step)
  return renderEnrolmentPage({
    ...view,
    providers: [createMethodProvider(method)],
    shown: method.enrolment.show(step.enrolment?.secret ?? '', getSiteName(view), account),
    isRequired: step.first !== undefined,
  })
}

/** Returns what an authenticator app calls the user: an email address distinguishes accounts best. */
async function toAccountName(ctx: Context, { first }: OpenedStep): Promise<string> {
  const { session } = await ctx.readSession()
  if (!first) return session ? toUserName(session) : ''
  const { profile, subject } = first.identity
  const [name = subject] = [profile.email, profile.name].filter((each) => typeof each === 'string')
  return name
}
