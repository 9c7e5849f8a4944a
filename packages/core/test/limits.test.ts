import { ConfigurationError } from '@latchkey/core'
import type { AuthConfig, Limit, Limiter, LimitsOptions, Storage } from '@latchkey/core'
import { memoryLimiter, storageLimiter, workersLimiter } from '@latchkey/core/limiters'
import type { RateLimit } from '@latchkey/core/limiters'
import { memoryStorage } from '@latchkey/core/memory'
import { Browser } from '@latchkey/core/testing/browser'
import { describe, expect, test } from 'vitest'
import { ask, serveMail } from './support/mailbox.ts'
import { back, base, begin, origin, passport, refusedAt, serve, signIn } from './support/service.ts'
import type { TestService } from './support/service.ts'

const sentence = 'Too many attempts. Wait a while and try again.'
const once: Limit = { times: 1, window: 600 }
const oncePerClient: LimitsOptions = { mailsPerClient: once, mailsPerAddress: false }

/** A new person's browser whose host says where it is. */
function browserAt<Session>(
  { auth }: Pick<TestService<Session>, 'auth'>,
  address: string | undefined,
): Browser {
  return new Browser((request) => auth.handle(request, { clientIp: () => address }), base)
}

/** The statuses of so many requests for a mail, each for another address. */
async function askOften(browser: Browser, times: number): Promise<number[]> {
  const statuses: number[] = []
  for (let i = 0; i < times; i++) {
    statuses.push((await ask(browser, `person${i}@example.com`)).status)
  }
  return statuses
}

/** The statuses of mails that clients at these addresses ask for, in turn. */
async function askFrom(
  service: Pick<TestService<unknown>, 'auth'>,
  addresses: readonly string[],
): Promise<number[]> {
  const statuses: number[] = []
  for (const address of addresses) statuses.push((await ask(browserAt(service, address))).status)
  return statuses
}

/** A return that nobody waits for: it is refused, but counted. */
const strayReturn = (browser: Browser): Promise<Response> => browser.visit('/callback/passport')

/** What a limiter is asked. */
interface Taken {
  readonly key: string
  readonly limit: Limit
}

/** A limiter that writes down what it is asked, and never refuses. */
function listening(): { readonly limiter: Limiter; readonly taken: Taken[] } {
  const taken: Taken[] = []
  const limiter: Limiter = {
    async take(key, limit) {
      taken.push({ key, limit })
      return 0
    },
  }
  return { limiter, taken }
}

