import type { AuthConfig, Storage } from '@latchkey/core'
import { de } from '@latchkey/core/languages/de'
import { memoryStorage } from '@latchkey/core/memory'
import { email } from '@latchkey/core/providers/email'
import { describe, expect, test } from 'vitest'
import { createTestClock } from '@latchkey/testing/clock'
import { Mailbox, parseForm, requestEmail, serveMail, submitForm } from './support/mailbox.ts'
import {
  base,
  getFlowCookies,
  getRedirect,
  origin,
  signIn,
  toCookieHeader,
} from './support/service.ts'

describe('POST /signin/email (I-29)', () => {
  test('sends an email and redirects to the verify-request page with a 302 (I-11)', async () => {
    const { browse, mailbox } = serveMail()
    const response = await requestEmail(browse())
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toBe(
      `${base}/verify-request?provider=email&type=email`,
    )
    expect(mailbox.mails).toHaveLength(1)
    const { to, from, subject } = mailbox.last
    expect(to).toEqual({ address: 'alice@example.com' })
    expect(from).toEqual({ address: 'sign-in@app.example', name: 'Example' })
    expect(subject).toBe('Sign in to app.example')
  })

  test('in JSON mode answers with the URL of that page', async () => {
    const response = await requestEmail(serveMail().browse(), 'alice@example.com', { json: 'true' })
    expect([response.status, await response.json()]).toEqual([
      200,
      { url: `${base}/verify-request?provider=email&type=email` },
    ])
  })

  test('the link has callbackUrl, token and email on the configured origin, nothing else', async () => {
    const { browse, mailbox } = serveMail()
    await requestEmail(browse(), 'Alice@Example.COM', { callbackUrl: `${origin}/inbox?x=1` })
    const link = mailbox.getLink()
    expect(link.origin + link.pathname).toBe(`${base}/callback/email`)
    expect(Object.fromEntries(link.searchParams)).toEqual({
      callbackUrl: `${origin}/inbox?x=1`,
      token: expect.stringMatching(/^[\w-]{43}$/),
      email: 'alice@example.com',
    })
  })

  test('no header of the request chooses the host of the link (I-2, I-30)', async () => {
    const { auth, browse, mailbox } = serveMail()
    const browser = browse()
    await requestEmail(browser)
    const csrfToken = await browser.csrfToken()
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      cookie: toCookieHeader(browser),
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'http',
      forwarded: 'host=evil.example;proto=http',
      'x-original-host': 'evil.example',
    }
    const body = new URLSearchParams({ csrfToken, email: 'alice@example.com' })
    const url = 'https://evil.example/api/auth/signin/email'
    const sent = await auth.handle(new Request(url, { method: 'POST', headers, body }))
    expect(sent.headers.get('location')).toBe(`${base}/verify-request?provider=email&type=email`)
    expect(mailbox.mails).toHaveLength(2)
    expect(JSON.stringify(mailbox.last)).not.toContain('evil.example')
    expect(mailbox.getLink().origin).toBe(origin)
  })

  test('a foreign callbackUrl is not put into the link', async () => {
    const { browse, mailbox } = serveMail()
    await requestEmail(browse(), 'alice@example.com', { callbackUrl: 'https://evil.example/' })
    expect(mailbox.getLink().searchParams.get('callbackUrl')).toBe(origin)
  })

  test('known and unknown email addresses get the same answer', async () => {
    const { browse, mailbox } = serveMail()
    const first = browse()
    await requestEmail(first)
    await first.visit(mailbox.getLink().href)
    const shape = async (address: string): Promise<unknown> => {
      const response = await requestEmail(browse(), address)
      const page = await browse().visit(response.headers.get('location') as string)
      return [response.status, response.headers.get('location'), page.status]
    }
    expect(await shape('alice@example.com')).toEqual(await shape('unknown@example.com'))
  })

  test('anything but one email address is refused, and nothing is sent', async () => {
    const { browse, mailbox, lines } = serveMail()
    for (const address of ['', 'alice', 'a@b@c.example', 'a@example.com,b@example.com']) {
      expect((await requestEmail(browse(), address)).status).toBe(400)
      const json = await requestEmail(browse(), address, { json: 'true' })
      expect([json.status, ((await json.json()) as { error: string }).error]).toEqual([
        400,
        'EmailSignin',
      ])
    }
    expect(mailbox.mails).toEqual([])
    expect(JSON.stringify(lines)).not.toContain('b@example.com')
    expect((await requestEmail(browse(), 'a@b.example')).status).toBe(302)
  })

  test('white space around the email address is removed, as next-auth does; nothing else is', async () => {
    const { browse, mailbox } = serveMail()
    for (const typed of [
      ' alice@example.com',
      'alice@example.com \t',
      '\u00a0Alice@example.com\r\n',
    ]) {
      expect((await requestEmail(browse(), typed)).status).toBe(302)
      expect(mailbox.last.to).toEqual({ address: 'alice@example.com' })
    }
    const others = [
      'alice @example.com',
      'alice@ example.com',
      'a@b.example c@d.example',
      ' ',
      '"alice@example.com "',
    ]
    for (const typed of [
      ...others,
      'alice@example.com\r\nBcc: mallory@evil.example',
      '\u200balice@example.com',
    ]) {
      expect((await requestEmail(browse(), typed)).status).toBe(400)
    }
    expect(mailbox.mails).toHaveLength(3)
  })

  test.each([
    ['an @ that only normalization makes one', 'victim@corp.example＠evil.example'],
    ['a small commercial at', 'victim@corp.example﹫evil.example'],
    ['an @ before the normalized one', 'victim＠corp.example@evil.example'],
    ['a quoted local part with an @', '"victim@evil.example"@corp.example'],
    ['two email addresses', 'victim@corp.example,mallory@evil.example'],
    ['a fullwidth comma', 'victim@corp.example，mallory@evil.example'],
    ['a display name', 'Victim <mallory@evil.example>'],
  ])('%s names no second mailbox: nothing is sent', async (_, typed) => {
    const { browse, mailbox, storage } = serveMail()
    expect((await requestEmail(browse(), 'victim＠corp.example')).status).toBe(302)
    expect(mailbox.mails.map(({ to }) => to)).toEqual([{ address: 'victim@corp.example' }])
    expect((await requestEmail(browse(), typed)).status).toBe(400)
    expect(mailbox.mails).toHaveLength(1)
    expect(await storage.getUserByEmail('mallory@evil.example')).toBeUndefined()
  })

  test('a field email given twice is refused', async () => {
    const { browse, mailbox } = serveMail()
    const browser = browse()
    const csrfToken = await browser.csrfToken()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const post = (body: string): Promise<Response> =>
      browser.visit('/signin/email', { method: 'POST', headers, body })
    const once = `csrfToken=${csrfToken}&email=alice%40example.com`
    expect((await post(`${once}&email=mallory%40example.com`)).status).toBe(400)
    expect(mailbox.mails).toEqual([])
    expect((await post(once)).status).toBe(302)
    expect(mailbox.mails).toHaveLength(1)
  })

  test('without a CSRF token nothing is sent', async () => {
    const { browse, mailbox } = serveMail()
    const browser = browse()
    const csrfToken = await browser.csrfToken()
    const fields = { email: 'alice@example.com' }
    expect((await browser.post('/signin/email', fields)).status).toBe(403)
    expect(mailbox.mails).toEqual([])
    expect((await browser.post('/signin/email', { ...fields, csrfToken })).status).toBe(302)
    expect(mailbox.mails).toHaveLength(1)
  })

  test('a mailer that fails is EmailSignin and logged, and the token is deleted', async () => {
    const storage = memoryStorage()
    const ids: string[] = []
    const service = serveMail({
      storage: {
        ...storage,
        createVerificationToken: (token) => {
          ids.push(token.token)
          return storage.createVerificationToken(token)
        },
      },
    })
    service.mailbox.failure = async () => {
      throw new Error('550 no such user')
    }
    const response = await requestEmail(service.browse())
    expect([response.status, response.headers.get('location')]).toEqual([502, null])
    expect(service.lines).toMatchObject([
      { level: 'error', details: { error: 'EmailSignin', causes: ['Error: 550 no such user'] } },
    ])
    expect(ids).toHaveLength(1)
    expect(
      await storage.useVerificationToken('alice@example.com', ids[0] as string, 0),
    ).toBeUndefined()
    service.mailbox.failure = undefined
    expect((await requestEmail(service.browse())).headers.get('location')).toContain(
      '/verify-request',
    )
  })

  test('a mailer that never answers is EmailSignin', async () => {
    const clock = createTestClock()
    const service = serveMail({ runtime: clock.runtime })
    service.mailbox.failure = () => new Promise<never>(() => undefined)
    expect((await clock.settle(requestEmail(service.browse()))).status).toBe(502)
    expect(clock.runtime.monotonic()).toBe(13_000)
    service.mailbox.failure = undefined
    await requestEmail(service.browse())
    expect(service.mailbox.mails).toHaveLength(1)
  })

  describe('while the mailer fails', () => {
    function serveFailing(over: Partial<AuthConfig> = {}): ReturnType<typeof serveMail> {
      const service = serveMail(over)
      service.mailbox.failure = async () => Promise.reject(new Error('connect ECONNREFUSED'))
      return service
    }

    test('the page does not blame the user and keeps what was typed; sending it again works', async () => {
      const { browse, mailbox } = serveFailing()
      const browser = browse()
      const fields = { callbackUrl: `${origin}/inbox` }
      const response = await requestEmail(browser, 'Alice+x@example.com', fields)
      expect([response.status, response.headers.get('location')]).toEqual([502, null])
      const page = await response.text()
      expect(page).toContain('We could not send the email. Try again in a minute.')
      expect(page).not.toContain('This is not an email address.')
      expect(page).toMatch(/name="email"[^>]*value="Alice\+x@example\.com"/)
      mailbox.failure = undefined
      const { action, fields: hidden } = parseForm(page)
      expect(action).toBe(`${base}/signin/email`)
      const sent = await browser.post(action, { ...hidden, email: 'Alice+x@example.com' })
      expect(sent.headers.get('location')).toContain('/verify-request')
      expect(mailbox.getLink().searchParams.get('callbackUrl')).toBe(`${origin}/inbox`)
    })

    test('the page is in the language of the browser', async () => {
      const headers = { 'accept-language': 'de' }
      const browser = serveFailing({ messages: { de } }).browse()
      const fields = { email: 'alice@example.com' }
      const page = await (await browser.submit('/signin/email', fields, { headers })).text()
      expect(page).toContain('Versuchen Sie es in einer Minute noch einmal.')
      expect(page).not.toContain('Prüfen Sie')
    })

    test('JSON mode says so in its message', async () => {
      const response = await requestEmail(serveFailing().browse(), undefined, { json: 'true' })
      expect([response.status, await response.json()]).toEqual([
        502,
        {
          url: `${base}/signin?error=EmailSignin`,
          error: 'EmailSignin',
          message: 'We could not send the email. Try again in a minute.',
        },
      ])
    })

    test('the application’s own sign-in page gets the code, and the email address is in no URL', async () => {
      const { browse } = serveFailing({ pages: { signIn: '/welcome' } })
      const response = await requestEmail(browse())
      const location = new URL(response.headers.get('location') ?? '')
      expect([location.pathname, location.searchParams.get('error')]).toEqual([
        '/welcome',
        'EmailSignin',
      ])
      expect(location.href).not.toMatch(/alice/i)
    })
  })

  test('a mistake in the email address is said to be one, and keeps it in no URL (I-7)', async () => {
    const response = await requestEmail(serveMail().browse(), 'alice@<example>')
    expect([response.status, response.headers.get('location')]).toEqual([400, null])
    const page = await response.text()
    expect(page).toContain('This is not an email address.')
    expect(page).toContain('value="alice@&lt;example&gt;"')
    expect(page).toMatch(/name="email"[^>]*aria-invalid="true" aria-describedby="error"/)
  })
})

