import type { AuthConfig } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import type { Browser } from '@latchkey/testing/browser'
import { describe, expect, test } from 'vitest'
import { breakableStorage } from './support/breakable.ts'
import { createBrowserAt, createRecordingLimiter } from './support/limits.ts'
import { getRedirect, getUser, passport, serve, signIn, signInWith } from './support/service.ts'
import type { TestService } from './support/service.ts'

/** A subject, and the email address that its provider says but does not prove. */
const toCode = (subject: string, emailAddress: string): string => `${subject} ${emailAddress}`

/** Lets its users say any email address. */
const forum = passport({
  id: 'forum',
  name: 'Forum',
  async finish({ params }) {
    const [subject = '', email] = (params.get('code') ?? '').split(' ')
    return { subject, profile: { email }, tokens: {}, claims: {} }
  },
})

interface Forum extends TestService<unknown> {
  /** Tries to sign in at the forum, and returns the status, or the error that it leads to. */
  readonly attempt: (
    subject: string,
    emailAddress: string,
    browser?: Browser,
  ) => Promise<number | string>
}

/** Serves the forum and the passport, with a user alice whose email address is verified. */
async function serveForum(over: Partial<AuthConfig> = {}): Promise<Forum> {
  const service = serve({ storage: memoryStorage(), providers: [passport(), forum], ...over })
  await signIn(service.browse(), 'alice')
  return {
    ...service,
    async attempt(subject, emailAddress, browser = service.browse()) {
      const response = await signInWith(browser, 'forum', toCode(subject, emailAddress))
      return getRedirect(response).error ?? response.status
    },
  }
}

const taken = 'alice@example.com'
const refused = 'OAuthAccountNotLinked'

/** Tries several times and returns the results. */
async function repeat(
  times: number,
  attempt: (i: number) => Promise<number | string>,
): Promise<(number | string)[]> {
  const results: (number | string)[] = []
  for (let i = 0; i < times; i++) results.push(await attempt(i))
  return results
}

