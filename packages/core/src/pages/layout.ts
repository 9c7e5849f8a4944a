import { html as template, raw } from 'hono/html'
import type { ErrorCode } from '../errors.ts'
import type { Language } from '../ports/messages.ts'
import { errorText } from './messages.ts'

/** Markup in which every value is escaped. */
export type Markup = ReturnType<typeof raw>

/** Tags a template of markup: values are escaped unless they are markup themselves. */
export const html: (strings: TemplateStringsArray, ...values: readonly Value[]) => Markup =
  template as (strings: TemplateStringsArray, ...values: readonly unknown[]) => Markup

type Value = string | Markup | undefined | readonly (Markup | undefined)[]

/** The values that every page needs. */
export interface PageContext {
  readonly language: Language
  /** The style sheet: exactly the text whose hash the Content-Security-Policy contains. */
  readonly style: string
  /** The origin of the service, which the link "Back" leads to. */
  readonly origin: string
}

/** Renders a document without scripts and without subresources (I-10). */
export function layout({ language, style }: PageContext, title: string, body: Markup): string {
  const { tag, messages } = language
  return `<!doctype html>
${html`<html lang="${tag}" dir="${messages.direction}">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width,initial-scale=1" />
      <meta name="robots" content="noindex" />
      <title>${title}</title>
      <style>${raw(style)}</style>
    </head>
    <body>
      <main>${body}</main>
    </body>
  </html>
`}`
}

/** Renders the message of an error code, if there is one. It contains nothing of the request. */
export function errorAlert(
  { messages }: Language,
  error: ErrorCode | undefined,
): Markup | undefined {
  return error && alert(errorText(messages, error))
}

/** Renders an error message. */
export function alert(sentence: string): Markup {
  return html`<p role="alert">${sentence}</p>`
}

/** Renders the hidden fields of a form. */
export function hiddenFields(fields: Readonly<Record<string, string>>): readonly Markup[] {
  return Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  )
}

/** Returns the host of an origin, with its port unless that is the default. */
export function getHost(origin: string): string {
  return origin.slice(origin.indexOf('://') + 3)
}
