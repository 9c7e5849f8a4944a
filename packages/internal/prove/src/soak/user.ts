import { Browser } from '@latchkey/testing/browser'
import type { Cluster } from './cluster.ts'
import type { StatelessIssuer } from './issuer.ts'
import { ORIGIN } from './service.ts'
import type { Kind } from './service.ts'

/** What the users of a run share. */
export interface Surroundings {
  readonly cluster: Cluster
  readonly issuer: StatelessIssuer
  /** The text of the latest email to each email address, until it is read. */
  readonly mails: Map<string, string>
  /** Returns the time in seconds since 1970. */
  readonly now: () => number
}

/** Form fields. */
export type Fields = Readonly<Record<string, string>>

/** The callback of an email or a password. */
const callbackLink = /https:\S+\/callback\/\S+/

/** A user, in any number of browsers. */
export class User {
  readonly name: string
  readonly email: string
  readonly kind: Kind
  readonly surroundings: Surroundings
  /** Ids that sessions had, of users to delete at the end. */
  readonly #ids = new Set<string>()
  readonly #ip: string

  constructor(number: number, kind: Kind, surroundings: Surroundings) {
    this.kind = kind
    this.name = `user${number}`
    this.email = `${this.name}@soak.example`
    this.surroundings = surroundings
    this.#ip = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
  }

  /** Opens another browser. */
  browse(): Browser {
    const { cluster } = this.surroundings
    const handle = (request: Request): Promise<Response> =>
      cluster.handle(this.kind, request, this.#ip)
    return new Browser(handle, `${ORIGIN}/api/auth`)
  }

  /** @throws Error if the browser is not signed in as this user */
  async expectSignedIn(browser: Browser, what: string): Promise<void> {
    const { user } = (await browser.json('/session')) as { user?: { id: string; email: string } }
    if (user) this.#ids.add(user.id)
    expectEqual(what, user?.email, this.email)
  }

  /** @throws Error if the browser is signed in */
  async expectSignedOut(browser: Browser, what: string): Promise<void> {
    expectEqual(what, (await browser.json('/session'))['user'], undefined)
  }

  /** Begins a sign-in at the identity provider, and returns the URL of its callback. */
  async beginAtProvider(browser: Browser, fields: Fields = {}): Promise<string> {
    const begun = browser.submit('/signin/op', fields)
    const request = await expectRedirect('a sign-in at the provider begins', begun)
    return this.surroundings.issuer.authorize(request, this).href
  }

  async signInAtProvider(browser: Browser, fields: Fields = {}): Promise<void> {
    const callback = await this.beginAtProvider(browser, fields)
    await expectRedirect('the callback of the provider', browser.visit(callback))
  }

  /** Posts a form that sends an email, and returns its link or code. */
  async requestMail(
    browser: Browser,
    path: string,
    fields: Fields = {},
    pattern = callbackLink,
  ): Promise<string> {
    const sent = browser.submit(path, { email: this.email, ...fields })
    await expectRedirect('an email is sent', sent)
    const { mails, cluster } = this.surroundings
    await cluster.settle()
    const [found] = pattern.exec(mails.get(this.email) ?? '') ?? []
    if (found === undefined) throw new Error(`expected an email with ${pattern.source}`)
    mails.delete(this.email)
    return found
  }

  async signInByEmail(browser: Browser): Promise<void> {
    const link = await this.requestMail(browser, '/signin/email')
    await expectRedirect('the link of an email', browser.visit(link))
    await this.expectSignedIn(browser, 'a sign-in by email')
  }

  async signOut(browser: Browser): Promise<void> {
    await expectRedirect('a sign-out', browser.submit('/signout'))
    await this.expectSignedOut(browser, 'a sign-out')
  }

  /** Deletes whom the browsers were signed in as. */
  async leave(): Promise<void> {
    const { cluster, mails } = this.surroundings
    await cluster.settle()
    for (const id of this.#ids) await cluster.deleteUser(id)
    mails.delete(this.email)
  }
}

/** @throws Error if two values are not the same */
export function expectEqual(what: string, found: unknown, expected: unknown): void {
  if (found === expected) return
  throw new Error(`${what}: expected ${String(expected)}, found ${String(found)}`)
}

/**
 * Returns the response with the expected status.
 *
 * @throws Error if it has another one
 */
export async function expectStatus(
  what: string,
  pending: Promise<Response>,
  status: number,
): Promise<Response> {
  const response = await pending
  expectEqual(`the status of ${what}`, response.status, status)
  return response
}

/**
 * Returns the URL of a redirect.
 *
 * @throws Error if the response is another one, or leads to an error
 */
export async function expectRedirect(what: string, pending: Promise<Response>): Promise<URL> {
  const response = await pending
  const location = URL.parse(response.headers.get('location') ?? '', ORIGIN)
  if (location && response.status < 400 && !location.searchParams.has('error')) return location
  throw new Error(`${what}: expected a redirect, found ${response.status} ${location?.href ?? ''}`)
}
