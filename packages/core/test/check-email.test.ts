import { memoryStorage } from '@latchkey/core/memory'
import type { Browser } from '@latchkey/testing/browser'
import { describe, expect, test } from 'vitest'
import { requestEmail, serveMail } from './support/mailbox.ts'
import { base, getFlowCookies, origin, signIn } from './support/service.ts'

/** Returns the fields of the form that sends the email again; undefined if there is none. */
function parseResend(page: string): Record<string, string> | undefined {
  const form = page.split('<form').find((part) => part.includes('name="resend"'))
  if (form === undefined) return undefined
  const inputs = form.matchAll(/type="hidden" name="([^"]*)" value="([^"]*)"/g)
  return Object.fromEntries([...inputs].map(([, name, value]) => [name, value])) as Record<
    string,
    string
  >
}

/** Opens the page that a request for an email redirects to. */
async function openPage(browser: Browser, response: Response): Promise<string> {
  const location = response.headers.get('location') ?? ''
  expect(location).toBe(`${base}/verify-request?provider=email&type=email`)
  return (await browser.visit(location)).text()
}

describe('the page "Check your email" (I-31)', () => {
  test('sends the email again to the same email address, with the same return URL', async () => {
    const { browse, mailbox } = serveMail()
    const browser = browse()
    const page = await openPage(
      browser,
      await requestEmail(browser, 'alice@example.com', { callbackUrl: `${origin}/inbox` }),
    )
    expect(page).toContain('We sent an email to <bdi>alice@example.com</bdi>.')
    expect(page).not.toContain('We sent another email')
    const fields = parseResend(page)
    expect(fields).toMatchObject({ email: 'alice@example.com', callbackUrl: `${origin}/inbox` })
    const again = await openPage(browser, await browser.post('/signin/email', fields ?? {}))
    expect(again).toContain('<p role="status">We sent another email.</p>')
    expect(mailbox.mails.map(({ to }) => to.address)).toEqual([
      'alice@example.com',
      'alice@example.com',
    ])
    const [first, second] = mailbox.mails.map((mail) => mailbox.getLink(mail).href)
    expect(first).not.toBe(second)
    const signedIn = await browser.visit(second as string)
    expect(signedIn.headers.get('location')).toBe(`${origin}/inbox`)
  })

  test('is not there without the CSRF token', async () => {
    const { browse, mailbox } = serveMail()
    const browser = browse()
    const page = await openPage(browser, await requestEmail(browser))
    const refused = await browser.post('/signin/email', { ...parseResend(page), csrfToken: 'x' })
    expect(refused.status).toBe(403)
    expect(mailbox.mails).toHaveLength(1)
    const shown = await refused.text()
    expect(shown).toContain('This page has expired')
    expect(parseResend(shown)).toEqual(parseResend(page))
  })

  test('says how long to wait once the limit is reached, and keeps the form for the code', async () => {
    const limits = { mailsPerAddress: { times: 2, window: 600 } }
    const { browse, mailbox } = serveMail({ limits }, { code: true })
    const browser = browse()
    const fields = parseResend(await openPage(browser, await requestEmail(browser))) ?? {}
    await browser.post('/signin/email', fields)
    const refused = await browser.post('/signin/email', fields)
    expect(refused.status).toBe(429)
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/)
    const page = await refused.text()
    expect(page).toContain('Check your email')
    expect(page).toContain('Too many attempts. Try again in 10 minutes.')
    expect(page).toContain('name="code"')
    expect(mailbox.mails).toHaveLength(2)
  })

  test('keeps the pending sign-in if the email cannot be sent again', async () => {
    const { browse, mailbox } = serveMail()
    const browser = browse()
    const fields = parseResend(await openPage(browser, await requestEmail(browser))) ?? {}
    mailbox.failure = () => Promise.reject(new Error('550'))
    const refused = await browser.post('/signin/email', fields)
    expect(refused.status).toBe(502)
    expect(await refused.text()).toContain('We could not send the email. Try again in a minute.')
    mailbox.failure = undefined
    const response = await browser.visit(mailbox.getLink().href)
    expect(response.headers.get('location')).toBe(origin)
  })

  test('leads to the sign-in page for another email address, with the return URL', async () => {
    const { browse } = serveMail()
    const browser = browse()
    const callbackUrl = `${origin}/inbox`
    const page = await openPage(
      browser,
      await requestEmail(browser, 'alice@example.com', { callbackUrl }),
    )
    const url = `${base}/signin?callbackUrl=${encodeURIComponent(callbackUrl)}`
    expect(page).toContain(`<a href="${url}">Use another email address</a>`)
    expect(url).not.toContain('alice')
  })

  test('names no email address in another browser, and writes nothing', async () => {
    const { browse } = serveMail()
    await requestEmail(browse())
    const other = browse()
    const response = await other.visit('/verify-request?provider=email&email=alice@example.com')
    const page = await response.text()
    expect(page).not.toContain('alice')
    expect(parseResend(page)).toBeUndefined()
    expect(response.headers.get('set-cookie')).toBeNull()
    expect(page).toContain(`<a href="${base}/signin">Use another email address</a>`)
  })

  test('a GET sends nothing and leaves the flow cookies as they are', async () => {
    const { browse, mailbox } = serveMail()
    const browser = browse()
    await requestEmail(browser)
    const before = getFlowCookies(browser)
    const response = await browser.visit('/verify-request?provider=email&resend=true')
    expect(response.headers.get('set-cookie')).toBeNull()
    expect(getFlowCookies(browser)).toEqual(before)
    expect(mailbox.mails).toHaveLength(1)
  })

  test('an email that links is sent again as one that links', async () => {
    const { browse, mailbox } = serveMail({ storage: memoryStorage() })
    const browser = browse()
    await signIn(browser)
    const page = await openPage(
      browser,
      await requestEmail(browser, 'second@example.com', { link: 'true' }),
    )
    expect(page).not.toContain('Use another email address')
    const fields = parseResend(page)
    expect(fields).toMatchObject({ link: 'true', email: 'second@example.com' })
    await browser.post('/signin/email', fields ?? {})
    expect(mailbox.mails.map(({ subject }) => subject)).toEqual([
      'Add this email address to your account at app.example',
      'Add this email address to your account at app.example',
    ])
  })

  test('is not shown for an error of another form', async () => {
    const { browse } = serveMail()
    const browser = browse()
    await requestEmail(browser)
    for (const path of ['/signin/passport', '/signout']) {
      const response = await browser.post(path, { csrfToken: 'x', resend: 'true' })
      expect(response.status).toBe(403)
      expect(await response.text()).not.toContain('Check your email')
    }
  })

  test('an application’s own page gets the error of a resend, and no email address', async () => {
    const { browse, mailbox } = serveMail({ pages: { verifyRequest: '/mail' } })
    const browser = browse()
    mailbox.failure = () => Promise.reject(new Error('550'))
    const response = await requestEmail(browser, 'alice@example.com', { resend: 'true' })
    expect(response.headers.get('location')).toBe(`${origin}/mail?error=EmailSignin`)
  })
})
