import { createAuth } from '@latchkey/core'
import type { AuthConfig, Limiter, Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { email } from '@latchkey/core/providers/email'
import { oidc } from '@latchkey/core/providers/oidc'
import { Browser } from '@latchkey/core/testing/browser'
import { createIssuer } from '@latchkey/core/testing/issuer'
import { signInAtIssuer } from '@latchkey/core/testing/issuer-sign-in'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { Mailbox } from './support/mailbox.ts'
import { base, beginSignIn, passport, secret, signIn, toCallbackUrl } from './support/service.ts'

/** The times are this many times as short. */
const SPEED = 20
/** The default limits of I-26. */
const timeouts = { request: 10 / SPEED, callback: 13 / SPEED, answer: 14 / SPEED }
/**
 * Every answer comes before this time, in seconds: that of `timeouts.answer` and what a busy machine
 * needs. Two limits one after the other, such as 10 and 13 seconds, would exceed it.
 */
const LATE = timeouts.answer + 0.35
/** Seconds that a port takes which is slow, but within its own limit. */
const SLOW = 9.5 / SPEED

const client = { clientId: 'client', clientSecret: 'kept secret' }
const origin = new URL(base).origin

/** How a port behaves from now on. */
type Behaviour = 'normal' | 'slow' | 'hanging'

/** A service whose ports can be slowed down. */
interface SlowService {
  readonly auth: ReturnType<typeof createAuth>
  readonly mailbox: Mailbox
  /** Creates a browser whose requests fail if the answer is late, once a port has been slowed down. */
  readonly browse: () => Browser
  /** Changes the behaviour of ports; of the storage's methods, optionally, only one. */
  readonly slowDown: (ports: Partial<Record<Port, Behaviour>>, method?: string) => void
  readonly lines: string[]
}

type Port = 'storage' | 'provider' | 'mailer' | 'limiter' | 'callback'

function serveSlowly(over: Partial<AuthConfig> = {}): SlowService {
  const behaviours: Partial<Record<Port, Behaviour>> = {}
  let onlyMethod: string | undefined
  let isTimed = false
  const delay = async <T>(port: Port, work: () => Promise<T>): Promise<T> => {
    const { [port]: behaviour = 'normal' } = behaviours
    if (behaviour === 'hanging') return new Promise<never>(() => undefined)
    if (behaviour === 'slow') await sleep(SLOW)
    return work()
  }
  const mailbox = new Mailbox()
  const issuer = createIssuer({ ...client, issuer: 'https://issuer.example' })
  const limiter: Limiter = { take: () => delay('limiter', async () => 0) }
  const lines: string[] = []
  const log = (message: string, details: unknown): unknown =>
    lines.push(`${message} ${JSON.stringify(details)}`)
  const auth = createAuth({
    serviceUrl: origin,
    secret,
    storage: mapMethods(memoryStorage(), (name, method) => (...args) => {
      const isSlow = onlyMethod === undefined || onlyMethod === name
      return isSlow ? delay('storage', () => method(...args)) : method(...args)
    }),
    limiter,
    providers: [
      passport(),
      oidc({ id: 'op', name: 'The provider', issuer: issuer.issuer, ...client }),
      email({
        mailer: { send: (mail) => delay('mailer', () => mailbox.send(mail)) },
        from: 'sign-in@app.example',
      }),
    ],
    callbacks: { signIn: () => delay('callback', async () => true) },
    runtime: { fetch: (url, init) => delay('provider', () => issuer.fetch(url, init)) },
    logger: { error: log, warn: log, debug: log },
    timeouts,
    ...over,
  })
  const clientIp = (): string => '192.0.2.1'
  return {
    auth,
    mailbox,
    lines,
    browse: () =>
      new Browser((request) => {
        const answer = auth.handle(request, { clientIp })
        // All steps of a test are prepared at once, which keeps a slow machine busy for longer than that.
        return isTimed ? inTime(answer) : answer
      }, base),
    slowDown(ports, method) {
      isTimed = true
      Object.assign(behaviours, ports)
      onlyMethod = method
    },
  }
}

/** Wraps each method of a storage. */
function mapMethods(
  storage: Storage,
  wrap: (name: string, method: AnyMethod) => AnyMethod,
): Storage {
  const methods = Object.entries(storage) as unknown as [string, AnyMethod][]
  return Object.fromEntries(methods.map(([name, method]) => [name, wrap(name, method)])) as never
}

type AnyMethod = (...args: unknown[]) => Promise<unknown>

function sleep(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000))
}

