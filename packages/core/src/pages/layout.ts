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
  /** The origin of the service, which the link "Back" leads to. */
  readonly origin: string
}

/**
 * Renders a document without scripts that loads nothing, in the language and the theme of the service.
 *
 * @param title The title of the window
 * @param body What `<main>` contains, with its own heading
 */
export function layout({ language, theme }: PageContext, title: string, body: Markup): string {
  const { tag, messages } = language
  return `<!doctype html>
${html`<html lang="${tag}" dir="${messages.direction}">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width,initial-scale=1" />
      <meta name="robots" content="noindex" />
      <link rel="icon" href="data:," />
      <title>${title}</title>
      <style>${raw(theme.style)}</style>
    </head>
    <body>
      ${theme.brand && html`<header>${theme.brand.head}</header>`}
      <main>${body}</main>
      ${footer(language, theme)}
    </body>
  </html>
`}`
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

/** Renders the link to the origin of the service. */
export function backLink({ language, theme, origin }: PageContext): Markup {
  const text = fill(language.messages.back, getSiteName({ theme, origin }))
  return html`<p class="links"><a href="${origin}">${text}</a></p>`
}

/** Returns what the pages call the service: its brand, else its host, with its port unless that is the default. */
export function getSiteName({ theme, origin }: Pick<PageContext, 'theme' | 'origin'>): string {
  return theme.brand?.name ?? origin.slice(origin.indexOf('://') + 3)
}
