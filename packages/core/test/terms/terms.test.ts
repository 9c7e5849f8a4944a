import { accountPages } from '@latchkey/account'
import { createAuth } from '@latchkey/core'
import { de } from '@latchkey/core/languages/de'
import { memoryStorage } from '@latchkey/core/memory'
import { github } from '@latchkey/core/providers/github'
import { oidc } from '@latchkey/core/providers/oidc'
import { Browser, createIssuer, signInAtIssuer } from '@latchkey/testing'
import { expect, test } from 'vitest'
import { terms, termsDe } from './terms.ts'
import type { Accepted, TermsOptions } from './terms.ts'

const origin = 'https://app.example'
const base = `${origin}/api/auth`
const client = { clientId: 'client-id', clientSecret: 'kept secret' }
const first: TermsOptions = { version: '1', url: 'https://app.example/terms.html' }
const secret = 'the secret of these tests has 32 bytes'
const storage = memoryStorage()

/** Creates the application. All versions of it have the same users. */
function create(over: Partial<TermsOptions> = {}, subject = 'alice') {
  const issuer = createIssuer({
    ...client,
    subject,
    userClaims: { email: `${subject}@app.example` },
  })
  const auth = createAuth({
    serviceUrl: origin,
    secret,
    storage,
    providers: [oidc({ id: 'op', name: 'Provider', issuer: issuer.issuer, ...client })],
    messages: { de: [de, termsDe] },
    runtime: { fetch: issuer.fetch },
    session: { strategy: 'storage' },
    use: [terms({ ...first, ...over }), accountPages()],
  })
  return { auth, issuer }
}

/** A browser that can visit another version of the application. */
function browse() {
  let handle = create().auth.handle
  const browser = new Browser((request) => handle(request), base)
  const signIn = async (over: Partial<TermsOptions> = {}, subject = 'alice') => {
    const { auth, issuer } = create(over, subject)
    handle = auth.handle
    const fields = { callbackUrl: `${origin}/reports?page=2` }
    const { headers } = await signInAtIssuer(browser, issuer, { fields })
    const hasAccepted = () => auth.acceptedTerms(new Request(origin, { headers: toCookie() }))
    return { location: headers.get('location') ?? '', hasAccepted }
  }
  const toCookie = () => ({
    cookie: [...browser.cookies].map((pair) => pair.join('=')).join('; '),
  })
  return { browser, signIn }
}

/** Returns the hidden fields of a page with one form. */
async function readForm(page: Response): Promise<Record<string, string>> {
  const inputs = (await page.text()).matchAll(/name="(\w+)" value="([^"]*)"/g)
  return Object.fromEntries([...inputs].map(([, name = '', value = '']) => [name, value]))
}

test('a sign-in leads to the page, and accepting leads on; the next sign-in does not ask', async () => {
  const accepted: Accepted[] = []
  const onAccept = (each: Accepted) => accepted.push(each)
  const { browser, signIn } = browse()
  const { location, hasAccepted } = await signIn({ onAccept })
  expect(location).toMatch(/^https:\/\/app\.example\/api\/auth\/terms\?callbackUrl=/)
  expect(await hasAccepted()).toBe(false)
  const reply = await browser.post('/terms', await readForm(await browser.visit(location)))
  expect(reply.status).toBe(303)
  expect(reply.headers.get('location')).toBe(`${origin}/reports?page=2`)
  expect(await hasAccepted()).toBe(true)
  expect(accepted).toEqual([{ userId: expect.any(String), version: '1', at: expect.any(Number) }])
  expect((await signIn()).location).toBe(`${origin}/reports?page=2`)
})

test('a new version asks again, and so does the sign-in of another user in the same browser', async () => {
  const { browser, signIn } = browse()
  const { location } = await signIn()
  await browser.post('/terms', await readForm(await browser.visit(location)))
  expect((await signIn({ version: '2' })).location).toContain('/terms?')
  const bob = await signIn({}, 'bob')
  expect(bob.location).toContain('/terms?')
  expect(await bob.hasAccepted()).toBe(false)
})

test.each([
  ['the CSRF token', { csrfToken: '' }, {}, 403],
  ['the own origin', {}, { origin: 'https://evil.example' }, 403],
  ['the version that the user has seen', { version: '0' }, {}, 200],
])('nothing is accepted without %s', async (_, fields, headers, status) => {
  const accepted: Accepted[] = []
  const { browser, signIn } = browse()
  const onAccept = (each: Accepted) => accepted.push(each)
  const { location, hasAccepted } = await signIn({ onAccept })
  const form = await readForm(await browser.visit(location))
  const reply = await browser.post('/terms', { ...form, ...fields }, { headers })
  expect([reply.status, accepted, await hasAccepted()]).toEqual([status, [], false])
})

test('nothing is accepted if onAccept throws', async () => {
  const { browser, signIn } = browse()
  const { location, hasAccepted } = await signIn({ onAccept: () => Promise.reject(new Error()) })
  const reply = await browser.post('/terms', await readForm(await browser.visit(location)))
  expect([reply.status, await hasAccepted()]).toEqual([500, false])
})

test('the page is in the language of the browser, and leads nowhere else', async () => {
  const { browser, signIn } = browse()
  await signIn()
  const target = '/terms?callbackUrl=https://evil.example/'
  const page = await browser.visit(target, { headers: { 'accept-language': 'de' } })
  expect(await page.clone().text()).toContain('Ich stimme zu')
  expect(await readForm(page)).toMatchObject({ callbackUrl: origin })
})

test('the account page shows what was accepted, and withdraws it', async () => {
  const { browser, signIn } = browse()
  const { location, hasAccepted } = await signIn()
  expect(await (await browser.visit('/account')).text()).not.toContain('<section id="terms"')
  await browser.post('/terms', await readForm(await browser.visit(location)))
  const page = await (await browser.visit('/account')).text()
  const section = page.slice(page.indexOf('<section id="terms"'))
  expect(section).toContain('Terms that you have accepted</h2>')
  const [, url = ''] = /href="([^"]*)"\s+aria-label="Withdraw: 1"/.exec(section) ?? []
  const asked = await browser.visit(url)
  expect(await hasAccepted()).toBe(true)
  const reply = await browser.post('/account', await readForm(asked))
  expect(reply.headers.get('location')).toBe(`${base}/account?saved=true`)
  expect(await hasAccepted()).toBe(false)
  const json = { headers: { accept: 'application/json' } }
  expect(await browser.json('/account', json)).toMatchObject({ acceptedTerms: null })
})

test('without a session the page leads to the sign-in page', async () => {
  const { headers } = await browse().browser.visit('/terms')
  expect(headers.get('location')).toBe(`${base}/signin?error=SessionRequired`)
})

test('a user is asked to wait after ten times in ten minutes', async () => {
  const { browser, signIn } = browse()
  const { location } = await signIn({}, 'carol')
  const form = await readForm(await browser.visit(location))
  const statuses: number[] = []
  for (let i = 0; i < 11; i++) statuses.push((await browser.post('/terms', form)).status)
  expect([...new Set(statuses)]).toEqual([303, 429])
})

test.each([
  ['terms.version', () => create({ version: '' })],
  ['terms.url', () => create({ url: '/terms.html' })],
  ['terms', () => createAuth({ secret, providers: [github(client)], use: [terms(first)] })],
])('createAuth names the option %s', (option, start) => {
  expect(start).toThrow(expect.objectContaining({ name: 'ConfigurationError', option }))
})