describe('the token (I-30)', () => {
  test('is stored only as a hash', async () => {
    const stored: unknown[] = []
    const { storage } = serveMail()
    const { browse, mailbox } = serveMail({
      storage: {
        ...storage,
        createVerificationToken: async (token) => void stored.push(token),
      },
    })
    await requestEmail(browse())
    const token = mailbox.getLink().searchParams.get('token') as string
    expect(stored).toEqual([
      {
        identifier: 'alice@example.com',
        token: expect.stringMatching(/^[\w-]{43}$/),
        expires: expect.any(Number),
      },
    ])
    expect(JSON.stringify(stored)).not.toContain(token)
  })

  test('expires after ten minutes', async () => {
    const { browse, mailbox, wait } = serveMail()
    const browser = browse()
    await requestEmail(browser)
    wait(599)
    expect((await browser.visit(mailbox.getLink().href)).headers.get('location')).toBe(origin)
    await requestEmail(browser)
    wait(600)
    expect(getRedirect(await browser.visit(mailbox.getLink().href)).error).toBe('Verification')
  })

  test('works once', async () => {
    const { browse, mailbox } = serveMail()
    const [browser, other] = [browse(), browse()]
    await requestEmail(browser)
    const link = mailbox.getLink().href
    expect((await browser.visit(link)).headers.get('location')).toBe(origin)
    const page = await (await other.visit(link)).text()
    expect(getRedirect(await submitForm(other, page))).toEqual({
      path: '/api/auth/error',
      error: 'Verification',
    })
    expect(await other.json('/session')).toEqual({})
  })

  test('of 200 browsers that use it concurrently, one is signed in', async () => {
    const { browse, mailbox } = serveMail({ limits: { callbacksPerClient: false } })
    await requestEmail(browse())
    const link = mailbox.getLink().href
    const browsers = await Promise.all(
      Array.from({ length: 200 }, async () => {
        const browser = browse()
        return { browser, page: await (await browser.visit(link)).text() }
      }),
    )
    await Promise.all(browsers.map(({ browser, page }) => submitForm(browser, page)))
    const sessions = await Promise.all(browsers.map(({ browser }) => browser.json('/session')))
    expect(sessions.filter((session) => 'user' in session)).toHaveLength(1)
  })

  test('works only with its own email address', async () => {
    const { browse, mailbox } = serveMail()
    for (const browser of [browse(), browse()]) {
      await requestEmail(browser)
      const link = mailbox.getLink()
      link.searchParams.set('email', 'mallory@example.com')
      expect(getRedirect(await browser.visit(link.href)).error).toBe('Verification')
      const other = browse()
      const page = await (await other.visit(link.href)).text()
      expect(getRedirect(await submitForm(other, page)).error).toBe('Verification')
      const own = await (await other.visit(mailbox.getLink().href)).text()
      expect((await submitForm(other, own)).headers.get('location')).toBe(origin)
    }
  })

  test('is bound to its email address, whatever the storage compares', async () => {
    const storage = memoryStorage()
    const identifiers = new Map<string, string>()
    const careless: Storage = {
      ...storage,
      async createVerificationToken(token) {
        identifiers.set(token.token, token.identifier)
        return storage.createVerificationToken(token)
      },
      useVerificationToken: (_, token, now) =>
        storage.useVerificationToken(identifiers.get(token) ?? '', token, now),
    }
    const { browse, mailbox } = serveMail({ storage: careless })
    for (const [address, error] of [
      ['alice@example.com', null],
      ['mallory@example.com', 'Verification'],
    ] as const) {
      await requestEmail(browse())
      const link = mailbox.getLink()
      link.searchParams.set('email', address)
      const browser = browse()
      const page = await (await browser.visit(link.href)).text()
      expect(getRedirect(await submitForm(browser, page)).error).toBe(error)
      expect('user' in (await browser.json('/session'))).toBe(error === null)
    }
  })

  test('works after a rotation of secrets', async () => {
    const { storage, browse, mailbox } = serveMail()
    await requestEmail(browse())
    const rotated = serveMail({
      storage,
      secret: ['a new secret of thirty-two bytes or so', 'a secret of thirty-two bytes or more'],
    })
    const browser = rotated.browse()
    const page = await (await browser.visit(mailbox.getLink().href)).text()
    expect((await submitForm(browser, page)).headers.get('location')).toBe(origin)
  })
})

