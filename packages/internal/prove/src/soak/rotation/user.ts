/** A user of the cluster: one browser stays signed in, another one signs in again and again. */
import { Browser } from '@latchkey/core/testing/browser'
import { TOTP, URI } from 'otpauth'
import { expectEqual, expectRedirect, expectStatus } from '../journey.ts'
import { callbackLink, mailedCode } from '../mailbox.ts'
import type { Mailbox } from '../mailbox.ts'
import { toServiceUrl } from './messages.ts'
import type { Strategy } from './messages.ts'

/** What the users of a cluster share. */
export interface Surroundings {
  readonly handle: (request: Request) => Promise<Response>
  readonly mailbox: Mailbox
  /** Returns the time in seconds since 1970. */
  readonly now: () => number
}

/** Seconds in which a code of an app is valid. */
const STEP = 30
/** Rounds between two changes of the session that stays: a change seals it again. */
const UPDATES = 20

/** A user, who acts once in each round. */
export class ClusterUser {
  readonly name: string
  readonly #email: string
  readonly #surroundings: Surroundings
  /** Signs in once, and stays. */
  readonly #resident: Browser
  /** Signs in and out: each step in another round. */
  readonly #visitor: Browser
  readonly #hasApp: boolean
  /** Whether the app is used between rotations only: nothing but a rotation seals its key again. */
  readonly #restsApp: boolean
  readonly #steps: AsyncGenerator<void, never>
  #app: TOTP | undefined
  #lastStep = 0
  #round: number

  constructor(number: number, strategy: Strategy, surroundings: Surroundings) {
    this.name = `${strategy}${number}`
    // Two services share the users: an email address belongs to one user.
    this.#email = `${this.name}@soak.example`
    this.#surroundings = surroundings
    const base = toServiceUrl(strategy)
    this.#resident = new Browser(surroundings.handle, base)
    this.#visitor = new Browser(surroundings.handle, base)
    this.#hasApp = strategy !== 'cookie' && number % 2 === 0
    this.#restsApp = this.#hasApp && number % 4 === 2
    this.#round = number
    this.#steps = this.#signInAgainAndAgain()
  }

  /** Signs in, and enrols an app if the user has one. */
  async begin(): Promise<void> {
    await this.#finish(this.#resident, await this.#start(this.#resident))
    if (this.#hasApp) this.#app = await this.#enrol()
    await this.#expectSignedIn(this.#resident, 'the first sign-in')
  }

  /**
   * Uses the session that stays, and takes the next step of a sign-in, unless the app rests.
   *
   * @throws Error if the user is signed out, or a step fails
   */
  async act(): Promise<void> {
    await this.#expectSignedIn(this.#resident, 'the session that stays')
    this.#round += 1
    if (this.#round % UPDATES === 0) await this.#update()
    if (!this.#restsApp) await this.#steps.next()
  }

  /**
   * Signs in with an app that has rested.
   *
   * @throws Error if a step fails
   */
  async endRotation(): Promise<void> {
    if (!this.#app || !this.#restsApp) return
    const browser = this.#visitor
    await this.#finish(browser, await this.#start(browser))
    await this.#sendCode(browser, this.#app)
    await this.#expectSignedIn(browser, 'a sign-in after a rotation')
    await expectRedirect('a sign-out', browser.submit('/signout'))
  }

  async *#signInAgainAndAgain(): AsyncGenerator<void, never> {
    const browser = this.#visitor
    for (;;) {
      const callback = await this.#start(browser)
      yield
      await this.#finish(browser, callback)
      if (this.#app) yield* this.#prove(browser, this.#app)
      await this.#expectSignedIn(browser, 'a sign-in')
      yield
      await this.#expectSignedIn(browser, 'a session')
      await expectRedirect('a sign-out', browser.submit('/signout'))
      yield
      yield* this.#signInByEmail(browser)
    }
  }

  async *#signInByEmail(browser: Browser): AsyncGenerator<void, void> {
    const { mailbox } = this.#surroundings
    const pattern = this.#round % 2 === 0 ? callbackLink : mailedCode
    await expectRedirect('an email', browser.submit('/signin/email', { email: this.#email }))
    yield
    const found = mailbox.take(this.#email, pattern)
    const isLink = found.startsWith('https:')
    const opened = isLink
      ? browser.visit(found)
      : browser.submit('/callback/email', { code: found })
    await expectRedirect(isLink ? 'a link' : 'a code', opened)
    if (this.#app) yield* this.#prove(browser, this.#app)
    await this.#expectSignedIn(browser, 'a sign-in by email')
    yield
  }

  async #start(browser: Browser): Promise<string> {
    const begun = browser.submit('/signin/passport')
    const callback = await expectRedirect('a sign-in begins', begun)
    callback.searchParams.set('code', this.name)
    return callback.href
  }

  async #finish(browser: Browser, callback: string): Promise<void> {
    await expectRedirect('a callback', browser.visit(callback))
  }

  async #enrol(): Promise<TOTP> {
    const browser = this.#resident
    await expectRedirect('an enrolment', browser.submit('/signin/totp', { link: 'true' }))
    const page = await (await browser.visit('/signin?second=true')).text()
    const [, url = ''] = /href="(otpauth:[^"]+)"/.exec(page) ?? []
    const app = URI.parse(url.replaceAll('&amp;', '&'))
    if (!(app instanceof TOTP)) throw new Error('expected a key for TOTP')
    const code = this.#generate(app)
    await expectStatus('the first code', browser.submit('/signin/totp', { code }), 200)
    return app
  }

  /** Proves the second factor in a later round, because one code works in a step of the app. */
  async *#prove(browser: Browser, app: TOTP): AsyncGenerator<void, void> {
    do yield
    while (this.#getStep() <= this.#lastStep)
    await this.#sendCode(browser, app)
  }

  async #sendCode(browser: Browser, app: TOTP): Promise<void> {
    const code = this.#generate(app)
    await expectRedirect('a code of the app', browser.submit('/signin/totp', { code }))
  }

  #generate(app: TOTP): string {
    this.#lastStep = this.#getStep()
    return app.generate({ timestamp: this.#surroundings.now() * 1000 })
  }

  #getStep(): number {
    return Math.floor(this.#surroundings.now() / STEP)
  }

  async #update(): Promise<void> {
    const csrfToken = await this.#resident.csrfToken()
    const response = this.#resident.visit('/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ csrfToken, data: this.#round }),
    })
    await expectStatus('an update of the session', response, 200)
    const { note } = await this.#resident.json('/session')
    expectEqual('the updated session', note, this.#round)
  }

  async #expectSignedIn(browser: Browser, what: string): Promise<void> {
    const response = await expectStatus(what, browser.visit('/session'), 200)
    const { user } = (await response.json()) as { readonly user?: { readonly email: string } }
    expectEqual(what, user?.email, this.#email)
  }
}
