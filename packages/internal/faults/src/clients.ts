/** Users of the service: each acts in two browsers, one request after the other, and checks every answer. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Browser } from '@latchkey/testing/browser'
import { toCallbackUrl } from '../../../core/test/support/passport.ts'
import type { Mailbox } from './mailbox.ts'
import { BrowserModel } from './model.ts'
import type { Observed, Outcome } from './model.ts'
import type { Random } from './random.ts'
import type { Report } from './report.ts'

const SESSION_COOKIE = 'latchkey.session'
/** Milliseconds in which the service answers every request, and a little for the proxies. */
const PATIENCE = 17_000

/** What a user does, as often as it is listed. */
const signedIn = ['read', 'read', 'read', 'update', 'signOut', 'revokeAll', 'signIn'] as const
const signedOut = ['signIn', 'signIn', 'signInByEmail', 'replay'] as const

/** What a user acts on. */
export interface Surroundings {
  readonly url: string
  readonly mailbox: Mailbox
  readonly report: Report
  readonly random: Random
}

/** A browser of a user, and what is known of its session. */
interface Device {
  readonly browser: Browser
  readonly model: BrowserModel
}

/** A user with two browsers. */
export class User {
  readonly #name: string
  readonly #surroundings: Surroundings
  readonly #devices: readonly Device[]
  /** Session cookies that have ended: none may work again. */
  readonly #ended = new Set<string>()
  #id: string | undefined
  #updates = 0
  readonly #actions = {
    read: (device: Device) => this.#read(device),
    signIn: (device: Device) => this.#signIn(device),
    signInByEmail: (device: Device) => this.#signInByEmail(device),
    update: (device: Device) => this.#update(device),
    signOut: (device: Device) => this.#signOut(device),
    revokeAll: () => this.#revokeAll(),
    replay: () => this.#replay(),
  }
  /** The latest things that the user did, for a violation. */
  readonly #history: string[] = []

  constructor(name: string, surroundings: Surroundings) {
    this.#name = name
    this.#surroundings = surroundings
    this.#devices = [this.#createDevice(), this.#createDevice()]
  }

  /** Does one thing in one browser. */
  async act(): Promise<void> {
    const { random } = this.#surroundings
    const device = random.pick(this.#devices)
    const isIn = device.browser.cookies.has(SESSION_COOKIE)
    const action = random.pick(isIn ? signedIn : signedOut)
    this.#history.push(`${this.#devices.indexOf(device)} ${action}`)
    await this.#actions[action](device)
  }

  #violate(problem: string): void {
    const latest = this.#history.slice(-12).join(', ')
    this.#surroundings.report.violate(`${problem}, after ${latest}`)
  }

  /** Reads every browser, and tries every cookie that has ended, unless the service is not back. */
  async finish(): Promise<void> {
    for (const device of this.#devices) {
      const response = await device.browser.visit('/session')
      if (response.status !== 200)
        return this.#violate(`GET /session is ${response.status} after the faults`)
      await this.#read(device)
    }
    for (const cookie of this.#ended) await this.#tryEnded(cookie)
  }

  #createDevice(): Device {
    const { url } = this.#surroundings
    const browser = new Browser((request) => this.#send(request), `${url}/api/auth`)
    return { browser, model: new BrowserModel(this.#name) }
  }

  async #send(request: Request): Promise<Response> {
    const { report } = this.#surroundings
    const begin = performance.now()
    try {
      const response = await fetch(request, {
        redirect: 'manual',
        signal: AbortSignal.timeout(PATIENCE),
      })
      report.count(request, response.status, begin)
      return response
    } catch (thrown) {
      report.count(request, 0, begin)
      if (thrown instanceof DOMException && thrown.name === 'TimeoutError') {
        this.#violate(`${request.method} ${new URL(request.url).pathname} was not answered`)
      }
      return Response.error()
    }
  }

  async #signIn({ browser, model }: Device): Promise<void> {
    const before = browser.cookies.get(SESSION_COOKIE)
    const csrfToken = await readCsrfToken(browser)
    if (csrfToken === undefined) return
    const begun = await browser.post('/signin/passport', { csrfToken })
    const location = URL.parse(begun.headers.get('location') ?? '')
    if (!location?.searchParams.has('redirect_uri')) return
    const response = await browser.visit(toCallbackUrl(location, this.#name))
    await this.#arrive(browser, model, before, response)
  }

  /** One link in two simultaneous requests, as a proxy or a scanner may send them, and once more later. */
  async #signInByEmail({ browser, model }: Device): Promise<void> {
    const { mailbox } = this.#surroundings
    const address = `${this.#name}@example.test`
    const before = browser.cookies.get(SESSION_COOKIE)
    mailbox.takeLink(address)
    const csrfToken = await readCsrfToken(browser)
    if (csrfToken === undefined) return
    await browser.post('/signin/email', { csrfToken, email: address })
    const link = mailbox.takeLink(address)
    if (link === undefined) return
    const responses = await Promise.all([browser.visit(link), browser.visit(link)])
    responses.push(await browser.visit(link))
    const cookies = new Set(responses.flatMap((response) => getSessionCookies(response)))
    if (cookies.size > 1) this.#violate(`a link signed ${this.#name} in ${cookies.size} times`)
    const arrived = responses.find((response) => getSessionCookies(response).length > 0)
    await this.#arrive(browser, model, before, arrived ?? Response.error())
  }

  async #arrive(
    browser: Browser,
    model: BrowserModel,
    before: string | undefined,
    response: Response,
  ): Promise<void> {
    const after = browser.cookies.get(SESSION_COOKIE)
    if (getSessionCookies(response).length > 0 && response.status === 302) {
      model.signIn('done')
      if (before !== undefined && before !== after) this.#ended.add(before)
      return
    }
    if (after !== before && after !== undefined) model.receiveSession()
    else model.signIn('unknown')
    await this.#settle(response)
  }

  async #read({ browser, model }: Device): Promise<void> {
    const response = await browser.visit('/session')
    if (response.status !== 200) return
    const observed = toObserved(await response.json(), this.#name)
    if (observed) this.#id = observed.id
    const problem = model.read(observed)
    if (problem !== undefined) this.#violate(problem)
  }

  async #update({ browser, model }: Device): Promise<void> {
    const csrfToken = await readCsrfToken(browser)
    if (csrfToken === undefined) return
    const data = ++this.#updates
    const response = await browser.visit('/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ csrfToken, data }),
    })
    // Without a session the answer is the empty session: nothing was stored.
    const isStored = response.status === 200 && toObserved(await response.json(), this.#name)
    model.update(data, isStored ? 'done' : 'unknown')
    await this.#settle(response)
  }

  async #signOut({ browser, model }: Device): Promise<void> {
    const cookie = browser.cookies.get(SESSION_COOKIE)
    const csrfToken = await readCsrfToken(browser)
    if (csrfToken === undefined) return
    const response = await browser.post('/signout', { csrfToken })
    const outcome: Outcome = response.status === 302 ? 'done' : 'unknown'
    model.end(outcome)
    if (outcome === 'done' && cookie !== undefined) this.#ended.add(cookie)
    await this.#settle(response)
  }

  async #revokeAll(): Promise<void> {
    if (this.#id === undefined) return
    const { url } = this.#surroundings
    const cookies = this.#devices.map(({ browser }) => browser.cookies.get(SESSION_COOKIE))
    const response = await this.#send(
      new Request(`${url}/revoke?user=${this.#id}`, { method: 'POST' }),
    )
    const outcome: Outcome = response.status === 204 ? 'done' : 'unknown'
    for (const { model } of this.#devices) model.end(outcome)
    if (outcome === 'done') {
      for (const cookie of cookies) if (cookie !== undefined) this.#ended.add(cookie)
    }
    await this.#settle(response)
  }

  /** A thief tries a copy of a cookie that has ended. */
  async #replay(): Promise<void> {
    const [...cookies] = this.#ended
    if (cookies.length > 0) await this.#tryEnded(this.#surroundings.random.pick(cookies))
  }

  async #tryEnded(cookie: string): Promise<void> {
    const { browser } = this.#createDevice()
    browser.cookies.set(SESSION_COOKIE, cookie)
    const response = await browser.visit('/session')
    if (response.status !== 200 || !toObserved(await response.json(), this.#name)) return
    this.#violate(`a cookie of ${this.#name} that has ended works`)
  }

  /** What the database still does for a request without an answer ends before the next request. */
  async #settle(response: Response): Promise<void> {
    if (response.status === 0 || response.status >= 500) await sleep(1000)
  }
}

/** The user and the data of a session's JSON, and the user's id. */
function toObserved(
  json: unknown,
  name: string,
): (NonNullable<Observed> & { id: string }) | undefined {
  const session = json as { user?: { name?: string; email?: string }; data?: number; id?: string }
  if (!session.user) return undefined
  const address = `${name}@example.test`
  const isOwn = session.user.name === name || session.user.email === address
  return {
    user: isOwn ? name : `${session.user.name ?? session.user.email}`,
    data: session.data ?? 0,
    id: session.id ?? '',
  }
}

async function readCsrfToken(browser: Browser): Promise<string | undefined> {
  const response = await browser.visit('/csrf')
  if (response.status !== 200) return undefined
  return ((await response.json()) as { csrfToken: string }).csrfToken
}

function getSessionCookies(response: Response): string[] {
  return response.headers
    .getSetCookie()
    .filter((line) => line.startsWith(`${SESSION_COOKIE}=`) && !/Max-Age=0(?:;|$)/.test(line))
    .map((line) => line.slice(SESSION_COOKIE.length + 1).split(';')[0] ?? '')
}