describe('mails to one address (I-32)', () => {
  test('are five in ten minutes; the sixth is refused, and not sent', async () => {
    const { browse, mailbox } = serveMail()
    for (let i = 0; i < 5; i++) expect((await ask(browse())).status).toBe(302)
    expect((await ask(browse())).status).toBe(429)
    expect(mailbox.mails).toHaveLength(5)
  })

  test('the refusal says in whole seconds when to come back, and then it works', async () => {
    const { browse, mailbox, wait } = serveMail({ limits: { mailsPerAddress: once } })
    await ask(browse())
    const retryAfter = (await ask(browse())).headers.get('retry-after') ?? ''
    expect(retryAfter).toMatch(/^[1-9]\d*$/)
    expect(Number(retryAfter)).toBeLessThanOrEqual(600)
    wait(Number(retryAfter) - 60)
    expect((await ask(browse())).status).toBe(429)
    wait(60)
    expect((await ask(browse())).status).toBe(302)
    expect(mailbox.mails).toHaveLength(2)
  })

  test('a browser sees the sign-in page with a plain sentence', async () => {
    const { browse } = serveMail({ limits: { mailsPerAddress: once } })
    const browser = browse()
    await ask(browser)
    const response = await ask(browser)
    expect(response.status).toBe(429)
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const page = await response.text()
    expect(page).toContain(sentence)
    expect(page).toContain(`action="${base}/signin/email"`)
  })

  test('an application sees the code in JSON', async () => {
    const { browse } = serveMail({ limits: { mailsPerAddress: once } })
    await ask(browse())
    const response = await ask(browse(), 'alice@example.com', { json: 'true' })
    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    expect(await response.json()).toEqual({
      url: `${base}/signin?error=RateLimited`,
      error: 'RateLimited',
      message: sentence,
    })
  })

  test('begin no flow when refused', async () => {
    const { browse } = serveMail({ limits: { mailsPerAddress: once } })
    await ask(browse())
    const browser = browse()
    await ask(browser)
    expect([...browser.cookies.keys()]).toEqual(['__Host-latchkey.csrf'])
  })

  test('are counted together however the address is written', async () => {
    const { browse } = serveMail({ limits: { mailsPerAddress: once } })
    expect((await ask(browse(), 'alice@example.com')).status).toBe(302)
    expect((await ask(browse(), 'Alice@EXAMPLE.com')).status).toBe(429)
    expect((await ask(browse(), '\uff41lice@example.com')).status).toBe(429)
  })

  test('leave other addresses alone', async () => {
    const { browse } = serveMail({ limits: { mailsPerAddress: once } })
    await ask(browse(), 'alice@example.com')
    expect((await ask(browse(), 'bob@example.com')).status).toBe(302)
  })

  test('are limited alike whether the address is known or not (I-29)', async () => {
    const { browse } = serveMail({ limits: { mailsPerAddress: once } })
    await signIn(browse(), 'known')
    const answers = async (address: string): Promise<unknown[]> => {
      const answered: unknown[] = []
      for (let i = 0; i < 2; i++) {
        const response = await ask(browse(), address, { json: 'true' })
        const headers = [...response.headers.keys()].toSorted()
        answered.push([response.status, headers, await response.json()])
      }
      return answered
    }
    expect(await answers('known@example.com')).toEqual(await answers('unknown@example.com'))
  })

  test('are not counted where the form is not our own, or no address is in it', async () => {
    const { browse } = serveMail({ limits: { mailsPerAddress: once, mailsPerClient: once } })
    const browser = browse()
    const email = 'alice@example.com'
    expect((await browser.post('/signin/email', { email, csrfToken: 'forged' })).status).toBe(403)
    await ask(browser, 'alice')
    expect((await ask(browser, email)).status).toBe(302)
  })
})