describe('GET /callback/email (I-31)', () => {
  test('signs in immediately in the browser that requested the link', async () => {
    const { browse, mailbox } = serveMail()
    const browser = browse()
    await requestEmail(browser, 'alice@example.com', { callbackUrl: `${origin}/inbox` })
    const response = await browser.visit(mailbox.getLink().href)
    expect(response.status).toBe(302)
    expect(response.headers.get('location')).toBe(`${origin}/inbox`)
    const { user } = (await browser.json('/session')) as { user: object }
    expect(user).toMatchObject({ email: 'alice@example.com', name: null, image: null })
    expect(getFlowCookies(browser)).toEqual([])
  })

  test('in another browser changes nothing and shows a form', async () => {
    const { browse, mailbox } = serveMail()
    await requestEmail(browse(), 'alice@example.com', { callbackUrl: `${origin}/inbox` })
    const other = browse()
    const response = await other.visit(mailbox.getLink().href)
    expect(response.status).toBe(200)
    const page = await response.text()
    expect(page).toContain('Sign in as <bdi>alice@example.com</bdi>?')
    expect(await other.json('/session')).toEqual({})
    const signedIn = await submitForm(other, page)
    expect(signedIn.headers.get('location')).toBe(`${origin}/inbox`)
    expect(await other.json('/session')).toMatchObject({ user: { email: 'alice@example.com' } })
  })

  test('a scanner that sends HEAD and GET uses no token', async () => {
    const { browse, mailbox } = serveMail()
    const browser = browse()
    await requestEmail(browser)
    const link = mailbox.getLink().href
    for (const method of ['HEAD', 'GET', 'GET']) {
      expect((await browse().visit(link, { method })).status).toBe(200)
    }
    expect((await browser.visit(link, { method: 'HEAD' })).status).toBe(200)
    expect((await browser.visit(link)).headers.get('location')).toBe(origin)
    expect(await browser.json('/session')).toMatchObject({ user: { email: 'alice@example.com' } })
  })

  test.for([
    { 'sec-purpose': 'prefetch' },
    { 'sec-purpose': 'prefetch;prerender' },
    { purpose: 'prefetch' },
  ])('a prefetch (%o) uses no token', async (headers) => {
    const { browse, mailbox } = serveMail()
    const browser = browse()
    await requestEmail(browser)
    const prefetched = await browser.visit(mailbox.getLink().href, { headers })
    expect([prefetched.status, prefetched.headers.get('location')]).toEqual([200, null])
    expect(await browser.json('/session')).toEqual({})
    expect((await browser.visit(mailbox.getLink().href)).headers.get('location')).toBe(origin)
  })

  test('the form needs the CSRF token of its browser', async () => {
    const { browse, mailbox } = serveMail()
    await requestEmail(browse())
    const link = mailbox.getLink()
    const fields = Object.fromEntries(link.searchParams)
    const browser = browse()
    const page = await (await browser.visit(link.href)).text()
    const without = await browser.post('/callback/email', fields)
    expect(without.status).toBe(403)
    const otherToken = await browse().csrfToken()
    const foreign = await browser.post('/callback/email', { ...fields, csrfToken: otherToken })
    expect(foreign.status).toBe(403)
    const own = { ...fields, csrfToken: await browser.csrfToken() }
    for (const headers of [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
    ]) {
      const crossSite = await browser.post('/callback/email', own, { headers })
      expect(crossSite.status).toBe(403)
    }
    expect((await submitForm(browser, page)).headers.get('location')).toBe(origin)
  })

  test('after a sign-out in between the link shows the form', async () => {
    const { browse, mailbox } = serveMail()
    const browser = browse()
    await signIn(browser, 'bob')
    await requestEmail(browser)
    await browser.submit('/signout')
    await browser.csrfToken()
    const response = await browser.visit(mailbox.getLink().href)
    expect(response.status).toBe(200)
    expect((await submitForm(browser, await response.text())).headers.get('location')).toBe(origin)
  })

  test('a link with a parameter given twice is refused, as the page could name another user than it signs in', async () => {
    const { browse, mailbox } = serveMail()
    await requestEmail(browse(), 'mallory@example.com')
    const link = new URL(mailbox.getLink())
    const query = `?email=victim%40example.com&${link.searchParams.toString()}`
    const browser = browse()
    expect(getRedirect(await browser.visit(`/callback/email${query}`)).error).toBe('Verification')
    const page = await (await browser.visit(link.href)).text()
    expect((await submitForm(browser, page)).headers.get('location')).toBe(origin)
  })

  test('the form posts the parameters of a link, and nothing else', async () => {
    const { browse, mailbox } = serveMail()
    await requestEmail(browse())
    const page = await (
      await browse().visit(`${mailbox.getLink().href}&json=true&code=12345678`)
    ).text()
    expect(Object.keys(parseForm(page).fields).toSorted()).toEqual([
      'callbackUrl',
      'csrfToken',
      'email',
      'token',
    ])
  })

  test('an incomplete link is refused', async () => {
    const { browse, mailbox } = serveMail()
    const browser = browse()
    await requestEmail(browser)
    const link = mailbox.getLink()
    const visitWithout = (...names: readonly string[]): Promise<Response> => {
      const url = new URL(link)
      for (const name of names) url.searchParams.delete(name)
      return browser.visit(url.href)
    }
    for (const names of [['token', 'email', 'callbackUrl'], ['token'], ['email']]) {
      expect(getRedirect(await visitWithout(...names))).toEqual({
        path: '/api/auth/error',
        error: 'Verification',
      })
    }
    expect((await visitWithout()).headers.get('location')).toBe(origin)
  })

  test('the page escapes the values of the link, and a foreign callbackUrl is replaced by the origin', async () => {
    const { browse, mailbox } = serveMail()
    await requestEmail(browse())
    const link = mailbox.getLink()
    link.searchParams.set('callbackUrl', '"><script>alert(1)</script>')
    link.searchParams.set('more', '<b>')
    const browser = browse()
    const page = await (await browser.visit(link.href)).text()
    expect(page).not.toMatch(/<script|<b>/)
    const evil = mailbox.getLink()
    evil.searchParams.set('callbackUrl', 'https://evil.example/')
    const other = browse()
    const response = await submitForm(other, await (await other.visit(evil.href)).text())
    expect(response.headers.get('location')).toBe(origin)
  })

  test('two emails: each link works in the browser that requested both', async () => {
    const { browse, mailbox } = serveMail()
    const browser = browse()
    await requestEmail(browser)
    await requestEmail(browser)
    const [first, second] = mailbox.mails.map((mail) => mailbox.getLink(mail).href) as [
      string,
      string,
    ]
    expect((await browser.visit(first)).headers.get('location')).toBe(origin)
    expect((await browser.visit(second)).status).toBeLessThan(303)
  })
})

