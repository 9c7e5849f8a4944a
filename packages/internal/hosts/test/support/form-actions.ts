import { Browser } from '@latchkey/core/testing/browser'
import { getTrustedOrigin } from '@latchkey/core/testing/contract-config'
import { describe, expect, test } from 'vitest'
import type { RunningHost } from '../../src/hosts.ts'
import { readForm } from './forms.ts'
import type { PrintedForm } from './forms.ts'

/** What differs from a form that is accepted. */
interface Fault {
  readonly headers?: Readonly<Record<string, string>>
  readonly method?: 'GET'
  /** Replaces the field `csrfToken`; null leaves it out. */
  readonly csrfToken?: string | null
}

/** Faults of a form that is posted to a form action, by their names. */
const faults: Readonly<Record<string, (own: string) => Fault>> = {
  'another origin': () => ({ headers: { origin: 'http://evil.example' } }),
  'another origin that X-Forwarded-Host names': () => ({
    headers: { origin: 'http://evil.example', 'x-forwarded-host': 'evil.example' },
  }),
  'the origin null': () => ({ headers: { origin: 'null' } }),
  'no origin': () => ({ headers: {} }),
  'a trusted origin': (own) => {
    const origin = getTrustedOrigin(own)
    return { headers: { origin, 'x-forwarded-host': new URL(origin).host } }
  },
  'another site, as Fetch Metadata says': (origin) => ({
    headers: { origin, 'sec-fetch-site': 'cross-site' },
  }),
  'the method GET': () => ({ method: 'GET' }),
  'no field': () => ({ csrfToken: null }),
  'another field': () => ({ csrfToken: 'x'.repeat(43) }),
}

/** Tests the form actions of an application at the path `/forms` (I-17). */
export function describeFormActions(getHost: () => RunningHost): void {
  const getUrl = (): string => new URL('/forms', getHost().base).href
  const browse = (): Browser => new Browser(getHost().send, getHost().base)

  async function submit(browser: Browser, form: PrintedForm, fault: Fault = {}): Promise<Response> {
    const { origin } = new URL(form.action)
    const { method, csrfToken } = fault
    // By this header SvelteKit knows a browser without JavaScript.
    const headers = { accept: 'text/html', ...(fault.headers ?? { origin }) }
    const fields = new URLSearchParams(form.fields)
    if (csrfToken !== undefined) fields.delete('csrfToken')
    if (csrfToken) fields.set('csrfToken', csrfToken)
    if (method === 'GET') {
      const mark = form.action.includes('?') ? '&' : '?'
      return browser.visit(form.action + mark + fields.toString(), { headers })
    }
    return browser.visit(form.action, { method: 'POST', headers, body: fields })
  }

  async function signIn(browser: Browser): Promise<Response> {
    const begun = await submit(browser, await readForm(browser, getUrl()))
    return browser.visit(begun.headers.get('location') ?? '')
  }

  test('form actions sign in and out, and set the cookies of the service', async () => {
    const browser = browse()
    const returned = await signIn(browser)
    expect([returned.status, returned.headers.get('location')]).toEqual([302, getUrl()])
    expect(await browser.json('/session')).toMatchObject({ user: { name: 'Person alice' } })
    const left = await submit(browser, await readForm(browser, getUrl()))
    expect([left.status, left.headers.get('location')]).toEqual([303, getUrl()])
    expect(browser.cookies.has('latchkey.session')).toBe(false)
    expect(await browser.json('/session')).toEqual({})
  })

  describe.each(Object.entries(faults))('a form action with %s', (_, getFault) => {
    const getOwn = (): string => new URL(getUrl()).origin

    test('starts no sign-in, and sets no cookie', async () => {
      const browser = browse()
      const form = await readForm(browser, getUrl())
      const refused = await submit(browser, form, getFault(getOwn()))
      expect(refused.headers.getSetCookie()).toEqual([])
      expect(refused.headers.get('location') ?? '').not.toContain('/callback/')
      const accepted = await submit(browser, form)
      expect(accepted.headers.get('location')).toContain('/callback/passport?')
    })

    test('ends no session, and sets no cookie', async () => {
      const browser = browse()
      await signIn(browser)
      const form = await readForm(browser, getUrl())
      const refused = await submit(browser, form, getFault(getOwn()))
      expect(refused.headers.getSetCookie()).toEqual([])
      expect(await browser.json('/session')).toMatchObject({ user: { name: 'Person alice' } })
      await submit(browser, form)
      expect(await browser.json('/session')).toEqual({})
    })
  })
}
