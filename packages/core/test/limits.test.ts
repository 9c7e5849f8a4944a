import type { Limiter, LimitsOptions } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import type { Browser } from '@latchkey/testing/browser'
import { describe, expect, test } from 'vitest'
import { wrapMethods } from '@latchkey/test-support/wrap-methods'
import {
  createBrowserAt,
  createRecordingLimiter,
  createThief,
  expectKnownCookie,
  once,
  sendCallback,
} from './support/limits.ts'
import { requestEmail, serveMail, signInByEmail, submitForm } from './support/mailbox.ts'
import type { MailService } from './support/mailbox.ts'
import {
  base,
  beginSignIn,
  getConfigError,
  getRedirect,
  getUser,
  origin,
  passport,
  serve,
  signIn,
  toCallbackUrl,
} from './support/service.ts'
import type { TestService } from './support/service.ts'

const sentence = /Too many attempts\. Try again in \d+ (minute|second)s?\./
const oncePerClient: LimitsOptions = { mailsPerClient: once, mailsPerAddress: false }

/** Requests emails, each to another email address, and returns the statuses. */
async function requestEmails(browser: Browser, times: number): Promise<number[]> {
  const statuses: number[] = []
  for (let i = 0; i < times; i++) {
    statuses.push((await requestEmail(browser, `user${i}@example.com`)).status)
  }
  return statuses
}

/** Requests one email from each IP address and returns the statuses. */
async function requestEmailFromEach(
  service: Pick<TestService<unknown>, 'auth'>,
  ips: readonly string[],
): Promise<number[]> {
  const statuses: number[] = []
  for (const ip of ips) statuses.push((await requestEmail(createBrowserAt(service, ip))).status)
  return statuses
}

