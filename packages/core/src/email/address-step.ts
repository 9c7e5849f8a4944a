import { replySignInPage } from '../actions/page-replies.ts'
import { Refusal } from '../http/refusal.ts'
import type { Reply } from '../http/reply.ts'
import { getOutOfBand } from '../kernel/context.ts'
import type {
  Capability,
  Context,
  Input,
  ShownError,
  ShownProvider,
  SignInView,
} from '../kernel/context.ts'
import { startLimit } from '../kernel/gates.ts'
import { AuthError } from '../lib/errors.ts'
import { html } from '../pages/html.ts'
import type { Markup } from '../pages/html.ts'
import { hiddenFields, toPageUrl } from '../pages/layout.ts'
import {
  divider,
  form,
  formButton,
  labelledInput,
  providerForms,
  renderLinks,
} from '../pages/signin.ts'
import type { FormView } from '../pages/signin.ts'
import type { Field, Provider } from '../ports/provider.ts'
import { getReturnUrl } from '../sign-in/urls.ts'

/**
 * Makes one path of several ways that begin with an email address: the sign-in page asks for it once, and `POST /signin` shows
 * these ways. The providers whose forms have a field for an email address need it.
 */
export const addressStep: Capability = {
  id: 'addressStep',
  routes: [
    {
      method: 'POST',
      path: '/signin',
      gates: [startLimit],
      action: postAddress,
      onError: {
        show: (ctx, view) => replySignInPage(ctx, [...ctx.service.providers.values()], view),
      },
    },
  ],
  renderForms,
}

/**
 * Takes the email address, and shows the ways that begin with it: the same for every one. Nothing is looked up, stored or sent.
 *
 * @throws Refusal `EmailSignin` if it is no email address
 */
async function postAddress(ctx: Context, input: Input): Promise<Reply> {
  const providers = [...ctx.service.providers.values()]
  const address = (input.body.fields.get('email') ?? '').trim()
  const ways = listWays(providers)
  const isMistake = ways.length > 0 && !ways.some((way) => acceptsAddress(way, address))
  const typed = { providerId: '', values: new Map([['email', address]]), isMistake }
  const show = (view: ShownError): Promise<Reply> =>
    replySignInPage(ctx, providers, { ...view, typed })
  if (!isMistake) return show({ callbackUrl: await getReturnUrl(ctx, input) })
  const error = new AuthError('EmailSignin', 'the field email is not an email address')
  throw new Refusal(error, { show })
}

/** Lists the ways that begin with an email address; none if there is only one, whose form asks for everything. */
function listWays<T extends Pick<Provider, 'fields'>>(providers: readonly T[]): readonly T[] {
  const ways = providers.filter(({ fields }) => fields?.['email']?.type === 'email')
  return ways.length > 1 ? ways : []
}

/** Returns whether a way can begin with what was typed as email address. */
function acceptsAddress(way: Pick<Provider, 'outOfBand'>, address: string): boolean {
  const { parseAddress = (text: string) => text || undefined } = { ...getOutOfBand(way) }
  return parseAddress(address) !== undefined
}

/** Renders the first step, or the second one if an email address was typed. */
function renderForms(view: SignInView): readonly (Markup | undefined)[] {
  const ways = listWays(view.providers)
  if (ways.length === 0) return providerForms(view)
  const address = view.typed?.values.get('email') ?? ''
  if (ways.some((way) => acceptsAddress(way, address))) return secondStep(view, ways, address)
  const others = { ...view, providers: view.providers.filter((each) => !ways.includes(each)) }
  return [
    ...providerForms(others, (shown) => addressForm(shown, ways)),
    ...ways.map((way) => renderLinks({ ...view, step: 'first' }, way)),
  ]
}

/** Asks for an email address. */
function addressForm(view: FormView, ways: readonly ShownProvider[]): Markup {
  const { base, csrfToken, callbackUrl, language, isPrimary } = view
  const field: Field = {
    label: ({ email }) => email,
    type: 'email',
    autocomplete: 'username',
    maxLength: 254,
  }
  const last = ways.find(({ id }) => id === view.lastUsed)
  return html`<form method="post" action="${base}/signin">
    ${hiddenFields({ csrfToken, callbackUrl })}
    ${labelledInput('email', 'email', { ...view, ...field, isFocused: isPrimary })}
    ${formButton(view, language.messages.continue, last)}
  </form>`
}

/** Renders the ways that begin with an email address, once it is typed. What only sends an email is the alternative. */
function secondStep(
  view: SignInView,
  ways: readonly ShownProvider[],
  address: string,
): readonly (Markup | undefined)[] {
  const { language } = view
  const [main, ...others] = ways
    .toSorted((a, b) => countFields(b) - countFields(a))
    .map((way, index) => {
      const { email, ...fields } = { ...way.fields }
      const isOther = index > 0
      const { csrfToken } = view
      const typedAddress = { csrfToken, email: address }
      const step = { step: 'second', isFilled: false, isPrimary: !isOther } as const
      const shown = { ...view, ...step, typedAddress }
      return isOther || !email
        ? form({ ...shown, isOther, known: { email: address } }, { ...way, fields })
        : form(shown, { ...way, fields: { email: { ...email, value: address }, ...fields } })
    })
  const url = toPageUrl(view, '/signin')
  return [
    main,
    divider(language),
    ...others,
    html`<p class="links"><a href="${url}">${language.messages.useAnotherEmail}</a></p>`,
  ]
}

function countFields({ fields = {} }: ShownProvider): number {
  return Object.keys(fields).length
}
