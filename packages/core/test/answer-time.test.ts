import { createAuth } from '@latchkey/core'
import type { AuthConfig, Limiter } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { email } from '@latchkey/core/providers/email'
import { oidc } from '@latchkey/core/providers/oidc'
import { Browser } from '@latchkey/testing/browser'
import { createTestClock } from '@latchkey/testing/clock'
import type { TestClock } from '@latchkey/testing/clock'
import { createIssuer } from '@latchkey/testing/issuer'
import { describe, expect, test } from 'vitest'
import { wrapMethods } from '@latchkey/test-support/wrap-methods'
import { sleep } from '../src/lib/clock.ts'
import { Mailbox } from './support/mailbox.ts'
import { base, beginSignIn, passport, secret, signIn, toCallbackUrl } from './support/service.ts'

/** Seconds within which every answer comes. Two limits in a row, such as 10 and 13, exceed it. */
const ANSWER = 14
/** Milliseconds that a slow port takes, within its own limit of ten seconds. */
const SLOW = 9500

const client = { clientId: 'client', clientSecret: 'kept secret' }
const origin = new URL(base).origin

/** How a port behaves from now on. */
type Behaviour = 'normal' | 'a little slow' | 'slow' | 'hanging'

/** A service whose ports can be slowed down. */
interface SlowService {
  readonly auth: ReturnType<typeof createAuth>
  readonly mailbox: Mailbox
  readonly clock: TestClock
  /** Creates a browser whose requests fail if the answer is late, once a port has been slowed down. */
  readonly browse: () => Browser
  /** Changes the behaviour of ports; of the storage's methods, optionally, only one. */
  readonly slowDown: (ports: Partial<Record<Port, Behaviour>>, method?: string) => void
  /** Resolves when a port is called that never answers. */
  readonly hangs: Promise<void>
  readonly lines: string[]
}

type Port = 'storage' | 'provider' | 'mailer' | 'limiter' | 'callback'

function serveSlowly(over: Partial<AuthConfig> = {}): SlowService {
  const behaviours: Partial<Record<Port, Behaviour>> = {}
  let onlyMethod: string | undefined
  let isTimed = false
  const clock = createTestClock()
  let reportHang = (): void => undefined
  const hangs = new Promise<void>((resolve) => {
    reportHang = resolve
  })
  const delay = async <T>(port: Port, work: () => Promise<T>): Promise<T> => {
    const { [port]: behaviour = 'normal' } = behaviours
    if (behaviour === 'hanging') {
      reportHang()
      return new Promise<never>(() => undefined)
    }
    if (behaviour !== 'normal') await sleep(clock.runtime, behaviour === 'slow' ? SLOW : SLOW / 20)
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
    storage: wrapMethods(memoryStorage(), (method, name) => (...args) => {
      const isSlow = onlyMethod === undefined || onlyMethod === name
      return isSlow ? delay('storage', async () => method(...args)) : method(...args)
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
    runtime: {
      ...clock.runtime,
      fetch: (url, init) => delay('provider', () => issuer.fetch(url, init)),
    },
    logger: { error: log, warn: log, debug: log },
    ...over,
  })
  const clientIp = (): string => '192.0.2.1'
  return {
    auth,
    mailbox,
    clock,
    hangs,
    lines,
    browse: () =>
      new Browser((request) => {
        const answer = auth.handle(request, { clientIp })
        return isTimed ? inTime(clock, answer) : answer
      }, base),
    slowDown(ports, method) {
      isTimed = true
      Object.assign(behaviours, ports)
      onlyMethod = method
    },
  }
}

/** Returns an answer; rejects if it comes late. */
async function inTime<T>(clock: TestClock, answer: Promise<T>): Promise<T> {
  const start = clock.runtime.monotonic()
  const settled = await clock.settle(Promise.allSettled([answer]))
  if (clock.runtime.monotonic() - start > ANSWER * 1000) throw new Error('the answer is late')
  return settled[0].status === 'fulfilled' ? settled[0].value : Promise.reject(settled[0].reason)
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
    async run(browser, _, { auth, clock }) {
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const request = new Request(`${origin}/page`, { headers: { cookie } })
      return inTime(clock, auth.getSession(request)).then(
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
  describe.for(steps)('$name', (step) => {
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
    expect(lines[0]).toContain('no answer within 10 seconds')
  })

  test('a limiter that hangs is unavailable', async () => {
    const step = steps.find(({ name }) => name === 'GET /callback/passport') as Step
    const { lines, response } = await runStep(step, { limiter: 'hanging' })
    expect((response as Response).status).toBe(503)
    expect(lines[0]).toContain('no answer within 10 seconds')
  })

  test('ports that are slow one after the other are cut off, and the log says so', async () => {
    const step = steps.find(({ name }) => name === 'GET /callback/op') as Step
    const { lines, response } = await runStep(step, { storage: 'slow', provider: 'slow' })
    expect((response as Response).status).toBe(503)
    expect(lines[0]).toContain('no answer within 14 seconds')
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
    const { auth, browse, clock } = serveSlowly()
    const browser = browse()
    await browser.csrfToken()
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('csrfToken=')),
    })
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin }
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit
    const response = await inTime(clock, auth.handle(new Request(`${base}/signin/passport`, init)))
    expect(response.status).toBe(400)
  })

  test('a whole sign-in succeeds while every port is a little slow', async () => {
    const service = serveSlowly()
    const browser = service.browse()
    await signIn(browser)
    const url = toCallbackUrl(await beginSignIn(browser), 'alice')
    service.slowDown({ storage: 'a little slow', provider: 'a little slow' })
    const response = await browser.visit(url)
    expect(response.headers.get('location')).toBe(origin)
  })
})

describe('the default limits (I-26)', () => {
  test.for([
    ['a call of the storage', 'storage', 10_000],
    ['an answer', 'callback', ANSWER * 1000],
  ] as const)('%s: %s, %i ms', async ([, port, milliseconds]) => {
    const { auth, clock, slowDown, hangs } = serveSlowly()
    const browser = new Browser((request) => auth.handle(request), base)
    const url = toCallbackUrl(await beginSignIn(browser), 'alice')
    slowDown({ [port]: 'hanging' })
    let response: Response | undefined
    const answer = browser.visit(url).then((received) => (response = received))
    // WebCrypto takes turns of the event loop before that.
    await hangs
    await clock.advance(milliseconds - 1)
    expect(response).toBeUndefined()
    await clock.advance(1)
    expect(await answer).toMatchObject({ status: 503 })
  })

  test.each([0, -1, Number.NaN, Infinity, 301])('answer: %d seconds are refused', (answer) => {
    expect(() => serveSlowly({ timeouts: { answer } })).toThrow(/^timeouts\.answer: /)
  })
})
