import { describe, expect, test } from 'vitest'
import { requestEmail, serveMail, submitForm } from './support/mailbox.ts'
import { base, getFlowCookies, getRedirect, origin, toCookieHeader } from './support/service.ts'

describe('the six-digit code (I-31)', () => {
  const withCode = { code: true }

  test('is typed on the verify-request page', async () => {
    const { browse, mailbox } = serveMail({}, withCode)
    const browser = browse()
    const sent = await requestEmail(browser, 'alice@example.com', {
      callbackUrl: `${origin}/inbox`,
    })
    const page = await (await browser.visit(sent.headers.get('location') as string)).text()
    expect(page).toContain('alice@example.com')
    expect(page).toContain('autocomplete="one-time-code"')
    const response = await browser.submit('/callback/email', { code: mailbox.getCode() })
    expect(response.headers.get('location')).toBe(`${origin}/inbox`)
    expect(await browser.json('/session')).toMatchObject({ user: { email: 'alice@example.com' } })
    expect(getFlowCookies(browser)).toEqual([])
  })

  test('may be typed with spaces', async () => {
    const { browse, mailbox } = serveMail({}, withCode)
    const browser = browse()
    await requestEmail(browser)
    const code = `${mailbox.getCode().slice(0, 3)} ${mailbox.getCode().slice(3)}`
    const response = await browser.submit('/callback/email', { code })
    expect(response.headers.get('location')).toBe(origin)
  })

  test('works only in the browser that requested it', async () => {
    const { browse, mailbox } = serveMail({}, withCode)
    const browser = browse()
    await requestEmail(browser)
    const other = browse()
    const page = await other.visit('/verify-request?provider=email&type=email')
    expect(await page.text()).not.toContain('alice@example.com')
    const refused = await other.submit('/callback/email', { code: mailbox.getCode() })
    expect(getRedirect(refused).error).toBe('Verification')
    const accepted = await browser.submit('/callback/email', { code: mailbox.getCode() })
    expect(accepted.headers.get('location')).toBe(origin)
  })

  const toWrongCode = (code: string): string =>
    String((Number(code) + 1) % 1_000_000).padStart(6, '0')

  test('a wrong code can be tried again on the same page', async () => {
    const { browse, mailbox } = serveMail({}, withCode)
    const browser = browse()
    await requestEmail(browser)
    const refused = await browser.submit('/callback/email', {
      code: toWrongCode(mailbox.getCode()),
    })
    expect(refused.headers.get('location')).toBe(
      `${base}/verify-request?provider=email&type=email&error=Verification`,
    )
    const page = await (await browser.visit(refused.headers.get('location') as string)).text()
    expect(page).toContain('This code is wrong or has expired.')
    const right = await browser.submit('/callback/email', { code: mailbox.getCode() })
    expect(right.headers.get('location')).toBe(origin)
  })

  test('after five wrong codes neither code nor link works', async () => {
    const { browse, mailbox } = serveMail({}, withCode)
    const browser = browse()
    await requestEmail(browser)
    for (let tries = 0; tries < 5; tries++) {
      await browser.submit('/callback/email', { code: toWrongCode(mailbox.getCode()) })
    }
    const late = await browser.submit('/callback/email', { code: mailbox.getCode() })
    expect(getRedirect(late).error).toBe('Verification')
    const other = browse()
    const page = await (await other.visit(mailbox.getLink().href)).text()
    expect(getRedirect(await submitForm(other, page)).error).toBe('Verification')
    expect(await browser.json('/session')).toEqual({})
  })

  test('a copy of the flow cookie gives no further attempts', async () => {
    const { browse, mailbox } = serveMail({}, withCode)
    const browser = browse()
    await requestEmail(browser)
    const copy = new Map(browser.cookies)
    for (let tries = 0; tries < 5; tries++) {
      await browser.submit('/callback/email', { code: toWrongCode(mailbox.getCode()) })
    }
    for (const [name, value] of copy) browser.cookies.set(name, value)
    const late = await browser.submit('/callback/email', { code: mailbox.getCode() })
    expect(getRedirect(late).error).toBe('Verification')
  })

  test('of 200 concurrent guesses five count', async () => {
    const { browse, mailbox } = serveMail({ limits: { callbacksPerClient: false } }, withCode)
    const browser = browse()
    await requestEmail(browser)
    const csrfToken = await browser.csrfToken()
    const right = mailbox.getCode()
    const guesses = Array.from({ length: 199 }, (_, i) => String(i).padStart(6, '0'))
    const codes = [...guesses.filter((guess) => guess !== right), right]
    const cookie = toCookieHeader(browser)
    const answers = await Promise.all(
      codes.map((code) =>
        browse().post('/callback/email', { code, csrfToken }, { headers: { cookie } }),
      ),
    )
    const signedIn = answers.filter(({ headers }) =>
      headers.getSetCookie().some((line) => line.includes('latchkey.session=')),
    )
    expect(signedIn).toEqual([])
  })

  test('thirty attempts a day for one email address, however many emails; its links keep working', async () => {
    const limits = { mailsPerAddress: false, callbacksPerClient: false } as const
    const { browse, mailbox } = serveMail({ limits }, withCode)
    for (let mails = 0; mails < 6; mails++) {
      const browser = browse()
      await requestEmail(browser)
      for (let tries = 0; tries < 5; tries++) {
        await browser.submit('/callback/email', { code: toWrongCode(mailbox.getCode()) })
      }
    }
    const browser = browse()
    await requestEmail(browser)
    const right = await browser.submit('/callback/email', { code: mailbox.getCode(), json: 'true' })
    expect([right.status, await right.json()]).toMatchObject([429, { error: 'RateLimited' }])
    expect((await browser.visit(mailbox.getLink().href)).headers.get('location')).toBe(origin)
    const other = browse()
    await requestEmail(other, 'bob@example.com')
    const accepted = await other.submit('/callback/email', { code: mailbox.getCode() })
    expect(accepted.headers.get('location')).toBe(origin)
  })

  test('the link still works, after which the code does not', async () => {
    const { browse, mailbox } = serveMail({}, withCode)
    const browser = browse()
    await requestEmail(browser)
    const copy = new Map(browser.cookies)
    await browser.visit(mailbox.getLink().href)
    const again = browse()
    for (const [name, value] of copy) again.cookies.set(name, value)
    const response = await again.submit('/callback/email', { code: mailbox.getCode() })
    expect(getRedirect(response).error).toBe('Verification')
  })

  test('JSON mode: a wrong code is 403 with the URL to try again', async () => {
    const { browse, mailbox } = serveMail({}, withCode)
    const browser = browse()
    await requestEmail(browser)
    const code = toWrongCode(mailbox.getCode())
    const response = await browser.submit('/callback/email', { code, json: 'true' })
    expect([response.status, await response.json()]).toMatchObject([
      403,
      { error: 'Verification', url: expect.stringContaining('/verify-request?') },
    ])
  })

  test('is accepted only from a POST: a code in a URL is ignored', async () => {
    const { browse, mailbox } = serveMail({}, withCode)
    const browser = browse()
    await requestEmail(browser)
    const query = `token=${'x'.repeat(43)}&email=alice%40example.com&code=`
    for (let tries = 0; tries < 6; tries++) {
      const response = await browser.visit(`/callback/email?${query}000000`)
      expect([response.status, response.headers.get('location')]).toEqual([200, null])
    }
    await browser.visit(`/callback/email?${query}${mailbox.getCode()}`)
    expect(await browser.json('/session')).toEqual({})
    const typed = await browser.submit('/callback/email', { code: mailbox.getCode() })
    expect(typed.headers.get('location')).toBe(origin)
  })

  test('attempts on a used token do not count against the email address', async () => {
    const { browse, mailbox } = serveMail({ limits: { callbacksPerClient: false } }, withCode)
    const mallory = browse()
    await requestEmail(mallory)
    const copy = new Map(mallory.cookies)
    for (let tries = 0; tries < 40; tries++) {
      for (const [name, value] of copy) mallory.cookies.set(name, value)
      await mallory.submit('/callback/email', { code: toWrongCode(mailbox.getCode()) })
    }
    const browser = browse()
    await requestEmail(browser)
    const response = await browser.submit('/callback/email', { code: mailbox.getCode() })
    expect(response.headers.get('location')).toBe(origin)
  })

  test('differs from one email to the next with a pooled random source', async () => {
    const pool = crypto.getRandomValues(new Uint8Array(1 << 16))
    let used = 0
    const random = (length: number) => pool.subarray(used, (used += length))
    const { browse, mailbox } = serveMail({ runtime: { random } }, withCode)
    await requestEmail(browse())
    const first = mailbox.getCode()
    await requestEmail(browse())
    expect(mailbox.getCode()).not.toBe(first)
  })

  test('is not offered without the option', async () => {
    const { browse, mailbox } = serveMail()
    const browser = browse()
    await requestEmail(browser)
    expect(mailbox.last.text).not.toMatch(/^\d{6}$/m)
    const refused = await browser.submit('/callback/email', { code: '000000' })
    expect(getRedirect(refused).error).toBe('Verification')
  })
})