/** Timers of one process fire in the order of their times, however busy it is. */
async function inTime<T>(answer: Promise<T>): Promise<T> {
  const late = sleep(LATE).then(() => {
    throw new Error('the answer is late')
  })
  late.catch(() => undefined)
  return Promise.race([answer, late])
}

/** A request, what has to be done before it, and the ports that it needs. */
interface Step {
  readonly name: string
  readonly prepare?: (browser: Browser, service: SlowService) => Promise<unknown>
  /** The request; `prepared` is the result of `prepare`. */
  readonly run: (
    browser: Browser,
    prepared: unknown,
    service: SlowService,
  ) => Promise<Response | string>
}

const getToken = (browser: Browser): Promise<string> => browser.csrfToken()
const prepareSession = async (browser: Browser): Promise<string> => {
  await signIn(browser)
  return browser.csrfToken()
}
const post = (path: string) => (browser: Browser, csrfToken: unknown) =>
  browser.post(path, { csrfToken: String(csrfToken), email: 'alice@example.com', link: 'false' })

const steps: readonly Step[] = [
  {
    name: 'GET /session',
    prepare: prepareSession,
    run: (browser) => browser.visit('/session'),
  },
  { name: 'GET /csrf', prepare: prepareSession, run: (browser) => browser.visit('/csrf') },
  { name: 'GET /signin', prepare: prepareSession, run: (browser) => browser.visit('/signin') },
  { name: 'GET /signout', prepare: prepareSession, run: (browser) => browser.visit('/signout') },
  { name: 'POST /session', prepare: prepareSession, run: post('/session') },
  { name: 'POST /signout', prepare: prepareSession, run: post('/signout') },
  { name: 'POST /signin/passport', prepare: prepareSession, run: post('/signin/passport') },
  { name: 'POST /signin/op', prepare: getToken, run: post('/signin/op') },
  { name: 'POST /signin/email', prepare: getToken, run: post('/signin/email') },
  {
    name: 'GET /callback/passport',
    prepare: async (browser) => toCallbackUrl(await beginSignIn(browser), 'alice'),
    run: (browser, url) => browser.visit(String(url)),
  },
  {
    name: 'GET /callback/passport of a user with a session',
    async prepare(browser) {
      await signIn(browser)
      return toCallbackUrl(await beginSignIn(browser), 'alice')
    },
    run: (browser, url) => browser.visit(String(url)),
  },
  {
    name: 'GET /callback/op',
    prepare: async (browser) => {
      const issuer = createIssuer({ ...client, issuer: 'https://issuer.example' })
      return issuer.authorize(await beginSignIn(browser, {}, '/signin/op')).href
    },
    run: (browser, url) => browser.visit(String(url)),
  },
  {
    name: 'GET /callback/email',
    async prepare(browser, { mailbox }) {
      await browser.submit('/signin/email', { email: 'alice@example.com' })
      return mailbox.getLink().href
    },
    run: (browser, url) => browser.visit(String(url)),
  },
  {
    name: 'auth.getSession',
    prepare: prepareSession,
    async run(browser, _, { auth }) {
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const request = new Request(`${origin}/page`, { headers: { cookie } })
      return inTime(auth.getSession(request)).then(
        () => 'session',
        (error: Error) => error.message,
      )
    },
  },
]

/** Runs a step while ports are slow or hang; rejects if the answer is late. */
async function runStep(
  { prepare, run }: Step,
  ports: Partial<Record<Port, Behaviour>>,
  method?: string,
): Promise<SlowService & { readonly response: Response | string }> {
  const service = serveSlowly()
  const browser = service.browse()
  const prepared = await prepare?.(browser, service)
  service.slowDown(ports, method)
  const response = await run(browser, prepared, service)
  expect(response).not.toBe('the answer is late')
  return { ...service, response }
}

