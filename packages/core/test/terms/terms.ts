import { AuthError, ConfigurationError } from '@latchkey/core'
import type { Limit } from '@latchkey/core'
import { createOwnLimits } from '@latchkey/core/capability/options'
import { getTexts } from '@latchkey/core/capability/pages'
import {
  RequestContext,
  Refusal,
  checkOwnOrigin,
  clearCookie,
  getOwnCookie,
  getReturnUrl,
  getSignInUrl,
  hiddenFields,
  html,
  layout,
  page,
  redirect,
  requireStorage,
  setCookie,
  spendLimit,
  toPageContext,
  toUrl,
  withCookies,
} from '@latchkey/core/capability'
import type {
  AccountSection,
  Asked,
  Capability,
  Context,
  Done,
  Input,
  OwnLimit,
  Reply,
} from '@latchkey/core/capability'

/** A user who has accepted. */
export interface Accepted {
  readonly userId: string
  readonly version: string
  /** Seconds since 1970. */
  readonly at: number
}

/** The options of {@link terms}. */
export interface TermsOptions {
  /** What users must have accepted, such as the date of the last change. */
  readonly version: string
  /** Where the terms can be read: an absolute URL. */
  readonly url: string
  /** Records that a user has accepted. If it throws, nothing is accepted. Default: only the browser knows */
  readonly onAccept?: (accepted: Accepted) => unknown
  /** `perUser`: how often a user accepts. Default: 10 times in 600 seconds */
  readonly limits?: { readonly perUser?: Limit | false }
}

/** What the capability adds to `auth`. */
export interface TermsMembers {
  /** Returns whether the user of a request has accepted the current version in this browser. */
  readonly acceptedTerms: (request: Request) => Promise<boolean>
}

const defaultLimits = { perUser: { times: 10, window: 600 } }
/** The texts of the page. */
export interface TermsTexts {
  readonly title: string
  readonly read: string
  readonly accept: string
  readonly accepted: string
  readonly withdraw: string
}

declare module '@latchkey/core/capability/pages' {
  interface CapabilityTexts {
    readonly terms?: Partial<TermsTexts>
  }
}

const english: TermsTexts = {
  title: 'New terms',
  read: 'Read the terms',
  accept: 'I accept',
  accepted: 'Terms that you have accepted',
  withdraw: 'Withdraw',
}

/** The German texts: `messages: { de: [de, termsDe] }`. */
export const termsDe: { readonly capabilities: { readonly terms: TermsTexts } } = {
  capabilities: {
    terms: {
      title: 'Neue AGB',
      read: 'AGB lesen',
      accept: 'Ich stimme zu',
      accepted: 'AGB, denen Sie zugestimmt haben',
      withdraw: 'Widerrufen',
    },
  },
}

/** Seconds that a browser remembers: the most that browsers allow. */
const LIFETIME = 400 * 86_400

/**
 * Asks users to accept the terms after they sign in.
 *
 * @throws ConfigurationError `terms.version`, `terms.url`
 */
export function terms(options: TermsOptions): Capability<TermsMembers> {
  checkOptions(options)
  const { version } = options
  const { perUser } = createOwnLimits('terms.limits', defaultLimits, options.limits)
  return {
    id: 'terms',
    // Without a storage, the id of a user is another one at each provider.
    check: ({ storage }) => void requireStorage(storage, 'terms', []),
    cookies: { terms: { maxAge: LIFETIME } },
    fields: ['version'],
    limits: [perUser],
    routes: [
      { method: 'GET', path: '/terms', action: (ctx, input) => show(ctx, input, options) },
      {
        method: 'POST',
        path: '/terms',
        // Pages of trustedOrigins can post any form as the user: this one only from our own page.
        gates: [async (ctx) => checkOwnOrigin(ctx, 'accepting terms')],
        action: (ctx, input) => accept(ctx, input, options, perUser),
      },
    ],
    done: (ctx, { userId }) => askFor(ctx, userId, version),
    account: [createSection(version)],
    members: (service) => ({
      async acceptedTerms(request) {
        const ctx = new RequestContext(service, request, {})
        const { session } = await ctx.readSession()
        return session !== undefined && hasAccepted(ctx, session.token.sub, version)
      },
    }),
  }
}