describe('emails to one email address (I-32)', () => {
  test('are limited to five in ten minutes; the sixth is not sent', async () => {
    const { browse, mailbox } = serveMail()
    for (let i = 0; i < 5; i++) expect((await requestEmail(browse())).status).toBe(302)
    expect((await requestEmail(browse())).status).toBe(429)
    expect(mailbox.mails).toHaveLength(5)
  })

  test('are allowed again after Retry-After, which is in whole seconds', async () => {
    const { browse, mailbox, wait } = serveMail({ limits: { mailsPerAddress: once } })
    await requestEmail(browse())
    const retryAfter = (await requestEmail(browse())).headers.get('retry-after') ?? ''
    expect(retryAfter).toMatch(/^[1-9]\d*$/)
    expect(Number(retryAfter)).toBeLessThanOrEqual(600)
    wait(Number(retryAfter) - 60)
    expect((await requestEmail(browse())).status).toBe(429)
    wait(60)
    expect((await requestEmail(browse())).status).toBe(302)
    expect(mailbox.mails).toHaveLength(2)
  })

  test('are refused in a browser with the sign-in page and a message', async () => {
    const { browse } = serveMail({ limits: { mailsPerAddress: once } })
    const browser = browse()
    await requestEmail(browser)
    const response = await requestEmail(browser)
    expect(response.status).toBe(429)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const page = await response.text()
    expect(page).toMatch(sentence)
    expect(page).toContain(`action="${base}/signin/email"`)
  })

  test('are refused in JSON mode with the error code', async () => {
    const { browse } = serveMail({ limits: { mailsPerAddress: once } })
    await requestEmail(browse())
    const response = await requestEmail(browse(), 'alice@example.com', { json: 'true' })
    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    expect(await response.json()).toEqual({
      url: `${base}/signin?error=RateLimited`,
      error: 'RateLimited',
      message: expect.stringMatching(sentence),
    })
  })

  test('begin no flow if they are refused', async () => {
    const { browse } = serveMail({ limits: { mailsPerAddress: once } })
    await requestEmail(browse())
    const browser = browse()
    await requestEmail(browser)
    expect([...browser.cookies.keys()]).toEqual(['__Host-latchkey.csrf'])
  })

  test('are counted by the normalized email address', async () => {
    const { browse } = serveMail({ limits: { mailsPerAddress: once } })
    expect((await requestEmail(browse(), 'alice@example.com')).status).toBe(302)
    expect((await requestEmail(browse(), 'Alice@EXAMPLE.com')).status).toBe(429)
    expect((await requestEmail(browse(), '\uff41lice@example.com')).status).toBe(429)
  })

  test('are counted by mailbox: a +tag makes no other one', async () => {
    const { browse, mailbox } = serveMail({ limits: { mailsPerClient: false } })
    for (let i = 0; i < 50; i++) await requestEmail(browse(), `alice+tag${i}@example.com`)
    expect((await requestEmail(browse(), 'alice+x+y@example.com')).status).toBe(429)
    expect((await requestEmail(browse(), 'alice@example.com')).status).toBe(429)
    expect(mailbox.mails.map(({ to }) => to.address)).toEqual(
      [0, 1, 2, 3, 4].map((i) => `alice+tag${i}@example.com`),
    )
  })

  test.each([
    ['alice+x@example.com', 'alice+x@example.org'],
    ['alice+x@example.com', 'bob+x@example.com'],
    ['+x@example.com', '+y@example.com'],
    ['al.ice@example.com', 'alice@example.com'],
    ['al.ice@mail.gmail.com', 'alice@mail.gmail.com'],
    ['alice@gmail.com', 'alice@gmail.co'],
    ['alice@gmail.com', 'alic@gmail.com'],
  ])('are counted separately for %s and %s', async (one, other) => {
    const { browse } = serveMail({ limits: { mailsPerAddress: once } })
    expect((await requestEmail(browse(), one)).status).toBe(302)
    expect((await requestEmail(browse(), other)).status).toBe(302)
  })

  test.each([
    'al.ice@gmail.com',
    'a.l.i.c.e+x@gmail.com',
    'alice@googlemail.com',
    'A.lice@GoogleMail.com',
  ])(
    'are counted with alice@gmail.com: %s, and sent to the email address as it was typed',
    async (variant) => {
      const { browse, mailbox } = serveMail({
        limits: { mailsPerAddress: { times: 2, window: 600 } },
      })
      expect((await requestEmail(browse(), 'alice@gmail.com')).status).toBe(302)
      expect((await requestEmail(browse(), variant)).status).toBe(302)
      expect(mailbox.last.to.address).toBe(variant.toLowerCase())
      expect((await requestEmail(browse(), 'alice@gmail.com')).status).toBe(429)
    },
  )

  test('to variants of one mailbox of Gmail sign in two users', async () => {
    const { browse, mailbox } = serveMail()
    const ids = new Set<string>()
    for (const address of ['al.ice@gmail.com', 'alice@gmail.com']) {
      const browser = browse()
      await signInByEmail({ mailbox }, browser, address)
      const user = await getUser(browser)
      expect(user.email).toBe(address)
      ids.add(user.id)
    }
    expect(ids.size).toBe(2)
  })

  test('do not count for other email addresses', async () => {
    const { browse } = serveMail({ limits: { mailsPerAddress: once } })
    await requestEmail(browse(), 'alice@example.com')
    expect((await requestEmail(browse(), 'bob@example.com')).status).toBe(302)
  })

  test('are limited equally for known and unknown email addresses (I-29)', async () => {
    const { browse } = serveMail({ limits: { mailsPerAddress: once } })
    await signIn(browse(), 'known')
    const getReplies = async (address: string): Promise<unknown[]> => {
      const replies: unknown[] = []
      for (let i = 0; i < 2; i++) {
        const response = await requestEmail(browse(), address, { json: 'true' })
        const headers = [...response.headers.keys()].toSorted()
        replies.push([response.status, headers, await response.json()])
      }
      return replies
    }
    expect(await getReplies('known@example.com')).toEqual(await getReplies('unknown@example.com'))
  })

  test('are not counted without the CSRF token or a valid email address', async () => {
    const { browse } = serveMail({ limits: { mailsPerAddress: once, mailsPerClient: once } })
    const browser = browse()
    const email = 'alice@example.com'
    expect((await browser.post('/signin/email', { email, csrfToken: 'forged' })).status).toBe(403)
    await requestEmail(browser, 'alice')
    expect((await requestEmail(browser, email)).status).toBe(302)
  })
})

