import type { Browser } from '@latchkey/testing/browser'
import { getTrustedOrigin } from '@latchkey/testing/contract-config'

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

/** What differs from a form that is accepted. */
export interface Fault {
  /** Default: the origin of the page */
  readonly headers?: Readonly<Record<string, string>>
  readonly method?: 'GET'
  readonly drops?: string
  readonly fields?: Readonly<Record<string, string>>
}

/** Faults of a form with which frameworks call the actions of a page, by their names. */
export const faults: Readonly<Record<string, (own: string) => Fault>> = {
  'another origin': () => ({ headers: { origin: 'http://evil.example' } }),
  'another origin that X-Forwarded-Host names': () => ({
    headers: { origin: 'http://other.example', 'x-forwarded-host': 'other.example' },
  }),
  'a trusted origin': (own) => {
    const origin = getTrustedOrigin(own)
    return { headers: { origin, 'x-forwarded-host': new URL(origin).host } }
  },
  'no origin': () => ({ headers: {} }),
  'another site, as Fetch Metadata says': (origin) => ({
    headers: { origin, 'sec-fetch-site': 'cross-site' },
  }),
  'no field': () => ({ drops: 'csrfToken' }),
  'another field': () => ({ fields: { csrfToken: 'x'.repeat(43) } }),
}

/** Returns the fields of a form with a fault. */
export function applyFault(
  form: Readonly<Record<string, string>>,
  { drops, fields }: Fault,
): Readonly<Record<string, string>> {
  const sent = Object.entries({ ...form, ...fields }).filter(([name]) => name !== drops)
  return Object.fromEntries(sent)
}