describe('mails that one client asks for (I-32)', () => {
  test('are twenty in ten minutes, whoever they are for', async () => {
    const service = serveMail()
    const statuses = await askOften(browserAt(service, '192.0.2.1'), 22)
    expect(statuses).toEqual([...Array<number>(20).fill(302), 429, 429])
    expect(service.mailbox.mails).toHaveLength(20)
  })

  test('are counted for the client, not for the browser; another client is another one', async () => {
    const service = serveMail({ limits: oncePerClient })
    const clients = ['192.0.2.1', '192.0.2.1', '192.0.2.2', '192.0.2.2']
    expect(await askFrom(service, clients)).toEqual([302, 429, 302, 429])
  })

  test('can be asked for again when the window is over', async () => {
    const service = serveMail({ limits: oncePerClient })
    const browser = browserAt(service, '192.0.2.1')
    expect(await askOften(browser, 2)).toEqual([302, 429])
    service.wait(600)
    expect(await askOften(browser, 2)).toEqual([302, 429])
  })

  test('are not limited where the host does not know the client', async () => {
    const service = serveMail({ limits: { mailsPerClient: once } })
    for (const browser of [service.browse(), browserAt(service, undefined)]) {
      expect(await askOften(browser, 3)).toEqual([302, 302, 302])
    }
  })

  test.each([
    'x-forwarded-for',
    'forwarded',
    'x-real-ip',
    'cf-connecting-ip',
    'true-client-ip',
    'x-client-ip',
  ])('the header %s says nothing about the client (I-2)', async (header) => {
    const service = serveMail({ limits: oncePerClient })
    const asked = (browser: Browser, address: string, i: number): Promise<Response> =>
      browser.submit(
        '/signin/email',
        { email: `person${i}@example.com` },
        { headers: { [header]: header === 'forwarded' ? `for=${address}` : address } },
      )
    const unknown = service.browse()
    expect((await asked(unknown, '203.0.113.1', 1)).status).toBe(302)
    expect((await asked(unknown, '203.0.113.1', 2)).status).toBe(302)
    const known = browserAt(service, '192.0.2.1')
    expect((await asked(known, '203.0.113.3', 3)).status).toBe(302)
    expect((await asked(known, '203.0.113.4', 4)).status).toBe(429)
  })

  test.each([
    ['of one /64', '2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
    ['of one /64, written differently', '2001:DB8::1', '2001:0db8:0:0:5:6:7:8'],
    ['with and without a zone', 'fe80::1%eth0', 'fe80::2'],
    ['mapped from IPv4', '192.0.2.1', '::ffff:192.0.2.1'],
    ['mapped from IPv4, in capitals', '192.0.2.1', '::FFFF:192.0.2.1'],
    ['mapped from IPv4, in hexadecimal', '192.0.2.1', '::ffff:c000:201'],
    ['mapped from IPv4, in full', '192.0.2.1', '0:0:0:0:0:ffff:192.0.2.1'],
  ])('addresses %s are one client', async (_, one, other) => {
    expect(await askFrom(serveMail({ limits: oncePerClient }), [one, other])).toEqual([302, 429])
  })

  test.each([
    ['of two /64', '2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['of two /64, shortened', '2001:db8::1', '2001:db8:0:1::1'],
    ['of IPv4 next to each other', '192.0.2.1', '192.0.2.2'],
    ['mapped from two of IPv4', '::ffff:192.0.2.1', '::ffff:192.0.2.2'],
    ['mapped from two of IPv4, in hexadecimal', '::ffff:c000:201', '::ffff:c000:202'],
  ])('addresses %s are two clients', async (_, one, other) => {
    expect(await askFrom(serveMail({ limits: oncePerClient }), [one, other])).toEqual([302, 302])
  })
})

describe('returns from one client (I-32)', () => {
  test('are sixty a minute; then the page says so', async () => {
    const service = serve()
    const browser = browserAt(service, '192.0.2.1')
    for (let i = 0; i < 60; i++) {
      expect(refusedAt(await strayReturn(browser)).error).toBe('OAuthCallback')
    }
    const response = await strayReturn(browser)
    expect(response.status).toBe(429)
    expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d?$/)
    expect(await response.text()).toContain(sentence)
  })

  test('are counted for each client apart, and not at all for an unknown one', async () => {
    const service = serve({ limits: { callbacksPerClient: once } })
    const [one, other, unknown] = [
      browserAt(service, '192.0.2.1'),
      browserAt(service, '192.0.2.2'),
      service.browse(),
    ]
    const statuses: number[] = []
    for (const browser of [one, one, other, unknown, unknown]) {
      statuses.push((await strayReturn(browser)).status)
    }
    expect(statuses).toEqual([302, 429, 302, 302, 302])
  })

  test('are navigations: what a page embeds is refused, and not counted', async () => {
    const service = serve({ limits: { callbacksPerClient: { times: 1, window: 60 } } })
    const browser = browserAt(service, '192.0.2.1')
    const away = await begin(browser)
    for (const destination of ['image', 'iframe', 'script']) {
      const headers = { 'sec-fetch-dest': destination }
      expect((await browser.visit('/callback/passport?code=x', { headers })).status).toBe(302)
    }
    const headers = { 'sec-fetch-dest': 'document' }
    await browser.visit(back(away, 'alice'), { headers })
    expect(await browser.json('/session')).toHaveProperty('user')
  })

  test('count however they come; a HEAD does not (I-5)', async () => {
    const service = serve({ limits: { callbacksPerClient: { times: 2, window: 60 } } })
    const browser = browserAt(service, '192.0.2.1')
    for (let i = 0; i < 3; i++) await browser.visit('/callback/passport', { method: 'HEAD' })
    expect((await browser.submit('/callback/passport')).status).toBe(302)
    // A return that an identity provider posts counts when its GET comes.
    const bounced = await browser.post('/callback/passport', { code: 'alice' })
    expect(
      (await browser.follow(bounced, ({ pathname }) => pathname.endsWith('/signin'))).status,
    ).toBe(302)
    const response = await browser.submit('/callback/passport', { json: 'true' })
    expect(response.status).toBe(429)
    expect(await response.json()).toMatchObject({ error: 'RateLimited', message: sentence })
  })

  test('that are refused lose nothing: the same return signs in when the minute is over', async () => {
    const service = serve({ limits: { callbacksPerClient: { times: 1, window: 60 } } })
    const browser = browserAt(service, '192.0.2.1')
    const away = await begin(browser, { callbackUrl: '/deep' })
    await strayReturn(browser)
    expect((await browser.visit(back(away, 'alice'))).status).toBe(429)
    service.wait(60)
    const response = await browser.visit(back(away, 'alice'))
    expect(response.headers.get('location')).toBe(`${origin}/deep`)
    expect(await browser.json('/session')).toHaveProperty('user')
  })

  test('are counted apart from mails', async () => {
    const limits = { callbacksPerClient: once, mailsPerClient: once, mailsPerAddress: once }
    const browser = browserAt(serveMail({ limits }), '192.0.2.1')
    expect((await strayReturn(browser)).status).toBe(302)
    expect((await ask(browser)).status).toBe(302)
    expect((await strayReturn(browser)).status).toBe(429)
  })
})

describe('the option limits', () => {
  test('false lifts a limit', async () => {
    const service = serveMail({
      limits: { mailsPerAddress: false, mailsPerClient: false, callbacksPerClient: false },
    })
    const browser = browserAt(service, '192.0.2.1')
    for (let i = 0; i < 22; i++) expect((await ask(browser)).status).toBe(302)
    for (let i = 0; i < 62; i++) expect((await strayReturn(browser)).status).toBe(302)
  })

  test('own numbers count', async () => {
    const { browse, wait } = serveMail({ limits: { mailsPerAddress: { times: 2, window: 30 } } })
    const asked = async (): Promise<number> => (await ask(browse())).status
    expect([await asked(), await asked(), await asked()]).toEqual([302, 302, 429])
    wait(30)
    expect(await asked()).toBe(302)
  })

  test('what it leaves out keeps its default', async () => {
    const { limiter, taken } = listening()
    const service = serveMail({ limiter, limits: { mailsPerClient: once } })
    const browser = browserAt(service, '192.0.2.1')
    await ask(browser)
    await strayReturn(browser)
    expect(taken.map(({ limit }) => limit)).toEqual([
      once,
      { times: 5, window: 600 },
      { times: 60, window: 60 },
    ])
  })

  test('undefined is as if it were left out', async () => {
    const limits = { mailsPerAddress: undefined } as unknown as LimitsOptions
    const { browse } = serveMail({ limits })
    for (let i = 0; i < 5; i++) expect((await ask(browse())).status).toBe(302)
    expect((await ask(browse())).status).toBe(429)
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
    ['signInsPerClient', { times: 5, window: 60 }],
    ['constructor', { times: 5, window: 60 }],
  ])('%s: %j is refused at start-up, by name', (name, limit) => {
    const limits = { [name]: limit } as LimitsOptions
    expect(refusedOption({ limits })).toBe(`limits.${name}`)
  })

  test('a limiter that cannot count is refused at start-up, by name', () => {
    expect(refusedOption({ limiter: {} as Limiter })).toBe('limiter')
  })
})

/** The option that a configuration is refused for; undefined where it is taken. */
function refusedOption(config: Partial<AuthConfig>): string | undefined {
  try {
    serve(config)
    return undefined
  } catch (thrown) {
    if (thrown instanceof ConfigurationError) return thrown.option
    throw thrown
  }
}

describe('the option limiter', () => {
  test('is asked with hashes: no address of anybody stands in a key', async () => {
    const { limiter, taken } = listening()
    const browser = browserAt(serveMail({ limiter }), '192.0.2.1')
    await ask(browser)
    await strayReturn(browser)
    const keys = taken.map(({ key }) => key)
    expect(keys).toHaveLength(3)
    expect(new Set(keys).size).toBe(3)
    for (const key of keys) expect(key).toMatch(/^[\w-]{43}$/)
  })

  test('is asked with the same key for the same client and limit, and the time in seconds', async () => {
    const times: number[] = []
    const keys = new Set<string>()
    const limiter: Limiter = {
      async take(key, _, now) {
        keys.add(key)
        times.push(now)
        return 0
      },
    }
    const now = Date.UTC(2030, 0, 1, 12)
    const service = serve({ limiter, runtime: { now: () => now + 999 } })
    for (let i = 0; i < 3; i++) await strayReturn(browserAt(service, '192.0.2.1'))
    expect(keys.size).toBe(1)
    expect(times).toEqual(Array(3).fill(now / 1000))
  })

  test('decides alone: what it says is the answer', async () => {
    const { browse, mailbox } = serveMail({ limiter: { take: async () => 17 } })
    const response = await ask(browse())
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '17'])
    expect(mailbox.mails).toEqual([])
  })

  test('parts of a second are rounded up: Retry-After knows whole ones (RFC 9110)', async () => {
    const { browse } = serveMail({ limiter: { take: async () => 0.25 } })
    expect((await ask(browse())).headers.get('retry-after')).toBe('1')
  })

  test.each<[string, Limiter]>([
    ['rejects', { take: () => Promise.reject(new Error('secret detail')) }],
    [
      'throws',
      {
        take: () => {
          throw new Error('secret detail')
        },
      },
    ],
  ])('one that %s: 503, nothing is sent, and its text stays here', async (_, limiter) => {
    const { browse, mailbox, lines } = serveMail({ limiter })
    const response = await ask(browse(), 'alice@example.com', { json: 'true' })
    const text = await response.text()
    expect(response.status).toBe(503)
    expect(JSON.parse(text)).toMatchObject({ error: 'Unavailable' })
    expect(text).not.toContain('secret')
    expect(mailbox.mails).toEqual([])
    expect(lines).toEqual([
      {
        level: 'error',
        message: 'the limiter has failed',
        details: expect.objectContaining({
          error: 'Unavailable',
          causes: ['Error: secret detail'],
        }),
      },
    ])
  })

  test('one that fails at a return: 503, and nobody is signed in', async () => {
    let fails = false
    const limiter: Limiter = {
      take: async () => {
        if (fails) throw new Error('secret detail')
        return 0
      },
    }
    const service = serve({ limiter })
    const browser = browserAt(service, '192.0.2.1')
    const away = await begin(browser)
    fails = true
    const response = await browser.visit(back(away, 'alice'))
    expect(response.status).toBe(503)
    expect(await response.text()).not.toContain('secret')
    fails = false
    expect(await browser.json('/session')).toEqual({})
    expect((await browser.visit(back(away, 'alice'))).headers.get('location')).toBe(origin)
  })

  test('is not asked for what is not limited', async () => {
    const { limiter, taken } = listening()
    const limits = { mailsPerAddress: false, mailsPerClient: false } as const
    await ask(browserAt(serveMail({ limiter, limits }), '192.0.2.1'))
    expect(taken).toEqual([])
  })
})

