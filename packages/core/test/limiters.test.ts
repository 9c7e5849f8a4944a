import type { AuthConfig, Limiter, LimitsOptions, Storage } from '@latchkey/core'
import { memoryLimiter, storageLimiter } from '@latchkey/core/limiters'
import { memoryStorage } from '@latchkey/core/memory'
import type { Browser } from '@latchkey/testing/browser'
import { describe, expect, test } from 'vitest'
import { createBrowserAt, createRecordingLimiter, once, sendCallback } from './support/limits.ts'
import { requestEmail, serveMail } from './support/mailbox.ts'
import { beginSignIn, origin, serve, toCallbackUrl } from './support/service.ts'

describe('the option limiter', () => {
  test('receives hashes: a key contains no IP address or email address', async () => {
    const { limiter, taken } = createRecordingLimiter()
    const browser = createBrowserAt(serveMail({ limiter }), '192.0.2.1')
    await requestEmail(browser)
    await sendCallback(browser)
    const keys = taken.map(({ key }) => key)
    expect(keys).toHaveLength(5)
    expect(new Set(keys).size).toBe(4)
    for (const key of keys) expect(key).toMatch(/^[\w-]{43}$/)
  })

  test('receives the same key for the same client and limit, and the time in seconds', async () => {
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
    const limits = { startsPerClient: false } as const
    const service = serve({ limiter, limits, runtime: { now: () => now + 999 } })
    for (let i = 0; i < 3; i++) await sendCallback(createBrowserAt(service, '192.0.2.1'))
    expect(keys.size).toBe(1)
    expect(times).toEqual(Array(3).fill(now / 1000))
  })

  test('determines Retry-After', async () => {
    const { browse, mailbox } = serveMail({ limiter: { take: async () => 17 } })
    const response = await requestEmail(browse())
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '17'])
    expect(mailbox.mails).toEqual([])
  })

  test('may return fractions of a second, which are rounded up (RFC 9110 §10.2.3)', async () => {
    const { browse } = serveMail({ limiter: { take: async () => 0.25 } })
    expect((await requestEmail(browse())).headers.get('retry-after')).toBe('1')
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
  ])('that %s: 503, nothing is sent, and its error is only logged', async (_, limiter) => {
    const { browse, mailbox, lines } = serveMail({ limiter })
    const response = await requestEmail(browse(), 'alice@example.com', { json: 'true' })
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

  test('that fails at a callback: 503 and no session', async () => {
    let fails = false
    const limiter: Limiter = {
      take: async () => {
        if (fails) throw new Error('secret detail')
        return 0
      },
    }
    const service = serve({ limiter })
    const browser = createBrowserAt(service, '192.0.2.1')
    const url = await beginSignIn(browser)
    fails = true
    const response = await browser.visit(toCallbackUrl(url, 'alice'))
    expect(response.status).toBe(503)
    expect(await response.text()).not.toContain('secret')
    fails = false
    expect(await browser.json('/session')).toEqual({})
    expect((await browser.visit(toCallbackUrl(url, 'alice'))).headers.get('location')).toBe(origin)
  })

  test('is not called for a limit that is off', async () => {
    const { limiter, taken } = createRecordingLimiter()
    const limits = {
      startsPerClient: false,
      mailsPerAddress: false,
      mailsPerClient: false,
    } as const
    await requestEmail(createBrowserAt(serveMail({ limiter, limits }), '192.0.2.1'))
    expect(taken).toEqual([])
  })
})

describe('memoryLimiter, when a flood brings 60,000 other keys', () => {
  /** Counts 60,000 other keys, so often that each is still below its limit. */
  async function flood(limiter: Limiter, times: number): Promise<void> {
    const now = Math.floor(Date.now() / 1000)
    for (let i = 0; i < 60_000; i++) {
      await limiter.take(`key of the flood ${i}`, { times, window: 600 }, now)
    }
  }

  const begin = async (browser: Browser): Promise<number> =>
    (await browser.submit('/signin/passport')).status

  test('forgets keys below their limit: its memory is bounded', async () => {
    const limiter = memoryLimiter()
    const limits = { startsPerClient: { times: 3, window: 600 } }
    const browser = createBrowserAt(serve({ limiter, limits }), '192.0.2.1')
    expect([await begin(browser), await begin(browser)]).toEqual([302, 302])
    await flood(limiter, 2)
    const statuses = [await begin(browser), await begin(browser), await begin(browser)]
    expect(statuses).toEqual([302, 302, 302])
    expect(await begin(browser)).toBe(429)
  })

  test('remembers keys at their limit, until their window ends', async () => {
    const limiter = memoryLimiter()
    const service = serve({ limiter, limits: { startsPerClient: once } })
    const browser = createBrowserAt(service, '192.0.2.1')
    expect(await begin(browser)).toBe(302)
    await flood(limiter, 2)
    expect(await begin(browser)).toBe(429)
    service.wait(600)
    expect(await begin(browser)).toBe(302)
  })

  test('forgets a key at its limit only if the others reach theirs too', async () => {
    const limiter = memoryLimiter()
    const service = serve({ limiter, limits: { startsPerClient: once } })
    const browser = createBrowserAt(service, '192.0.2.1')
    expect(await begin(browser)).toBe(302)
    await flood(limiter, 1)
    expect(await begin(browser)).toBe(302)
  })
})

describe('two services', () => {
  const limits: LimitsOptions = { mailsPerAddress: once }
  const getStatuses = async (over: readonly Partial<AuthConfig>[]): Promise<number[]> => {
    const statuses: number[] = []
    for (const config of over) {
      statuses.push((await requestEmail(serveMail({ limits, ...config }).browse())).status)
    }
    return statuses
  }

  test('with one storage count together', async () => {
    const storage = memoryStorage()
    expect(await getStatuses([{ storage }, { storage }])).toEqual([302, 429])
  })

  test('with a memoryLimiter each count separately', async () => {
    const storage = memoryStorage()
    const createConfig = (): Partial<AuthConfig> => ({ storage, limiter: memoryLimiter() })
    expect(await getStatuses([createConfig(), createConfig()])).toEqual([302, 302])
  })

  test('with a storage without the capability increment count separately', async () => {
    const storage: Storage = {
      ...memoryStorage(),
      capabilities: ['sessions', 'verificationTokens'],
      increment: () => Promise.reject(new Error('not supported')),
    }
    const service = serveMail({ limits, storage })
    expect((await requestEmail(service.browse())).status).toBe(302)
    expect((await requestEmail(service.browse())).status).toBe(429)
    expect(await getStatuses([{ storage }])).toEqual([302])
  })

  test('with a storageLimiter count together, whatever their storage', async () => {
    const limiter = storageLimiter(memoryStorage())
    expect(await getStatuses([{ limiter }, { limiter }])).toEqual([302, 429])
  })

  test('with a storage whose increment fails: 503, and nothing is sent', async () => {
    const storage = {
      ...memoryStorage(),
      increment: () => Promise.reject(new Error('secret detail')),
    }
    const { browse, mailbox } = serveMail({ storage })
    const response = await requestEmail(browse())
    expect(response.status).toBe(503)
    expect(await response.text()).not.toContain('secret')
    expect(mailbox.mails).toEqual([])
  })
})
