import type { Browser } from '@latchkey/core/testing/browser'

/** A form that a page has printed. */
export interface PrintedForm {
  /** The URL that it posts to. If it names no URL, the URL of the page. */
  readonly action: string
  /** Its hidden fields, in which frameworks name the action. */
  readonly fields: Readonly<Record<string, string>>
}

/**
 * Reads a form of a page, as a browser without JavaScript does.
 *
 * @param id The `id` of the form. Default: the first form of the page
 *
 * @throws Error if the page has no such form
 */
export async function readForm(browser: Browser, url: string, id?: string): Promise<PrintedForm> {
  const html = await (await browser.visit(url)).text()
  const forms = [...html.matchAll(/<form\b([^>]*)>([^]*?)<\/form>/g)]
  const [, attributes = '', content = ''] =
    forms.find(([, found = '']) => id === undefined || getAttribute(found, 'id') === id) ?? []
  if (content === '') throw new Error(`expected a form on ${url}, found:\n${html}`)
  const inputs = [...content.matchAll(/<input\b([^>]*)>/g)].map(([, found = '']) => found)
  const hidden = inputs.filter((input) => getAttribute(input, 'type') === 'hidden')
  const fields = hidden.map((input) => [getAttribute(input, 'name'), getAttribute(input, 'value')])
  return {
    action: new URL(getAttribute(attributes, 'action') || url, url).href,
    fields: Object.fromEntries(fields) as Record<string, string>,
  }
}

function getAttribute(attributes: string, name: string): string {
  const [, value = ''] = new RegExp(`\\b${name}="([^"]*)"`).exec(attributes) ?? []
  return value.replaceAll('&quot;', '"').replaceAll('&amp;', '&')
}
