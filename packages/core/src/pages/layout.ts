import { html as template, raw } from 'hono/html'
import { errorText } from './messages.ts'
import type { ErrorCode } from '../errors.ts'
import type { Language } from '../ports/messages.ts'

/** Markup in which every value has been escaped. */
export type Markup = ReturnType<typeof raw>

/** Markup of a template; values are escaped unless they are markup themselves. */
export const html: (strings: TemplateStringsArray, ...values: readonly Value[]) => Markup =
  template as (strings: TemplateStringsArray, ...values: readonly unknown[]) => Markup

type Value = string | Markup | undefined | readonly (Markup | undefined)[]

/** What every page is given. */
export interface PageContext {
  readonly language: Language
  /** The style sheet, the very text whose hash the policy names. */
  readonly style: string
  /** The origin of the service: where "back" leads. */
  readonly origin: string
}

/** A whole document: no script, nothing loaded from anywhere (I-10). */
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

/** The box that says what went wrong; nothing where nothing did. Only our own texts stand in it. */
export function alertBox({ messages }: Language, error: ErrorCode | undefined): Markup | undefined {
  return error && alert(errorText(messages, error))
}

export function alert(sentence: string): Markup {
  return html`<p role="alert">${sentence}</p>`
}

/** The host of an origin, as people know it. */
export function hostOf(origin: string): string {
  return origin.slice(origin.indexOf('://') + 3)
}

/** Hidden fields of a form. */
export function fieldsOf(fields: Readonly<Record<string, string>>): readonly Markup[] {
  return Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  )
}
