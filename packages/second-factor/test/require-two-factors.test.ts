import { describe, expect, test } from 'vitest'
import type { Auth } from '@latchkey/core'
import type { EnrolledMethod } from '@latchkey/second-factor'
import type { Browser } from '@latchkey/testing/browser'
import {
  enrol,
  numbers,
  present,
  prove,
  serveOwner,
  serveSecond,
  spare,
} from './support/second-factor.ts'
import {
  createPageRequest,
  getUser,
  origin,
  passport,
  signIn,
} from '../../core/test/support/service.ts'

const choice = `${origin}/api/auth/signin?callbackUrl=${encodeURIComponent(`${origin}/page`)}&enrol=true`

/** Returns where `requireRecent` with two factors leads a browser; undefined if it accepts the session. */
async function lead(
  { auth }: { readonly auth: Pick<Auth<unknown>, 'requireRecent'> },
  browser: Browser,
  options: { readonly maxAge?: number } = {},
): Promise<string | null | undefined> {
  const request = createPageRequest(browser)
  const recent = await auth.requireRecent(request, { ...options, factors: 2 })
  return recent instanceof Response ? recent.headers.get('location') : undefined
}

/** Returns the parameters of the URL of a page. */
function getQuery(location: string | null | undefined): Record<string, string> {
  return Object.fromEntries(new URL(location ?? '').searchParams)
}

describe('requireRecent with two factors, of a user who has no second factor (I-51.6)', () => {
  test('leads to the page that enrols one, from there back, and then to a confirmation with both', async () => {
    const service = serveSecond({ providers: [present] })
    const browser = service.browse()
    await signIn(browser)
    const location = await lead(service, browser)
    expect(location).toBe(choice)
    const html = await (await browser.visit(location ?? '')).text()
    expect(html).toMatch(/<form method="post" action="[^"]+\/signin\/numbers">/)
    expect(html).not.toContain('/signin/spare')
    const hidden = [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)]
    const fields = Object.fromEntries(hidden.map(([, name = '', value = '']) => [name, value]))
    expect(fields).toMatchObject({ link: 'true', callbackUrl: `${origin}/page` })
    const { secret } = await enrol(browser)
    expect(getQuery(await lead(service, browser))).toMatchObject({ confirm: 'true' })
    await signIn(browser, 'alice', { confirm: 'true' })
    await prove(browser, `${secret}-2`)
    expect(await lead(service, browser)).toBeUndefined()
  })

  test('asks for a confirmation before, if the last proof is too old, which leads to the page with the form', async () => {
    const service = serveSecond({ providers: [present] })
    const browser = service.browse()
    await signIn(browser)
    expect(await lead(service, browser)).toBe(choice)
    service.wait(700)
    expect(getQuery(await lead(service, browser))).toMatchObject({ confirm: 'true' })
    expect(await lead(service, browser, { maxAge: 3600 })).toBe(choice)
    const fields = { link: 'true', callbackUrl: '/keys' }
    const begun = await browser.submit('/signin/numbers', fields)
    const keys = encodeURIComponent(`${origin}/keys`)
    expect(getQuery(begun.headers.get('location'))).toMatchObject({
      confirm: 'true',
      callbackUrl: `${origin}/api/auth/signin?callbackUrl=${keys}&enrol=true`,
    })
    // A script has its own page, to which it returns.
    const scripted = await browser.submit('/signin/numbers', { ...fields, json: 'true' })
    const { url }: { readonly url: string } = await scripted.json()
    expect(getQuery(url)).toMatchObject({ confirm: 'true', callbackUrl: `${origin}/keys` })
  })

  test('answers a script 401 SecondFactorRequired with the URL of the page', async () => {
    const { auth, browse } = serveSecond({ providers: [present] })
    const browser = browse()
    await signIn(browser)
    const headers = new Headers(createPageRequest(browser).headers)
    headers.set('accept', 'application/json')
    const request = new Request(`${origin}/keys`, { headers })
    const response = await auth.requireRecent(request, { factors: 2 })
    if (!(response instanceof Response)) throw new Error('expected a response')
    const { url, error, message } = await response.json()
    expect([response.status, error, typeof message]).toEqual([
      401,
      'SecondFactorRequired',
      'string',
    ])
    expect(getQuery(url)).toEqual({ enrol: 'true' })
    const once = await auth.requireRecent(new Request(`${origin}/keys`, { headers }))
    expect(once).not.toBeInstanceOf(Response)
  })

  test('is not for a user who has one: the confirmation asks for both', async () => {
    const service = await serveOwner()
    const bob = service.browse()
    await signIn(bob, 'bob')
    expect(await lead(service, bob)).toBe(choice)
    expect(getQuery(await lead(service, service.owner))).toMatchObject({ confirm: 'true' })
  })

  test('is not for a provider that says mfa itself', async () => {
    const authenticatedAt = Math.floor(Date.now() / 1000)
    let methods: ('user' | 'mfa')[] = ['user']
    const passkey = passport({ identify: () => ({ authentication: { authenticatedAt, methods } }) })
    const service = serveSecond({ providers: [passkey] })
    const browser = service.browse()
    await signIn(browser)
    expect(await lead(service, browser)).toBe(choice)
    methods = ['user', 'mfa']
    await signIn(browser, 'alice', { confirm: 'true' })
    expect(await lead(service, browser)).toBeUndefined()
  })
})

describe('GET /signin?enrol=true (I-53.9)', () => {
  test('is the sign-in page without a session, and without the option', async () => {
    const { browse } = serveSecond({ providers: [present] })
    const browser = browse()
    const form = '/signin/numbers"'
    expect(await (await browser.visit('/signin?enrol=true')).text()).not.toContain(form)
    await signIn(browser)
    expect(await (await browser.visit('/signin?enrol=true')).text()).toContain(form)
    expect(await (await browser.visit('/signin?enrol=false')).text()).not.toContain(form)
  })

  test('does not show an unfinished enrolment, and leads to no other origin', async () => {
    const { browse } = serveSecond({ providers: [present] })
    const browser = browse()
    await signIn(browser)
    await browser.submit('/signin/numbers', { link: 'true' })
    const url = '/signin?enrol=true&callbackUrl=https://evil.example/'
    const html = await (await browser.visit(url)).text()
    expect(html).not.toContain('secret=')
    expect(html).not.toContain('evil.example')
    expect(await (await browser.visit('/signin?second=true')).text()).toContain('secret=')
  })

  test('names each method on its button', async () => {
    const card: EnrolledMethod = {
      ...numbers,
      id: 'card',
      enrolment: { ...numbers.enrolment, button: () => 'Set up a <card>' },
    }
    const { browse } = serveSecond({ providers: [present] }, { methods: [numbers, card, spare] })
    const browser = browse()
    await signIn(browser)
    const html = await (await browser.visit('/signin?enrol=true')).text()
    const buttons = [...html.matchAll(/<button[^>]*>\s*([^<]*?)\s*<\/button>/g)]
    expect(buttons.map(([, text]) => text)).toEqual([
      'Set up an authenticator app',
      'Set up a &lt;card&gt;',
    ])
    await browser.submit('/signin/card', { link: 'true' })
    expect(await (await browser.visit('/signin?second=true')).text()).toContain('/signin/card')
    expect(await getUser(browser)).toMatchObject({ name: 'Person alice' })
  })
})