describe('a browser in which an email address has signed in before (I-32)', () => {
  const cookie = '__Host-latchkey.known.email'
  const victim = 'alice@example.com'

  /** Signs in by email, and out again. */
  async function createKnown(
    service: MailService<unknown>,
    address = victim,
    ip?: string,
  ): Promise<Browser> {
    const browser = createBrowserAt(service, ip)
    await signInByEmail(service, browser, address)
    await browser.submit('/signout')
    service.wait(600)
    return browser
  }

  /** Requests emails in browsers that are not known. */
  async function flood({ browse }: MailService<unknown>, address = victim): Promise<void> {
    for (let i = 0; i < 6; i++) await requestEmail(browse(), address)
    expect((await requestEmail(browse(), address)).status).toBe(429)
  }

  test('gets emails although other browsers have used up the limit of the mailbox', async () => {
    const service = serveMail()
    const known = await createKnown(service)
    await flood(service)
    await signInByEmail(service, known, victim)
    expect((await getUser(known)).email).toBe(victim)
  })

  test('can send an email again although other browsers have used up the limit', async () => {
    const service = serveMail()
    const known = await createKnown(service)
    expect((await requestEmail(known, victim)).status).toBe(302)
    await flood(service)
    expect((await requestEmail(known, victim, { resend: 'true' })).status).toBe(302)
  })

  test('has its own limit, from any IP address, and does not use up another limit', async () => {
    const service = serveMail()
    const known = await createKnown(service)
    const statuses: number[] = []
    for (let i = 0; i < 6; i++) {
      const thief = createThief(service, known, { cookie, ip: `198.51.100.${i}` })
      statuses.push((await requestEmail(thief, victim)).status)
    }
    expect(statuses).toEqual([302, 302, 302, 302, 302, 429])
    expect((await requestEmail(service.browse(), victim)).status).toBe(302)
    service.wait(600)
    expect((await requestEmail(known, victim)).status).toBe(302)
  })

  test('does not use up the limit of another browser that is known', async () => {
    const service = serveMail()
    const [known, other] = [await createKnown(service), await createKnown(service)]
    service.wait(600)
    for (const status of [302, 302, 302, 302, 302, 429]) {
      expect((await requestEmail(known, victim)).status).toBe(status)
    }
    expect((await requestEmail(other, victim)).status).toBe(302)
  })

  test('counts with its IP address', async () => {
    const service = serveMail({ limits: oncePerClient })
    const known = await createKnown(service, victim, '192.0.2.1')
    const other = createBrowserAt(service, '192.0.2.1')
    expect((await requestEmail(other, 'bob@example.com')).status).toBe(302)
    expect((await requestEmail(known, victim)).status).toBe(429)
  })

  test.each(['alice+x@example.com', 'bob@example.com'])(
    'is not known for %s, even if that is the same mailbox',
    async (other) => {
      const service = serveMail()
      const known = await createKnown(service, other)
      await flood(service)
      expect((await requestEmail(known, victim)).status).toBe(429)
    },
  )

  test('has the limits of linking emails, as any other browser', async () => {
    const service = serveMail()
    const known = await createKnown(service)
    await signIn(known, 'carol')
    const link = async (): Promise<number> =>
      (await requestEmail(known, victim, { link: 'true' })).status
    expect([await link(), await link(), await link()]).toEqual([302, 302, 429])
  })

  test('is the browser that completes the sign-in, not the one that asked', async () => {
    const service = serveMail()
    const [asking, completing] = [service.browse(), service.browse()]
    await requestEmail(asking, victim)
    expect(asking.cookies.has(cookie)).toBe(false)
    const page = await completing.visit(service.mailbox.getLink().href)
    expect(completing.cookies.has(cookie)).toBe(false)
    await submitForm(completing, await page.text())
    expect((await getUser(completing)).email).toBe(victim)
    expect([completing.cookies.has(cookie), asking.cookies.has(cookie)]).toEqual([true, false])
  })

  test('is known after a sign-in by code', async () => {
    const service = serveMail({}, { code: true })
    const browser = service.browse()
    await requestEmail(browser, victim)
    await browser.submit('/callback/email', { code: '00000000' })
    expect(browser.cookies.has(cookie)).toBe(false)
    await browser.submit('/callback/email', { code: service.mailbox.getCode() })
    expect((await getUser(browser)).email).toBe(victim)
    expect(browser.cookies.has(cookie)).toBe(true)
  })

  test.each<[string, boolean | string]>([
    ['refused', false],
    ['led elsewhere', '/elsewhere'],
  ])('is not known if the sign-in is %s by callbacks.signIn', async (_, decision) => {
    let result: boolean | string = true
    const service = serveMail({
      callbacks: { signIn: ({ email }) => (email?.verificationRequest ? true : result) },
    })
    await createKnown(service)
    result = decision
    const browser = service.browse()
    await signInByEmail(service, browser, victim)
    expect(await browser.json('/session')).toEqual({})
    expect(browser.cookies.has(cookie)).toBe(false)
  })

  test('is not known after an email that linked', async () => {
    const service = serveMail()
    const browser = service.browse()
    await signIn(browser)
    await requestEmail(browser, 'bob@example.com', { link: 'true' })
    const response = await browser.visit(service.mailbox.getLink().href)
    expect(response.headers.get('location')).toBe(origin)
    const { id } = await getUser(browser)
    const accounts = await service.auth.accounts.list(id)
    expect(accounts.map(({ provider }) => provider).toSorted()).toEqual(['email', 'passport'])
    expect(browser.cookies.has(cookie)).toBe(false)
  })

  test('has no email address in its cookie, which lasts 400 days and survives a sign-out', async () => {
    const service = serveMail()
    const browser = service.browse()
    const response = await signInByEmail(service, browser, victim)
    expectKnownCookie(response, cookie, 'alice')
    await browser.submit('/signout')
    expect(browser.cookies.has(cookie)).toBe(true)
  })
})

