import type { Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import type { Browser } from '@latchkey/testing/browser'
import { describe, expect, test } from 'vitest'
import { requestEmail, serveMail, submitForm } from './support/mailbox.ts'
import {
  base,
  getFlowCookies,
  getRedirect,
  origin,
  random,
  toCookieHeader,
} from './support/service.ts'

/** Returns a code with the digits of a script. */
function toDigits(code: string, zero: number): string {
  return Array.from(code, (digit) => String.fromCodePoint(zero + Number(digit))).join('')
}

describe('the eight-digit code (I-31)', () => {
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
    expect(page).toContain('eight-digit code')
    const response = await browser.submit('/callback/email', { code: mailbox.getCode() })
    expect(response.headers.get('location')).toBe(`${origin}/inbox`)
    expect(await browser.json('/session')).toMatchObject({ user: { email: 'alice@example.com' } })
    expect(getFlowCookies(browser)).toEqual([])
  })

  test.each([
    ['a space', (code: string) => `${code.slice(0, 4)} ${code.slice(4)}`],
    ['a dash', (code: string) => `${code.slice(0, 4)}\u2013${code.slice(4)} `],
    ['full-width digits', (code: string) => toDigits(code, 0xff10)],
    ['Arabic digits', (code: string) => toDigits(code, 0x660)],
    ['Persian digits', (code: string) => toDigits(code, 0x6f0)],
    ['Devanagari digits', (code: string) => toDigits(code, 0x966)],
    ['digits of two UTF-16 units', (code: string) => toDigits(code, 0x1e950)],
  ])('may be typed with %s, and the field lets it through (I-31.10)', async (_, spell) => {
    const { browse, mailbox } = serveMail({}, withCode)
    const browser = browse()
    await requestEmail(browser)
    const page = await (await browser.visit('/verify-request?provider=email&type=email')).text()
    const [, pattern = '', length] = /pattern="([^"]+)"\s+maxlength="(\d+)"/.exec(page) ?? []
    const code = spell(mailbox.getCode())
    // As browsers do (HTML §4.10.5.3.6).
    expect(new RegExp(`^(?:${pattern})$`, 'v').test(code)).toBe(true)
    expect(new RegExp(`^(?:${pattern})$`, 'v').test(`${code}1`)).toBe(false)
    expect(code.length).toBeLessThanOrEqual(Number(length))
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
    String((Number(code) + 1) % 100_000_000).padStart(8, '0')

  /** Types wrong codes, then the right code of the last email, and returns the reply to that. */
  const submitAfterWrong = async (
    { browse, mailbox }: ReturnType<typeof serveMail>,
    tries: number,
    prepare: (browser: Browser, cookies: ReadonlyMap<string, string>) => void = () => undefined,
  ): Promise<readonly [Browser, Response]> => {
    const browser = browse()
    await requestEmail(browser)
    const cookies = new Map(browser.cookies)
    const code = mailbox.getCode()
    for (let i = 0; i < tries; i++) {
      await browser.submit('/callback/email', { code: toWrongCode(code) })
    }
    prepare(browser, cookies)
    return [browser, await browser.submit('/callback/email', { code })]
  }

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
    const service = serveMail({}, withCode)
    const { browse, mailbox } = service
    const [, inTime] = await submitAfterWrong(service, 4)
    expect(inTime.headers.get('location')).toBe(origin)
    const [browser, late] = await submitAfterWrong(service, 5)
    expect(getRedirect(late).error).toBe('Verification')
    const other = browse()
    const page = await (await other.visit(mailbox.getLink().href)).text()
    expect(getRedirect(await submitForm(other, page)).error).toBe('Verification')
    expect(await browser.json('/session')).toEqual({})
  })

  test('a copy of the flow cookie gives no further attempts', async () => {
    const service = serveMail({}, withCode)
    const restore = ({ cookies }: Browser, copy: ReadonlyMap<string, string>): void => {
      for (const [name, value] of copy) cookies.set(name, value)
    }
    const [, inTime] = await submitAfterWrong(service, 4, restore)
    expect(inTime.headers.get('location')).toBe(origin)
    const [, late] = await submitAfterWrong(service, 5, restore)
    expect(getRedirect(late).error).toBe('Verification')
  })

  test.each([
    [4, 1],
    [199, 0],
  ])('of concurrent guesses five count: after %i, the right code signs in %i', async (...row) => {
    const [wrong, expected] = row
    const { browse, mailbox } = serveMail({ limits: { callbacksPerClient: false } }, withCode)
    const browser = browse()
    await requestEmail(browser)
    const csrfToken = await browser.csrfToken()
    const right = mailbox.getCode()
    const guesses = Array.from({ length: wrong + 1 }, (_, i) => String(i).padStart(8, '0'))
    const codes = [...guesses.filter((guess) => guess !== right).slice(0, wrong), right]
    const cookie = toCookieHeader(browser)
    const answers = await Promise.all(
      codes.map((code) =>
        browse().post('/callback/email', { code, csrfToken }, { headers: { cookie } }),
      ),
    )
    const signedIn = answers.filter(({ headers }) =>
      headers.getSetCookie().some((line) => line.includes('latchkey.session=')),
    )
    expect(signedIn).toHaveLength(expected)
  })

  test('of 50 simultaneous uses of the right code, with its link, one signs in', async () => {
    const limits = { callbacksPerClient: false } as const
    const { browse, mailbox } = serveMail({ limits }, withCode)
    const browser = browse()
    await requestEmail(browser)
    const csrfToken = await browser.csrfToken()
    const code = mailbox.getCode()
    const headers = { cookie: toCookieHeader(browser) }
    const uses = Array.from({ length: 50 }, (_, i) =>
      i % 2 === 0
        ? browse().post('/callback/email', { code, csrfToken }, { headers })
        : browse().visit(mailbox.getLink().href, { headers }),
    )
    const signedIn = (await Promise.all(uses)).filter((answer) =>
      answer.headers.getSetCookie().some((line) => line.includes('latchkey.session=')),
    )
    expect(signedIn).toHaveLength(1)
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

  describe('beyond the codes per hour of all email addresses', () => {
    const limits = { callbacksPerClient: false } as const

    test('codes are refused for every email address, and accepted again after an hour', async () => {
      const { browse, mailbox, wait } = serveMail({ limits }, { code: true, codesPerHour: 3 })
      for (const address of ['a@example.com', 'b@example.com', 'c@example.com']) {
        const attacker = browse()
        await requestEmail(attacker, address)
        await attacker.submit('/callback/email', { code: toWrongCode(mailbox.getCode()) })
      }
      const browser = browse()
      await requestEmail(browser)
      const refused = await browser.submit('/callback/email', {
        code: mailbox.getCode(),
        json: 'true',
      })
      expect([refused.status, await refused.json()]).toMatchObject([429, { error: 'RateLimited' }])
      const retryAfter = Number(refused.headers.get('retry-after'))
      expect(retryAfter).toBeGreaterThan(3500)
      wait(retryAfter)
      await requestEmail(browser)
      const accepted = await browser.submit('/callback/email', { code: mailbox.getCode() })
      expect(accepted.headers.get('location')).toBe(origin)
    })

    test('links keep working, also after more than five refused codes', async () => {
      const { browse, mailbox } = serveMail({ limits }, { code: true, codesPerHour: 1 })
      const browser = browse()
      await requestEmail(browser)
      for (let tries = 0; tries < 8; tries++) {
        await browser.submit('/callback/email', { code: mailbox.getCode().replaceAll(/\d/g, 'x') })
      }
      const other = browse()
      await requestEmail(other, 'bob@example.com')
      for (let tries = 0; tries < 8; tries++) {
        await other.submit('/callback/email', { code: mailbox.getCode() })
      }
      expect(await other.json('/session')).toEqual({})
      const page = await (await other.visit(mailbox.getLink().href)).text()
      expect((await submitForm(other, page)).headers.get('location')).toBe(origin)
    })

    test('attempts that another limit refuses are not counted', async () => {
      const limitsOff = { mailsPerAddress: false, ...limits } as const
      const { browse, mailbox } = serveMail({ limits: limitsOff }, { code: true, codesPerHour: 31 })
      for (let mails = 0; mails < 8; mails++) {
        const browser = browse()
        await requestEmail(browser)
        for (let tries = 0; tries < 6; tries++) {
          await browser.submit('/callback/email', { code: toWrongCode(mailbox.getCode()) })
        }
      }
      const browser = browse()
      await requestEmail(browser, 'bob@example.com')
      const accepted = await browser.submit('/callback/email', { code: mailbox.getCode() })
      expect(accepted.headers.get('location')).toBe(origin)
    })

    test('there are a thousand an hour by default', async () => {
      const storage = memoryStorage()
      const windows = new Map<number, number>()
      const increment: Storage['increment'] = async (key, window, now) => {
        const { count, resetsAt } = await storage.increment(key, window, now)
        windows.set(window, (windows.get(window) ?? 0) + 1)
        return { count: window === 3600 ? count + 999 : count, resetsAt }
      }
      const { browse, mailbox } = serveMail({ storage: { ...storage, increment } }, withCode)
      const browser = browse()
      await requestEmail(browser)
      const wrong = await browser.submit('/callback/email', {
        code: toWrongCode(mailbox.getCode()),
      })
      expect(getRedirect(wrong).error).toBe('Verification')
      expect(windows.get(3600)).toBe(1)
      const beyond = await browser.submit('/callback/email', { code: mailbox.getCode() })
      expect(beyond.status).toBe(429)
    })

    test.each([0, -1, 1.5, Infinity, '5'])('codesPerHour: %s is refused at start-up', (codes) => {
      expect(() => serveMail({}, { codesPerHour: codes as number })).toThrow(
        'providers.email.codesPerHour: must be a positive integer',
      )
    })
  })

  test('the link still works, after which the code does not', async () => {
    const { browse, mailbox } = serveMail({}, withCode)
    const browser = browse()
    await requestEmail(browser)
    const copy = new Map(browser.cookies)
    const again = browse()
    for (const [name, value] of copy) again.cookies.set(name, value)
    expect((await browser.visit(mailbox.getLink().href)).headers.get('location')).toBe(origin)
    const response = await again.submit('/callback/email', { code: mailbox.getCode() })
    expect(getRedirect(response).error).toBe('Verification')
    await requestEmail(again)
    const accepted = await again.submit('/callback/email', { code: mailbox.getCode() })
    expect(accepted.headers.get('location')).toBe(origin)
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
      const response = await browser.visit(`/callback/email?${query}00000000`)
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
    const draw = (length: number) => pool.subarray(used, (used += length))
    const { browse, mailbox } = serveMail({ runtime: { random: draw } }, withCode)
    await requestEmail(browse())
    const first = mailbox.getCode()
    await requestEmail(browse())
    expect(mailbox.getCode()).not.toBe(first)
  })

  /** Serves codes whose random numbers of 32 bits are given; the last one repeats. */
  function serveDraws(...draws: readonly number[]): ReturnType<typeof serveMail> {
    const left = [...draws]
    const draw = (): Uint8Array<ArrayBuffer> => {
      const bytes = new Uint8Array(4)
      const next = (left.length > 1 ? left.shift() : left[0]) ?? 0
      new DataView(bytes.buffer).setUint32(0, next)
      return bytes
    }
    const runtime = { random: (length: number) => (length === 4 ? draw() : random(length)) }
    return serveMail({ runtime }, withCode)
  }

  test.each([
    [[0], '00000000'],
    [[7], '00000007'],
    [[4_199_999_999], '99999999'],
    [[4_200_000_000, 123_456_789], '23456789'],
    [[4_294_967_295, 4_200_000_001, 42], '00000042'],
  ])('is drawn without bias: the numbers %j make %s', async (draws, code) => {
    const { browse, mailbox } = serveDraws(...draws)
    await requestEmail(browse())
    expect(mailbox.getCode()).toBe(code)
  })

  test('a random source that is stuck ends in an error and not in an endless loop', async () => {
    const { browse, mailbox } = serveDraws(4_294_967_295)
    expect((await requestEmail(browse(), 'alice@example.com', { json: 'true' })).status).toBe(502)
    expect(mailbox.mails).toEqual([])
  })

  test('is not offered without the option', async () => {
    for (const [settings, error] of [
      [withCode, null],
      [{}, 'Verification'],
    ] as const) {
      const runtime = {
        random: (length: number) => (length === 4 ? new Uint8Array(4) : random(length)),
      }
      const { browse, mailbox } = serveMail({ runtime }, settings)
      const browser = browse()
      await requestEmail(browser)
      expect(/^\d{6,}$/m.test(mailbox.last.text)).toBe(error === null)
      const response = await browser.submit('/callback/email', { code: '00000000' })
      expect(getRedirect(response).error).toBe(error)
    }
  })
})
