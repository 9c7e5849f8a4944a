import { describe, expect, test } from 'vitest'
import { credentials } from '@latchkey/core/providers/credentials'
import { email } from '@latchkey/core/providers/email'
import { de } from '@latchkey/core/languages/de'
import { memoryStorage } from '@latchkey/core/memory'
import { base, passport, serve } from './support/service.ts'

/** Texts that a pattern or a loop can stumble over when they are repeated. */
const pieces = [
  'a',
  '/a',
  '://a',
  '.0',
  '-',
  ' a',
  '\ta',
  ',a;q=',
  '=',
  '@a',
  '<a',
  '[::',
  '%41',
  '&',
]
const SHORT = 7500
const TIMES = 8
/** Linear work is `TIMES` as much, quadratic work `TIMES ** 2`. */
const MOST = TIMES * 4
/** Milliseconds below which a measurement says nothing. */
const LEAST = 1

const { auth, browse } = serve({
  storage: memoryStorage(),
  messages: { de },
  trustedOrigins: ['https://www.app.example'],
  limits: { credentialsPerName: false, startsPerClient: false, mailsPerAddress: false },
  providers: [
    passport(),
    email({ mailer: { send: async () => undefined }, from: 'a@b.example', code: true }),
    credentials({ fields: { username: { label: 'Name' } }, authorize: () => null }),
  ],
})

type Ask = (value: string) => Request

async function time(ask: Ask, value: string): Promise<number> {
  const request = ask(value)
  const start = performance.now()
  await auth.handle(request)
  return performance.now() - start
}

/** Returns the smallest ratio of several: a busy machine only ever makes a request slower. */
async function measure(ask: Ask, repeat: (length: number) => string): Promise<number> {
  let least = Infinity
  for (let i = 0; i < 25 && least > MOST; i++) {
    const short = await time(ask, repeat(SHORT))
    const long = await time(ask, repeat(SHORT * TIMES))
    least = Math.min(least, long / Math.max(short, LEAST))
  }
  return least
}

async function expectLinear(ask: Ask): Promise<void> {
  const repeats = pieces.map((piece) => (length: number) => piece.repeat(length / piece.length))
  const distinct = (length: number): string =>
    Array.from({ length: length / 6 }, (_, i) => `&${i.toString(36).padStart(5, '0')}`).join('')
  for (const repeat of [...repeats, distinct]) {
    await time(ask, repeat(10))
    expect(await measure(ask, repeat), repeat(20)).toBeLessThan(MOST)
  }
}

const encode = (value: string): string => value.replaceAll(/[\s<[]/g, encodeURIComponent)

describe('eight times the length takes about eight times the work (I-5.5)', () => {
  test.each(['/api/auth/', '/', '/signin/', '/api/auth/signin/'])(
    'a path after %s',
    async (path) => {
      await expectLinear((value) => new Request(new URL(base).origin + path + encode(value)))
    },
  )

  test.each([
    '/nowhere?',
    '/signin?callbackUrl=',
    '/session?',
    '/error?error=',
    '/signout?state=',
    '/verify-request?provider=',
    '/callback/passport?state=',
    '/callback/passport?state=a&code=',
    '/callback/email?token=',
    '/callback/email?token=a&email=',
  ])('a query after %s', async (path) => {
    await expectLinear((value) => new Request(base + path + encode(value)))
  })

  test.each([
    'accept',
    'accept-language',
    'access-control-request-method',
    'cookie',
    'content-length',
    'content-type',
    'origin',
    'purpose',
    'sec-fetch-dest',
    'sec-fetch-mode',
    'sec-fetch-site',
    'sec-purpose',
    'user-agent',
    'x-auth-return-redirect',
  ])('the header %s', async (name) => {
    for (const [method, path] of [
      ['GET', '/nowhere'],
      ['GET', '/signin'],
      ['GET', '/session'],
      ['GET', '/callback/email?token=a&email=a@b.example'],
      ['POST', '/signin/credentials'],
      ['OPTIONS', '/session'],
    ] as const) {
      const headers = (value: string): HeadersInit => ({ [name]: value.trim() || 'a' })
      await expectLinear((value) => new Request(base + path, { method, headers: headers(value) }))
    }
  })

  test.each(['session', 'session.0', 'csrf', 'flow', 'flow.a', 'ended', 'known.email', 'logout'])(
    'the cookie %s',
    async (name) => {
      const cookie = (value: string): HeadersInit => ({
        cookie: `__Host-latchkey.${name}=${value}; ${value}`,
      })
      const ask = (path: string) => (value: string) =>
        new Request(base + path, { headers: cookie(value) })
      for (const path of ['/session', '/signout', '/callback/email?token=a&email=a@b.example'])
        await expectLinear(ask(path))
    },
  )

  test.each([
    ['/signin/credentials', 'username'],
    ['/signin/credentials', 'csrfToken'],
    ['/signin/email', 'email'],
    ['/signin/email', 'callbackUrl'],
    ['/callback/email', 'code'],
    ['/callback/email', 'token'],
    ['/signin/passport', 'login_hint'],
    ['/signout', 'callbackUrl'],
    ['/session', 'unknown'],
  ])('in a form for %s, the field %s', async (path, name) => {
    const browser = browse()
    const csrfToken = await browser.csrfToken()
    const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ')
    const toBody = (value: string): URLSearchParams =>
      // A body has at most 64 KiB once it is encoded.
      new URLSearchParams({ csrfToken, email: 'a@b.example', [name]: value.slice(0, 20_000) })
    await expectLinear(
      (value) =>
        new Request(base + path, { method: 'POST', headers: { cookie }, body: toBody(value) }),
    )
  })
})
