import { Browser } from '@latchkey/testing/browser'
import { describe, expect, test } from 'vitest'
import type { RunningHost } from '../../src/hosts.ts'
import { applyFault, faults, readForm } from './forms.ts'
import type { Fault, PrintedForm } from './forms.ts'

const ownFaults: typeof faults = {
  ...faults,
  'the origin null': () => ({ headers: { origin: 'null' } }),
  'the method GET': () => ({ method: 'GET' }),
}

/** Tests the form actions of an application at the path `/forms` (I-17). */
export function describeFormActions(getHost: () => RunningHost): void {
  const getUrl = (): string => new URL('/forms', getHost().base).href
  const browse = (): Browser => new Browser(getHost().send, getHost().base)

  async function submit(browser: Browser, form: PrintedForm, fault: Fault = {}): Promise<Response> {
    const { origin } = new URL(form.action)
    // By this header SvelteKit knows a browser without JavaScript.
    const headers = { accept: 'text/html', ...(fault.headers ?? { origin }) }
    const fields = new URLSearchParams(applyFault(form.fields, fault))
    if (fault.method === 'GET') {
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

  describe.each(Object.entries(ownFaults))('a form action with %s', (_, getFault) => {
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