describe('an answer comes in time (I-26)', () => {
  describe.for(steps)('$name', { concurrent: true }, (step) => {
    test.for<Partial<Record<Port, Behaviour>>>([
      { storage: 'hanging' },
      { storage: 'slow' },
      { storage: 'hanging', provider: 'hanging' },
      { storage: 'slow', provider: 'hanging' },
      { storage: 'slow', provider: 'slow' },
      { storage: 'slow', provider: 'slow', limiter: 'slow', callback: 'slow', mailer: 'slow' },
      { storage: 'slow', mailer: 'hanging', callback: 'hanging' },
      { provider: 'hanging' },
      { provider: 'slow' },
      { mailer: 'hanging' },
      { limiter: 'hanging' },
      { limiter: 'slow', provider: 'hanging' },
      { callback: 'hanging' },
    ])('%j', async (ports) => {
      await runStep(step, ports)
    })

    test('one method of the storage hangs', async () => {
      const methods = Object.keys(memoryStorage())
      await Promise.all(methods.map((method) => runStep(step, { storage: 'hanging' }, method)))
    })
  })

  test('a storage that hangs is unavailable, and the log names the method', async () => {
    const [session] = steps
    const { lines, response } = await runStep(session as Step, { storage: 'hanging' })
    expect((response as Response).status).toBe(503)
    expect(await (response as Response).json()).toMatchObject({ error: 'Unavailable' })
    expect(lines).toEqual([expect.stringContaining('storage.getSessionAndUser failed')])
    expect(lines[0]).toContain(`no answer within ${timeouts.request} seconds`)
  })

  test('a limiter that hangs is unavailable', async () => {
    const step = steps.find(({ name }) => name === 'GET /callback/passport') as Step
    const { lines, response } = await runStep(step, { limiter: 'hanging' })
    expect((response as Response).status).toBe(503)
    expect(lines[0]).toContain(`no answer within ${timeouts.request} seconds`)
  })

  test('ports that are slow one after the other are cut off, and the log says so', async () => {
    const step = steps.find(({ name }) => name === 'GET /callback/op') as Step
    const { lines, response } = await runStep(step, { storage: 'slow', provider: 'slow' })
    expect((response as Response).status).toBe(503)
    expect(lines[0]).toContain(`no answer within ${timeouts.answer} seconds`)
  })

  test.for(['slow', 'hanging'] as const)(
    'a sign-out deletes the cookie although the storage is %s (I-37)',
    async (storage) => {
      const service = serveSlowly()
      const browser = service.browse()
      const csrfToken = await prepareSession(browser)
      expect([...browser.cookies.keys()]).toContain('__Host-latchkey.session')
      service.slowDown({ storage })
      const response = await post('/signout')(browser, csrfToken)
      expect(response.status).toBe(503)
      expect([...browser.cookies.keys()]).not.toContain('__Host-latchkey.session')
    },
  )

  test('a body that never ends', async () => {
    const { auth, browse } = serveSlowly()
    const browser = browse()
    await browser.csrfToken()
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('csrfToken=')),
    })
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin }
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit
    const response = await inTime(auth.handle(new Request(`${base}/signin/passport`, init)))
    expect(response.status).toBe(400)
  })

  test('a whole sign-in succeeds while every port is a little slow', async () => {
    const issuer = createIssuer({ ...client, issuer: 'https://issuer.example' })
    const provider = oidc({ id: 'op', name: 'The provider', issuer: issuer.issuer, ...client })
    const { browse } = serveSlowly({
      timeouts: {},
      providers: [provider],
      callbacks: {},
      storage: mapMethods(memoryStorage(), (_, method) => async (...args) => {
        await sleep(0.005)
        return method(...args)
      }),
      runtime: { fetch: issuer.fetch },
    })
    const response = await signInAtIssuer(browse(), issuer)
    expect(response.headers.get('location')).toBe(origin)
  })
})

describe('the default limits (I-26)', () => {
  afterEach(() => void vi.useRealTimers())

  /** Starts a request to a service with the default limits; `port` never answers. */
  const start = async (port: Port): Promise<() => Promise<Response | 'pending'>> => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const service = serveSlowly({ timeouts: {} })
    const browser = new Browser((request) => service.auth.handle(request), base)
    const url = toCallbackUrl(await beginSignIn(browser), 'alice')
    service.slowDown({ [port]: 'hanging' })
    const response = browser.visit(url)
    return () => Promise.race([response, new Promise<'pending'>((r) => setImmediate(r, 'pending'))])
  }

  test.for([
    ['a call of the storage', 'storage', 10_000],
    ['an answer', 'callback', 14_000],
  ] as const)('%s: %s, %i ms', async ([, port, milliseconds]) => {
    const getState = await start(port)
    await vi.advanceTimersByTimeAsync(milliseconds - 1)
    expect(await getState()).toBe('pending')
    await vi.advanceTimersByTimeAsync(1)
    expect(await getState()).toMatchObject({ status: 503 })
  })

  test.each([0, -1, Number.NaN, Infinity, 301])('answer: %d seconds are refused', (answer) => {
    expect(() => serveSlowly({ timeouts: { answer } })).toThrow(/^timeouts\.answer: /)
  })
})