describe('two services', () => {
  const limits: LimitsOptions = { mailsPerAddress: once }
  const statuses = async (over: readonly Partial<AuthConfig>[]): Promise<number[]> => {
    const asked: number[] = []
    for (const each of over) asked.push((await ask(serveMail({ limits, ...each }).browse())).status)
    return asked
  }

  test('on one storage count together', async () => {
    const storage = memoryStorage()
    expect(await statuses([{ storage }, { storage }])).toEqual([302, 429])
  })

  test('with a memoryLimiter each count on their own', async () => {
    const storage = memoryStorage()
    const each = (): Partial<AuthConfig> => ({ storage, limiter: memoryLimiter() })
    expect(await statuses([each(), each()])).toEqual([302, 302])
  })

  test('on a storage that cannot count, count on their own', async () => {
    const storage: Storage = {
      ...memoryStorage(),
      capabilities: ['sessions', 'verificationTokens'],
      increment: () => Promise.reject(new Error('it cannot count')),
    }
    const service = serveMail({ limits, storage })
    expect((await ask(service.browse())).status).toBe(302)
    expect((await ask(service.browse())).status).toBe(429)
    expect(await statuses([{ storage }])).toEqual([302])
  })

  test('with a storageLimiter count together, wherever the users are', async () => {
    const limiter = storageLimiter(memoryStorage())
    expect(await statuses([{ limiter }, { limiter }])).toEqual([302, 429])
  })

  test('a storage that cannot count at this moment: 503, and nothing is sent', async () => {
    const storage = {
      ...memoryStorage(),
      increment: () => Promise.reject(new Error('secret detail')),
    }
    const { browse, mailbox } = serveMail({ storage })
    const response = await ask(browse())
    expect(response.status).toBe(503)
    expect(await response.text()).not.toContain('secret')
    expect(mailbox.mails).toEqual([])
  })
})

