import { html as template, raw } from 'hono/html'

/** Markup in which every value is escaped. */
export type Markup = ReturnType<typeof raw>

/**
 * Tags a template of markup: values are escaped unless they are markup themselves. An attribute must be in quotes, and a URL in it
 * must not be chosen by a request: `javascript:` is not escaped.
 */
export const html: (strings: TemplateStringsArray, ...values: readonly Value[]) => Markup =
  template as (strings: TemplateStringsArray, ...values: readonly unknown[]) => Markup

/** What a template of markup contains. */
export type Value = string | Markup | undefined | readonly (Markup | undefined)[]

export { raw }