describe('an email address that another user has verified is refused (I-38)', () => {
  test('ten times per hour for a provider account; after that no answer shows whether an email address is taken', async () => {
    const { attempt, browse, auth, wait } = await serveForum()
    expect(await attempt('bob', 'free@example.com')).toBe(302)
    expect(await repeat(11, () => attempt('mallory', taken))).toEqual([
      ...Array<string>(10).fill(refused),
      429,
    ])
    expect(await attempt('mallory', 'unknown@example.com')).toBe(429)
    expect(await attempt('carol', taken)).toBe(refused)
    wait(3600)
    const browser = browse()
    expect(await attempt('mallory', 'unknown@example.com', browser)).toBe(302)
    const { id } = await getUser(browser)
    expect(await auth.accounts.list(id)).toHaveLength(1)
  })

  test('twenty times per hour for a client, whatever the accounts', async () => {
    const service = await serveForum()
    const at = (ip: string): Browser => createBrowserAt(service, ip)
    const attempt = (ip: string) => (i: number) => service.attempt(`user-${i}`, taken, at(ip))
    expect(await repeat(21, attempt('192.0.2.1'))).toEqual([
      ...Array<string>(20).fill(refused),
      429,
    ])
    expect(await service.attempt('new', 'unknown@example.com', at('192.0.2.1'))).toBe(429)
    expect(await attempt('192.0.2.2')(30)).toBe(refused)
    service.wait(3600)
    expect(await attempt('192.0.2.1')(31)).toBe(refused)
  })

  test('with a page that says how long to wait', async () => {
    const { attempt, browse } = await serveForum()
    await repeat(10, () => attempt('mallory', taken))
    const browser = browse()
    const response = await signInWith(browser, 'forum', toCode('mallory', taken))
    expect(response.status).toBe(429)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(3000)
    expect(await response.text()).toMatch(/Too many attempts\. Try again in \d+ (minute|hour)s?\./)
    expect(await browser.json('/session')).toEqual({})
  })

  test('at most ten times if an account tries thirty times simultaneously', async () => {
    const { attempt } = await serveForum()
    const results = await Promise.all(Array.from({ length: 30 }, () => attempt('mallory', taken)))
    expect(results.filter((result) => result === refused)).toHaveLength(10)
    expect(results.filter((result) => result === 429)).toHaveLength(20)
  })

  test('without a count for those who sign in', async () => {
    const service = await serveForum({
      limits: { startsPerClient: false, callbacksPerClient: false },
    })
    const browser = (): Browser => createBrowserAt(service, '192.0.2.1')
    const create = (i: number) => service.attempt(`user-${i}`, `${i}@example.com`, browser())
    expect(new Set(await repeat(40, create))).toEqual(new Set([302]))
    const results = await repeat(21, (i) => service.attempt(`other-${i}`, taken, browser()))
    expect(results.at(-1)).toBe(429)
    expect(new Set(await repeat(40, create))).toEqual(new Set([302]))
  })

  test.each([
    { decision: 'a refusal', signIn: () => false, result: 'AccessDenied' },
    { decision: 'another URL', signIn: () => '/sign-up', result: 302 },
    {
      decision: 'an error',
      signIn: () => Promise.reject(new Error('off')),
      result: 'AccessDenied',
    },
  ])(
    'also if callbacks.signIn answers the others with $decision, which reveals that none is taken',
    async ({ signIn: decide, result }) => {
      const { attempt } = await serveForum({
        callbacks: { signIn: ({ account }) => account.provider !== 'forum' || decide() },
      })
      expect(await attempt('carol', taken)).toBe(refused)
      expect(await repeat(11, (i) => attempt('mallory', `${i}@example.com`))).toEqual([
        ...Array<string | number>(10).fill(result),
        429,
      ])
      expect(await attempt('mallory', taken)).toBe(429)
    },
  )

  test('without a count for a failure that reveals nothing about the email address', async () => {
    let fails = true
    const userId = (): undefined => {
      if (fails) throw new Error('the records are away')
    }
    const service = await serveForum({ providers: [passport(), { ...forum, userId }] })
    const attempt = (): Promise<string | number> =>
      service.attempt('bob', 'free@example.com', createBrowserAt(service, '192.0.2.1'))
    expect(new Set(await repeat(21, attempt))).toEqual(new Set(['Callback']))
    fails = false
    expect(await attempt()).toBe(302)
  })

  test('without a count for an email address that the storage cannot look up', async () => {
    const { storage, fail } = breakableStorage()
    const service = await serveForum({ storage })
    const attempt = (): Promise<string | number> =>
      service.attempt('bob', 'free@example.com', createBrowserAt(service, '192.0.2.1'))
    fail(['getUserByEmail'])
    expect(new Set(await repeat(21, attempt))).toEqual(new Set([503]))
    fail([])
    expect(await attempt()).toBe(302)
  })

  test('without a count for an identity that has no email address', async () => {
    const { attempt } = await serveForum({
      callbacks: { signIn: ({ account }) => account.provider !== 'forum' },
    })
    expect(new Set(await repeat(12, () => attempt('mallory', '')))).toEqual(
      new Set(['AccessDenied']),
    )
    // With one, such a refusal counts.
    expect((await repeat(11, () => attempt('mallory', 'free@example.com'))).at(-1)).toBe(429)
  })

  test('if a limiter cannot take a count back, the sign-in is unavailable', async () => {
    const userId = (): undefined => {
      throw new Error('the records are away')
    }
    const attempt = async (refund: () => Promise<void>): Promise<string | number> => {
      const limiter = { take: async () => 0, refund }
      const service = await serveForum({ limiter, providers: [passport(), { ...forum, userId }] })
      return service.attempt('bob', 'free@example.com', createBrowserAt(service, '192.0.2.1'))
    }
    expect(await attempt(async () => undefined)).toBe('Callback')
    expect(await attempt(() => Promise.reject(new Error('away')))).toBe(503)
  })

  test('with limits that can be changed and lifted', async () => {
    const changed = await serveForum({ limits: { notLinkedPerAccount: { times: 1, window: 60 } } })
    expect(await repeat(2, () => changed.attempt('mallory', taken))).toEqual([refused, 429])
    const lifted = await serveForum({ limits: { notLinkedPerAccount: false } })
    const results = await repeat(12, () => lifted.attempt('mallory', taken))
    expect(new Set(results)).toEqual(new Set([refused]))
  })
})

test('an identity that proves its email address is not counted, linked or not', async () => {
  const { limiter, taken: counted } = createRecordingLimiter()
  const limit = { times: 7, window: 70 }
  const linking = passport({ id: 'licence', linkByVerifiedEmail: true })
  const proving = passport({ id: 'visa' })
  const service = await serveForum({
    limiter,
    limits: { notLinkedPerAccount: limit, notLinkedPerClient: limit },
    providers: [passport(), forum, linking, proving],
  })
  const getCounts = (): number => counted.filter((each) => each.limit === limit).length
  counted.length = 0
  const browser = createBrowserAt(service, '192.0.2.1')
  expect(getRedirect(await signInWith(browser, 'visa')).error).toBe(refused)
  await signInWith(browser, 'licence')
  expect((await getUser(browser)).email).toBe(taken)
  expect(getCounts()).toBe(0)
  expect(await service.attempt('bob', taken, createBrowserAt(service, '192.0.2.1'))).toBe(refused)
  expect(getCounts()).toBe(2)
})