describe('emails requested by one client (I-32)', () => {
  test('are limited to twenty in ten minutes, to any email addresses', async () => {
    const service = serveMail()
    const statuses = await requestEmails(createBrowserAt(service, '192.0.2.1'), 22)
    expect(statuses).toEqual([...Array<number>(20).fill(302), 429, 429])
    expect(service.mailbox.mails).toHaveLength(20)
  })

  test('are counted by client, not by browser', async () => {
    const service = serveMail({ limits: oncePerClient })
    const clients = ['192.0.2.1', '192.0.2.1', '192.0.2.2', '192.0.2.2']
    expect(await requestEmailFromEach(service, clients)).toEqual([302, 429, 302, 429])
  })

  test('are allowed again after the window', async () => {
    const service = serveMail({ limits: oncePerClient })
    const browser = createBrowserAt(service, '192.0.2.1')
    expect(await requestEmails(browser, 2)).toEqual([302, 429])
    service.wait(600)
    expect(await requestEmails(browser, 2)).toEqual([302, 429])
  })

  test('are not limited if the host does not report the client', async () => {
    const service = serveMail({ limits: { mailsPerClient: once } })
    for (const browser of [service.browse(), createBrowserAt(service, undefined)]) {
      expect(await requestEmails(browser, 3)).toEqual([302, 302, 302])
    }
  })

  test.each([
    'x-forwarded-for',
    'forwarded',
    'x-real-ip',
    'cf-connecting-ip',
    'true-client-ip',
    'x-client-ip',
  ])('do not depend on the header %s (I-2)', async (header) => {
    const service = serveMail({ limits: oncePerClient })
    const requestWithHeader = (browser: Browser, ip: string, i: number): Promise<Response> =>
      browser.submit(
        '/signin/email',
        { email: `user${i}@example.com` },
        { headers: { [header]: header === 'forwarded' ? `for=${ip}` : ip } },
      )
    const unknown = service.browse()
    expect((await requestWithHeader(unknown, '203.0.113.1', 1)).status).toBe(302)
    expect((await requestWithHeader(unknown, '203.0.113.1', 2)).status).toBe(302)
    const known = createBrowserAt(service, '192.0.2.1')
    expect((await requestWithHeader(known, '203.0.113.3', 3)).status).toBe(302)
    expect((await requestWithHeader(known, '203.0.113.4', 4)).status).toBe(429)
  })

  test.each([
    ['of one /64', '2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
    ['of one /64, written differently', '2001:DB8::1', '2001:0db8:0:0:5:6:7:8'],
    ['with and without a zone', 'fe80::1%eth0', 'fe80::2'],
    ['mapped from IPv4', '192.0.2.1', '::ffff:192.0.2.1'],
    ['mapped from IPv4, in upper case', '192.0.2.1', '::FFFF:192.0.2.1'],
    ['mapped from IPv4, in hexadecimal', '192.0.2.1', '::ffff:c000:201'],
    ['mapped from IPv4, in full', '192.0.2.1', '0:0:0:0:0:ffff:192.0.2.1'],
  ])('from IP addresses %s are counted together', async (_, one, other) => {
    expect(await requestEmailFromEach(serveMail({ limits: oncePerClient }), [one, other])).toEqual([
      302, 429,
    ])
  })

  test.each([
    ['of two /64', '2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['of two /64, shortened', '2001:db8::1', '2001:db8:0:1::1'],
    ['of two /64 with zeros inside', '2001::1:2:3:4:5', '2001::2:2:3:4:5'],
    ['of two /64 that begin differently', '2001::1:2:3:4:5', '2002::1:2:3:4:5'],
    ['of two /64 with the same digits', '1:23::1', '12:3::1'],
    ['of IPv4 next to each other', '192.0.2.1', '192.0.2.2'],
    ['mapped from two of IPv4', '::ffff:192.0.2.1', '::ffff:192.0.2.2'],
    ['mapped from two of IPv4, in hexadecimal', '::ffff:c000:201', '::ffff:c000:202'],
  ])('from IP addresses %s are counted separately', async (_, one, other) => {
    expect(await requestEmailFromEach(serveMail({ limits: oncePerClient }), [one, other])).toEqual([
      302, 302,
    ])
  })

  test('from a text that is not an IP address are counted by this text', async () => {
    const service = serveMail({ limits: oncePerClient })
    const texts = ['a.proxy', 'another.proxy', 'a.proxy', 'another.proxy', '[a.proxy]']
    expect(await requestEmailFromEach(service, texts)).toEqual([302, 302, 429, 429, 302])
  })

  test('from an unknown IP address, empty or of white space, are not counted', async () => {
    const service = serveMail({ limits: oncePerClient })
    expect(await requestEmailFromEach(service, ['', '', ' ', ' '])).toEqual([302, 302, 302, 302])
    expect(await requestEmailFromEach(service, ['192.0.2.1', ' 192.0.2.1 '])).toEqual([302, 429])
  })
})

describe('emails that link (I-32, I-39)', () => {
  /** Signs a user in and returns a function that requests emails that link. */
  async function signInToLink(
    { browse }: Pick<TestService<unknown>, 'browse'>,
    subject: string,
  ): Promise<(address?: string) => Promise<number>> {
    const browser = browse()
    await signIn(browser, subject)
    return async (address) =>
      (await requestEmail(browser, address ?? 'victim@example.com', { link: 'true' })).status
  }

  test('of another user do not use up the limit of sign-in emails to a mailbox', async () => {
    const service = serveMail()
    const link = await signInToLink(service, 'mallory')
    for (let i = 0; i < 10; i++) await link()
    expect(service.mailbox.mails).toHaveLength(2)
    for (let i = 0; i < 5; i++) {
      expect((await requestEmail(service.browse(), 'victim@example.com')).status).toBe(302)
    }
    expect((await requestEmail(service.browse(), 'victim@example.com')).status).toBe(429)
  })

  test('of one user do not use up the limit of the owner, who links the same mailbox', async () => {
    const service = serveMail()
    const [mallory, owner] = [
      await signInToLink(service, 'mallory'),
      await signInToLink(service, 'owner'),
    ]
    expect([await mallory(), await mallory(), await mallory()]).toEqual([302, 302, 429])
    expect(await owner()).toBe(302)
  })

  test('are limited to two of one user and to three to one mailbox in ten minutes', async () => {
    const service = serveMail()
    const [alice, bob, carol] = [
      await signInToLink(service, 'alice'),
      await signInToLink(service, 'bob'),
      await signInToLink(service, 'carol'),
    ]
    expect([await alice('a@example.org'), await alice('b@example.org')]).toEqual([302, 302])
    expect(await alice('c@example.org')).toBe(429)
    expect([await bob(), await bob(), await carol(), await carol()]).toEqual([302, 302, 302, 429])
    service.wait(600)
    expect(await alice('c@example.org')).toBe(302)
  })

  test('count as emails that one client requests', async () => {
    const service = serveMail({ limits: oncePerClient })
    const browser = createBrowserAt(service, '192.0.2.1')
    await signIn(browser)
    expect((await requestEmail(browser, 'a@example.org', { link: 'true' })).status).toBe(302)
    expect((await requestEmail(browser, 'b@example.org', { link: 'true' })).status).toBe(429)
  })
})

describe('sign-ins begun from one client (I-32)', () => {
  test('are limited to sixty a minute, for every provider; then the page says so', async () => {
    const providers = [passport(), passport({ id: 'licence', name: 'Licence' })]
    const service = serve({ providers })
    const browser = createBrowserAt(service, '192.0.2.1')
    for (let i = 0; i < 60; i++) await beginSignIn(browser)
    const response = await browser.submit('/signin/licence')
    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d?$/)
    expect(await response.text()).toMatch(sentence)
    await beginSignIn(createBrowserAt(service, '192.0.2.2'))
    service.wait(60)
    await beginSignIn(browser)
  })

  test('are not counted without the CSRF token, nor if the page is only shown', async () => {
    const service = serve({ limits: { startsPerClient: once } })
    const browser = createBrowserAt(service, '192.0.2.1')
    for (let i = 0; i < 3; i++) {
      expect((await browser.post('/signin/passport', { csrfToken: 'forged' })).status).toBe(403)
      expect((await browser.visit('/signin/passport')).status).toBe(200)
    }
    await beginSignIn(browser)
    expect((await browser.submit('/signin/passport')).status).toBe(429)
  })
})

describe('callbacks from one client (I-32)', () => {
  test('are limited to sixty a minute; then the page says so', async () => {
    const service = serve({ limits: { startsPerClient: false } })
    const browser = createBrowserAt(service, '192.0.2.1')
    for (let i = 0; i < 60; i++) {
      expect(getRedirect(await sendCallback(browser)).error).toBe('OAuthCallback')
    }
    const response = await sendCallback(browser)
    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d?$/)
    expect(await response.text()).toMatch(sentence)
  })

  test('are counted by client, and not for an unknown one', async () => {
    const service = serve({ limits: { callbacksPerClient: once } })
    const [one, other, unknown] = [
      createBrowserAt(service, '192.0.2.1'),
      createBrowserAt(service, '192.0.2.2'),
      service.browse(),
    ]
    const statuses: number[] = []
    for (const browser of [one, one, other, unknown, unknown]) {
      statuses.push((await sendCallback(browser)).status)
    }
    expect(statuses).toEqual([302, 429, 302, 302, 302])
  })

  test.each([
    ['a link', '/callback/passport?code=x'],
    ['a state of another browser', `/callback/passport?code=x&state=${'x'.repeat(43)}`],
    ['a posted callback', '/callback/passport?return=form'],
    ['an incomplete link of an email', '/callback/email?token=x'],
    ['a link of an email', `/callback/email?token=${'x'.repeat(43)}&email=alice@example.com`],
  ])('are not counted without a flow: %s that another page opens', async (_, path) => {
    const service = serveMail({ limits: { callbacksPerClient: once } })
    const browser = createBrowserAt(service, '192.0.2.1')
    const url = await beginSignIn(browser)
    const headers = {
      'sec-fetch-dest': 'document',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-site': 'cross-site',
    }
    for (let i = 0; i < 3; i++)
      expect((await browser.visit(path, { headers })).status).not.toBe(429)
    await browser.visit(toCallbackUrl(url, 'alice'), { headers })
    expect(await browser.json('/session')).toHaveProperty('user')
  })

  test('are refused without a flow before the storage or the limiter is asked', async () => {
    const calls: string[] = []
    const storage = wrapMethods(memoryStorage(), (method, name) => (...args) => {
      calls.push(name)
      return method(...args)
    })
    const { limiter, taken } = createRecordingLimiter()
    const browser = createBrowserAt(serve({ storage, limiter }), '192.0.2.1')
    for (const query of ['', `?code=x&state=${'x'.repeat(43)}`, '?return=form']) {
      const response = await browser.visit(`/callback/passport${query}`)
      expect(getRedirect(response).error).toBe('OAuthCallback')
    }
    expect([calls, taken]).toEqual([[], []])
  })

  test.each([
    { 'sec-fetch-dest': 'image' },
    { 'sec-fetch-dest': 'image', 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-dest': 'iframe', 'sec-fetch-mode': 'navigate' },
    { 'sec-fetch-dest': 'script' },
    { 'sec-fetch-dest': 'empty' },
    { 'sec-fetch-dest': 'empty', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
    { 'sec-fetch-dest': 'empty', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' },
    { 'sec-fetch-dest': 'empty', 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' },
    { 'sec-fetch-dest': 'empty', 'sec-fetch-site': 'none' },
  ])('are refused if they are embedded or fetched by another page: %o', async (headers) => {
    const service = serve({ limits: { callbacksPerClient: once } })
    const browser = createBrowserAt(service, '192.0.2.1')
    const url = toCallbackUrl(await beginSignIn(browser), 'alice')
    const response = await browser.visit(url, { headers })
    expect(getRedirect(response).error).toBe('OAuthCallback')
    expect(await browser.json('/session')).toEqual({})
    await browser.visit(url, { headers: { 'sec-fetch-dest': 'document' } })
    expect(await browser.json('/session')).toHaveProperty('user')
  })

  test.each([
    ['a browser without Fetch Metadata', {}],
    ['fetch of Node', { 'sec-fetch-mode': 'cors' }],
    [
      'a script of the same origin',
      { 'sec-fetch-dest': 'empty', 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' },
    ],
    [
      'a service worker that forwards a navigation',
      { 'sec-fetch-dest': 'empty', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },
    ],
  ])('are accepted from %s', async (_, headers) => {
    const browser = serve().browse()
    await browser.visit(toCallbackUrl(await beginSignIn(browser), 'alice'), { headers })
    expect(await browser.json('/session')).toHaveProperty('user')
  })

  test('are counted for GET and POST, not for HEAD (I-5)', async () => {
    const service = serve({ limits: { callbacksPerClient: { times: 3, window: 60 } } })
    const browser = createBrowserAt(service, '192.0.2.1')
    const begin = async (): Promise<Record<string, string>> => {
      const url = toCallbackUrl(await beginSignIn(browser), '')
      return Object.fromEntries(new URL(url).searchParams)
    }
    for (let i = 0; i < 4; i++) {
      const query = String(new URLSearchParams(await begin()))
      await browser.visit(`/callback/passport?${query}`, { method: 'HEAD' })
    }
    expect((await sendCallback(browser)).status).toBe(302)
    expect((await browser.submit('/callback/passport', await begin())).status).toBe(302)
    // A form post of an identity provider is counted by its GET.
    const posted = await browser.post('/callback/passport', await begin())
    expect(
      (await browser.follow(posted, ({ pathname }) => pathname.endsWith('/signin'))).status,
    ).toBe(302)
    const fields = { ...(await begin()), json: 'true' }
    const response = await browser.submit('/callback/passport', fields)
    expect(response.status).toBe(429)
    expect(await response.json()).toMatchObject({
      error: 'RateLimited',
      message: expect.stringMatching(sentence),
    })
  })

  test.each(['GET', 'form post'])(
    'that are refused can be repeated when the window is over: %s',
    async (method) => {
      const service = serve({ limits: { callbacksPerClient: { times: 1, window: 30 } } })
      const browser = createBrowserAt(service, '192.0.2.1')
      await sendCallback(browser)
      let url = toCallbackUrl(await beginSignIn(browser, { callbackUrl: '/deep' }), 'alice')
      if (method === 'form post') {
        const fields = Object.fromEntries(new URL(url).searchParams)
        const posted = await browser.post('/callback/passport', fields)
        url = posted.headers.get('location') ?? ''
      }
      expect((await browser.visit(url)).status).toBe(429)
      service.wait(30)
      const response = await browser.visit(url)
      expect(response.headers.get('location')).toBe(`${origin}/deep`)
      expect(await browser.json('/session')).toHaveProperty('user')
    },
  )

  test('are counted separately from emails', async () => {
    const limits = { callbacksPerClient: once, mailsPerClient: once, mailsPerAddress: once }
    const browser = createBrowserAt(serveMail({ limits }), '192.0.2.1')
    expect((await sendCallback(browser)).status).toBe(302)
    expect((await requestEmail(browser)).status).toBe(302)
    expect((await sendCallback(browser)).status).toBe(429)
  })
})

describe('the option limits', () => {
  test('false turns a limit off', async () => {
    const service = serveMail({
      limits: {
        mailsPerAddress: false,
        mailsPerClient: false,
        linkMailsPerAddress: false,
        linkMailsPerUser: false,
        startsPerClient: false,
        callbacksPerClient: false,
      },
    })
    const browser = createBrowserAt(service, '192.0.2.1')
    for (let i = 0; i < 22; i++) expect((await requestEmail(browser)).status).toBe(302)
    for (let i = 0; i < 62; i++) expect((await sendCallback(browser)).status).toBe(302)
    await signIn(browser)
    for (let i = 0; i < 5; i++) {
      expect((await requestEmail(browser, undefined, { link: 'true' })).status).toBe(302)
    }
  })

  test('times and window replace the defaults', async () => {
    const { browse, wait } = serveMail({ limits: { mailsPerAddress: { times: 2, window: 30 } } })
    const getStatus = async (): Promise<number> => (await requestEmail(browse())).status
    expect([await getStatus(), await getStatus(), await getStatus()]).toEqual([302, 302, 429])
    wait(30)
    expect(await getStatus()).toBe(302)
  })

  test('a missing limit keeps its default', async () => {
    const { limiter, taken } = createRecordingLimiter()
    const service = serveMail({ limiter, limits: { mailsPerClient: once } })
    const browser = createBrowserAt(service, '192.0.2.1')
    await requestEmail(browser)
    await sendCallback(browser)
    expect(taken.map(({ limit }) => limit)).toEqual([
      { times: 60, window: 60 },
      once,
      { times: 5, window: 600 },
      { times: 60, window: 60 },
      { times: 60, window: 60 },
    ])
  })

  test('an undefined limit keeps its default', async () => {
    const limits = { mailsPerAddress: undefined } as unknown as LimitsOptions
    const { browse } = serveMail({ limits })
    for (let i = 0; i < 5; i++) expect((await requestEmail(browse())).status).toBe(302)
    expect((await requestEmail(browse())).status).toBe(429)
  })

  test.each<[string, unknown]>([
    ['mailsPerAddress', { times: 0, window: 60 }],
    ['mailsPerAddress', { times: 1.5, window: 60 }],
    ['mailsPerAddress', { times: '5', window: 60 }],
    ['mailsPerClient', { times: 5, window: 0 }],
    ['mailsPerClient', { times: 5 }],
    ['mailsPerClient', { times: 5, window: Infinity }],
    ['callbacksPerClient', { times: -1, window: 60 }],
    ['callbacksPerClient', { times: NaN, window: 60 }],
    ['callbacksPerClient', true],
    ['callbacksPerClient', 60],
    ['callbacksPerClient', null],
    ['linkMailsPerUser', { times: 0, window: 60 }],
    ['linkMailsPerAddress', 2],
    ['startsPerClient', {}],
    ['signInsPerClient', { times: 5, window: 60 }],
    ['constructor', { times: 5, window: 60 }],
  ])('%s: %j is refused at start-up with its name', (name, limit) => {
    const limits = { [name]: limit } as LimitsOptions
    expect(getConfigError(() => ({ limits }))?.[0]).toBe(`limits.${name}`)
  })

  test('a limiter without take() is refused at start-up', () => {
    expect(getConfigError(() => ({ limiter: {} as Limiter }))?.[0]).toBe('limiter')
  })
})

test('sign-ins with providers that send nothing are not limited as emails', async () => {
  const limits: LimitsOptions = { mailsPerClient: once, mailsPerAddress: once }
  const service = serve({ limits, providers: [passport()] })
  const browser = createBrowserAt(service, '192.0.2.1')
  for (let i = 0; i < 3; i++)
    expect((await beginSignIn(browser)).origin).toBe('https://idp.example')
})
