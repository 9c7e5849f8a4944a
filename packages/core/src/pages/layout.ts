import type { ErrorCode } from '../ports/error-code.ts'
import type { Language } from '../ports/messages.ts'
import { html, raw } from './html.ts'
import type { Markup } from './html.ts'
import { errorText, fill } from './messages.ts'
import type { Theme } from './theme.ts'

/** The values that every page needs: `toPageContext(ctx)`. */
export interface PageContext {
  readonly language: Language
  readonly theme: Theme
  /** The origin of the service, which the link "Back" leads to; empty if it is unknown. */
  readonly origin: string
}

/** What a page has besides, or has not. */
export interface LayoutOptions {
  /** Whether it shows a key or codes: it loads nothing at all. Default: false */
  readonly isSecret?: boolean
  /** What `<head>` contains besides. Default: nothing */
  readonly head?: Markup | undefined
}

/**
 * Renders a document without scripts that loads nothing but `theme.stylesheet`, in the language and the theme of
 * the service.
 *
 * @param title The title of the window
 * @param body What `<main>` contains, with its own heading
 */
export function layout(
  { language, theme, origin }: PageContext,
  title: string,
  body: Markup,
  { isSecret = false, head }: LayoutOptions = {},
): string {
  const { tag, messages } = language
  return `<!doctype html>
${html`<html lang="${tag}" dir="${messages.direction}">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width,initial-scale=1" />
      <meta name="robots" content="noindex" />
      <link rel="icon" href="data:," />
      ${head}
      <title>${title}</title>
      <style>${raw(theme.style)}</style>
      ${isSecret || origin === '' ? undefined : stylesheetLink(theme)}
    </head>
    <body>
      ${theme.brand && html`<header>${theme.brand.head}</header>`}
      <main>${body}</main>
      ${footer(language, theme)}
    </body>
  </html>
`}`
}

/** Renders the link to the style sheet of the application. The URL of a page can have a token: it is no referrer. */
export function stylesheetLink({ stylesheet }: Theme): Markup | undefined {
  return stylesheet === undefined
    ? undefined
    : html`<link rel="stylesheet" href="${stylesheet}" referrerpolicy="no-referrer" />`
}

function footer({ messages }: Language, { legal = {} }: Theme): Markup | undefined {
  const links = [link(legal.terms, messages.terms), link(legal.privacy, messages.privacy)]
  return links.some(Boolean) ? html`<footer>${links}</footer>` : undefined
}

function link(url: string | undefined, text: string): Markup | undefined {
  return url === undefined ? undefined : html`<a href="${url}">${text}</a>`
}

/** Renders the message of an error code, if there is one. It contains nothing of the request. */
export function errorAlert(
  { messages }: Language,
  error: ErrorCode | undefined,
): Markup | undefined {
  return error && alert(errorText(messages, error))
}

/** Renders an error message. The input that it is about, if there is one, refers to it by {@link describedByError}. */
export function alert(sentence: string, isOfInput = false): Markup {
  return isOfInput
    ? html`<p role="alert" id="error">${sentence}</p>`
    : html`<p role="alert">${sentence}</p>`
}

/** Renders the message of a page, if there is one: a step that is normal is no alert. */
export function notice({
  message,
  isStep,
  typed,
}: {
  readonly message: string | undefined
  readonly isStep?: boolean | undefined
  readonly typed?: { readonly isMistake: boolean } | undefined
}): Markup | undefined {
  if (message === undefined) return undefined
  return isStep ? html`<p role="status">${message}</p>` : alert(message, typed?.isMistake)
}

/** The attributes of an input that the error message is about. */
export const describedByError = 'aria-invalid="true" aria-describedby="error"'

/**
 * Renders the hidden fields of a form: `csrfToken`, which every form must post, `callbackUrl`, and others.
 *
 * @param fields Values by name; they are escaped
 */
export function hiddenFields(fields: Readonly<Record<string, string>>): readonly Markup[] {
  return Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  )
}

/** Fills the `{name}` of a text with a value of any direction, such as an email address. */
export function fillIsolated(text: string, value: string): Markup {
  const [before = '', after = ''] = text.split('{name}')
  return html`${before}<bdi>${value}</bdi>${after}`
}

/**
 * Returns the URL of a page of the service, with the return URL.
 *
 * @param path Relative to the base path
 */
export function toPageUrl(
  {
    base,
    callbackUrl,
    origin,
  }: PageContext & { readonly base: string; readonly callbackUrl: string },
  path: string,
  parameters: Readonly<Record<string, string>> = {},
): string {
  const isKept = callbackUrl !== origin
  const query = String(new URLSearchParams({ ...parameters, ...(isKept && { callbackUrl }) }))
  return base + path + (query && `?${query}`)
}

/** Renders the link to the origin of the service. */
export function backLink({ language, theme, origin }: PageContext): Markup {
  const text = fill(language.messages.back, getSiteName({ theme, origin }))
  return html`<p class="links"><a href="${origin}">${text}</a></p>`
}

/** Returns what the pages call the service: its brand, else its host, with its port unless that is the default. */
export function getSiteName({ theme, origin }: Pick<PageContext, 'theme' | 'origin'>): string {
  return theme.brand?.name ?? origin.slice(origin.indexOf('://') + 3)
}