describe('workersLimiter', () => {
  /** The binding as Cloudflare documents it: so many of a key in one period, here an endless one. */
  function binding(times: number): RateLimit & { readonly keys: string[] } {
    const keys: string[] = []
    return {
      keys,
      async limit({ key }) {
        keys.push(key)
        return { success: keys.filter((each) => each === key).length <= times }
      },
    }
  }

  test('counts as its binding says, and waits for its period', async () => {
    const limits = binding(2)
    const service = serveMail({ limiter: workersLimiter(limits) })
    const asked = (): Promise<Response> => ask(service.browse())
    expect([(await asked()).status, (await asked()).status]).toEqual([302, 302])
    const response = await asked()
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '60'])
    expect(service.mailbox.mails).toHaveLength(2)
    expect(limits.keys).toHaveLength(3)
  })

  test('says another period where the binding has one', async () => {
    const { browse } = serveMail({ limiter: workersLimiter(binding(0), 10) })
    expect((await ask(browse())).headers.get('retry-after')).toBe('10')
  })

  test('counts each client and each address under a key of its own', async () => {
    const limits = binding(1)
    const service = serveMail({ limiter: workersLimiter(limits) })
    expect((await ask(browserAt(service, '192.0.2.1'), 'alice@example.com')).status).toBe(302)
    expect((await ask(browserAt(service, '192.0.2.2'), 'bob@example.com')).status).toBe(302)
    expect(new Set(limits.keys).size).toBe(4)
  })

  test('a binding that fails: 503, and nothing is sent', async () => {
    const limiter = workersLimiter({ limit: () => Promise.reject(new Error('secret detail')) })
    const { browse, mailbox } = serveMail({ limiter })
    expect((await ask(browse())).status).toBe(503)
    expect(mailbox.mails).toEqual([])
  })
})

test('providers that send nothing are asked for as often as one likes', async () => {
  const limits: LimitsOptions = { mailsPerClient: once, mailsPerAddress: once }
  const service = serve({ limits, providers: [passport()] })
  const browser = browserAt(service, '192.0.2.1')
  for (let i = 0; i < 3; i++) expect((await begin(browser)).origin).toBe('https://idp.example')
})