function checkOptions({ version, url }: TermsOptions): void {
  if (typeof version !== 'string' || version === '') {
    throw new ConfigurationError('terms.version', 'must be a text such as "2026-05-01"')
  }
  if (!URL.canParse(url)) throw new ConfigurationError('terms.url', 'must be an absolute URL')
}

/** The point `done`: the sign-in leads to the page first, and from there to `callbackUrl`. */
async function askFor(ctx: Context, userId: string, version: string): Promise<Done | undefined> {
  if (await hasAccepted(ctx, userId, version)) return undefined
  return { page: { rank: 10, getUrl: (callbackUrl) => getTermsUrl(ctx, callbackUrl) } }
}

/** The part of the account page: rows and forms as data, which the page renders. */
function createSection(version: string): AccountSection {
  return {
    id: 'terms',
    rank: 50,
    async read(ctx, { user }) {
      const isAccepted = await hasAccepted(ctx, user.id, version)
      const { accepted: heading, withdraw: button } = getTexts(
        ctx.language.messages,
        'terms',
        english,
      )
      const removal = { fields: { action: 'withdrawTerms' }, heading, text: version, button }
      const rows = isAccepted ? [{ name: version, removal }] : []
      return { heading, rows, json: { acceptedTerms: isAccepted ? version : null } }
    },
    changes: new Map([['withdrawTerms', withdraw]]),
  }
}

async function withdraw({ ctx, savedUrl }: Asked): Promise<Reply> {
  return withCookies(redirect(savedUrl, 303), [clearCookie(getOwnCookie(ctx, 'terms'))])
}

function getTermsUrl(ctx: Context, callbackUrl: string): string {
  return toUrl(ctx, `${ctx.baseUrl.href}/terms`, { callbackUrl })
}

/** Opens only what this capability has sealed for this user. */
async function hasAccepted(ctx: Context, userId: string, version: string): Promise<boolean> {
  const value = ctx.cookies.get(getOwnCookie(ctx, 'terms').name)
  const content = await ctx.service.keys.ofCapability('terms').open(value, ctx.now)
  return content?.['userId'] === userId && content['version'] === version
}

async function show(ctx: Context, input: Input, { version, url }: TermsOptions): Promise<Reply> {
  await getUserId(ctx, input)
  const callbackUrl = await getReturnUrl(ctx, input)
  const { token: csrfToken, cookies } = await ctx.getCsrfToken()
  const texts = getTexts(ctx.language.messages, 'terms', english)
  const body = html`<h1>${texts.title}</h1>
    <p><a href="${url}">${texts.read}</a></p>
    <form method="post" action="${ctx.baseUrl.href}/terms">
      ${hiddenFields({ csrfToken, callbackUrl, version })}
      <button type="submit" class="primary">${texts.accept}</button>
    </form>`
  return withCookies(page(layout(toPageContext(ctx), texts.title, body)), cookies)
}

async function accept(
  ctx: Context,
  input: Input,
  options: TermsOptions,
  perUser: OwnLimit,
): Promise<Reply> {
  const userId = await getUserId(ctx, input)
  await spendLimit(ctx, perUser, userId)
  const { version, onAccept } = options
  // The user has seen another version: a new one began while the page was open.
  if (input.body.fields.get('version') !== version) return show(ctx, input, options)
  await onAccept?.({ userId, version, at: ctx.now })
  const keys = ctx.service.keys.ofCapability('terms')
  const sealed = await keys.seal({ userId, version }, ctx.now + LIFETIME)
  const reply = redirect(await getReturnUrl(ctx, input), 303)
  return withCookies(reply, [setCookie(getOwnCookie(ctx, 'terms'), sealed)])
}

/** @throws Refusal `SessionRequired`, which leads to the sign-in page */
async function getUserId(ctx: Context, input: Input): Promise<string> {
  const { session } = await ctx.readSession()
  if (session) return session.token.sub
  const error = new AuthError('SessionRequired', 'the terms need a session')
  // The sign-in asks for the terms again, so it need not lead to this page.
  throw new Refusal(error, { retryUrl: getSignInUrl(ctx, await getReturnUrl(ctx, input)) })
}
