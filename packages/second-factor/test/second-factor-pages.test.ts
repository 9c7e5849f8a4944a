import { createTheme } from '@latchkey/core/pages/theme'
import type { Browser } from '@latchkey/testing/browser'
import { describe, expect, test } from 'vitest'
import {
  numbers,
  present,
  prove,
  readSecret,
  serveOwner,
  serveSecond,
  staff,
} from './support/second-factor.ts'
import { origin, signIn } from '../../core/test/support/service.ts'

const required = 'A second factor is required here.'

/** Returns the page of a browser's step, and where its link for cancelling leads. */
async function read(browser: Browser): Promise<{ readonly html: string; readonly cancel: string }> {
  const html = await (await browser.visit('/signin?second=true')).text()
  const [, cancel = ''] = /<p class="links"><a href="([^"]+)">Cancel</.exec(html) ?? []
  return { html, cancel: cancel.replaceAll('&amp;', '&') }
}

describe('the page of a step', () => {
  test('of a sign-in leads back to the sign-in page', async () => {
    const { browse } = await serveOwner()
    const browser = browse()
    await signIn(browser, 'alice', { callbackUrl: '/inbox' })
    const { html, cancel } = await read(browser)
    const url = new URL(cancel)
    expect(url.origin + url.pathname).toBe(`${origin}/api/auth/signin`)
    expect(url.searchParams.get('callbackUrl')).toBe(`${origin}/inbox`)
    expect(html).not.toContain(required)
  })

  test('of a confirmation leads back to the application', async () => {
    const { owner } = await serveOwner()
    await signIn(owner, 'alice', { confirm: 'true', callbackUrl: '/keys' })
    expect((await read(owner)).cancel).toBe(`${origin}/keys`)
  })

  test('of an enrolment in a session leads back to the application, and does not say that it is required', async () => {
    const { browse } = serveSecond({ providers: [present, staff] })
    const browser = browse()
    await signIn(browser)
    await browser.submit('/signin/numbers', { link: 'true', callbackUrl: '/account' })
    const { html, cancel } = await read(browser)
    expect(cancel).toBe(`${origin}/account`)
    expect(html).not.toContain(required)
  })

  test('of an enrolment at the sign-in says that it is required, and leads back to the sign-in page', async () => {
    const { browse } = serveSecond({ providers: [present, staff] }, { require: true })
    const browser = browse()
    await signIn(browser, 'alice', { callbackUrl: '/inbox' })
    const { html, cancel } = await read(browser)
    expect(cancel).toContain(`${origin}/api/auth/signin?`)
    expect(html).toContain(required)
  })

  test('of a key and of recovery codes loads no style sheet of the application (I-10.3)', async () => {
    const theme = createTheme({ stylesheet: '/brand.css' })
    const { browse } = serveSecond({ providers: [present, staff], theme })
    const browser = browse()
    await signIn(browser)
    const choice = await (await browser.visit('/signin?enrol=true')).text()
    expect(choice).toContain('rel="stylesheet" href="/brand.css"')

    await browser.submit('/signin/numbers', { link: 'true', callbackUrl: '/account' })
    const key = await browser.visit('/signin?second=true')
    const html = await key.text()
    expect(html).toContain('<code>')
    expect(html).not.toContain('rel="stylesheet"')
    expect(key.headers.get('content-security-policy')).not.toContain('brand.css')

    const code = `${await readSecret(browser)}-1`
    const codes = await (await browser.submit('/signin/numbers', { code })).text()
    expect(codes).toContain('<pre class="codes"><code>')
    expect(codes).not.toContain('rel="stylesheet"')
  })

  test('marks the field of a wrong code, and no field of a code that was not compared', async () => {
    const { browse, kept } = await serveOwner()
    const browser = browse()
    await signIn(browser)
    const wrong = await (await prove(browser, `${kept.secret}-0`)).text()
    expect(wrong).toContain('aria-invalid="true"')
    let response = await prove(browser, `${kept.secret}-0`)
    for (let i = 0; i < 20 && response.status === 401; i++) {
      response = await prove(browser, `${kept.secret}-0`)
    }
    expect(response.status).toBe(429)
    const limited = await response.text()
    expect(limited).toContain('role="alert"')
    expect(limited).not.toContain('aria-invalid="true"')
  })

  test('has the methods that the user holds, and no other', async () => {
    const methods = [{ ...numbers, id: 'letters' }, numbers]
    const { storage } = await serveOwner({}, { methods: [numbers] })
    const both = serveSecond({ providers: [present], storage }, { methods })
    const browser = both.browse()
    await signIn(browser)
    const { html } = await read(browser)
    expect(html).toContain('/signin/numbers"')
    expect(html).not.toContain('/signin/letters"')
  })

  test('offers to remember the browser from one second on', async () => {
    for (const [rememberFor, offers] of [
      [1, true],
      [0, false],
    ] as const) {
      const { browse } = await serveOwner({}, { rememberFor })
      const browser = browse()
      await signIn(browser)
      expect((await read(browser)).html.includes('name="remember"')).toBe(offers)
    }
  })
})