describe('the email', () => {
  test('has the same content in text and HTML, loads nothing and sets its direction', async () => {
    const { browse, mailbox } = serveMail({}, { code: true })
    await requestEmail(browse())
    const { text, html } = mailbox.last
    const link = mailbox.getLink().href
    expect(text).toContain(mailbox.getCode())
    expect(html).toContain(mailbox.getCode())
    expect(html).toContain(`href="${link.replaceAll('&', '&amp;')}"`)
    expect(html).not.toMatch(/src=|url\(|<script|<img|<link|undefined|\[object/)
    expect(html).toContain('<html lang="en" dir="ltr">')
    expect(text).toMatch(/10 minutes/)
  })

  test('is in the language of the browser that requested it, with configured texts', async () => {
    const he = { direction: 'rtl', mail: { subject: 'כניסה אל {name}' } } as const
    const { browse, mailbox } = serveMail({ messages: { de, he } })
    await browse().submit(
      '/signin/email',
      { email: 'alice@example.com' },
      { headers: { 'accept-language': 'de' } },
    )
    expect(mailbox.last.subject).toBe('Anmelden bei app.example')
    await browse().submit(
      '/signin/email',
      { email: 'alice@example.com' },
      { headers: { 'accept-language': 'he' } },
    )
    expect(mailbox.last.subject).toBe('כניסה אל app.example')
    expect(mailbox.last.html).toContain('dir="rtl"')
  })

  test('can be written by the application', async () => {
    const { browse, mailbox } = serveMail(
      {},
      {
        write: ({ url, host, minutes, language }) => ({
          subject: `Hello from ${host}`,
          text: `${url} within ${minutes}. ${language.messages.mail?.note}`,
          html: '<p>Hello</p>',
        }),
      },
    )
    await requestEmail(browse())
    expect(mailbox.last).toMatchObject({ subject: 'Hello from app.example', html: '<p>Hello</p>' })
    expect(mailbox.last.text).toContain('If you did not request it')
    expect(mailbox.getLink().pathname).toBe('/api/auth/callback/email')
  })

  test('can be rendered by a promise, and if that fails, its token is withdrawn (I-30.4)', async () => {
    let isDown = false
    let url = ''
    const { browse, mailbox } = serveMail(
      {},
      {
        write: async (mail) => {
          await new Promise((resolve) => setImmediate(resolve))
          url = mail.url
          if (isDown) throw new Error('the template is missing')
          return { subject: 'Hello', text: mail.url, html: '<p>Hello</p>' }
        },
      },
    )
    const browser = browse()
    await requestEmail(browser)
    expect(mailbox.last).toMatchObject({ subject: 'Hello', text: url })
    isDown = true
    expect((await requestEmail(browser)).status).toBe(502)
    expect(mailbox.mails).toHaveLength(1)
    await browser.visit(url)
    expect(await browser.json('/session')).toEqual({})
    await browser.visit(mailbox.getLink().href)
    expect(await browser.json('/session')).toMatchObject({ user: { email: 'alice@example.com' } })
  })
})

describe('pages', () => {
  test('the sign-in page has a field for the email address', async () => {
    const page = await (await serveMail().browse().visit('/signin')).text()
    expect(page).toContain('action="https://app.example/api/auth/signin/email"')
    expect(page).toMatch(/<label for="email_email">Email address<\/label>/)
    expect(page).toMatch(
      /type="email"\s+name="email"\s+required\s+maxlength="254"\s+autocomplete="email"/,
    )
  })

  test('GET /providers lists it', async () => {
    const providers = await serveMail().browse().json('/providers')
    expect(providers['email']).toEqual({
      id: 'email',
      name: 'Email',
      type: 'email',
      signinUrl: `${base}/signin/email`,
      callbackUrl: `${base}/callback/email`,
    })
  })

  test('the application’s own verify-request page is used', async () => {
    const { browse } = serveMail({ pages: { verifyRequest: '/check-your-mail' } })
    const browser = browse()
    const sent = await requestEmail(browser)
    const response = await browser.visit(sent.headers.get('location') as string)
    expect(response.headers.get('location')).toBe(`${origin}/check-your-mail`)
  })

  test('several email providers are separate', async () => {
    const [work, home] = [new Mailbox(), new Mailbox()]
    const from = 'sign-in@app.example'
    const { browse } = serveMail({
      providers: [
        email({ id: 'work', mailer: work, from }),
        email({ id: 'home', mailer: home, from }),
      ],
    })
    const browser = browse()
    await browser.submit('/signin/work', { email: 'alice@example.com' })
    expect([work.mails.length, home.mails.length]).toEqual([1, 0])
    expect(work.getLink().pathname).toBe('/api/auth/callback/work')
    const otherUrl = work.getLink().href.replace('/callback/work', '/callback/home')
    const page = await (await browser.visit(otherUrl)).text()
    expect(getRedirect(await submitForm(browser, page)).error).toBe('Verification')
    expect((await browser.visit(work.getLink().href)).headers.get('location')).toBe(origin)
  })
})
