/** What one user does, from the first request to the deletion of the account. */
import { Browser } from '@latchkey/core/testing/browser'
import type { Random } from '../../../faults/src/random.ts'
import type { Mailbox } from './mailbox.ts'
import type { Network, Person } from './network.ts'
import { ORIGIN } from './service.ts'
import type { SoakService } from './service.ts'

export const BASE: string = `${ORIGIN}/api/auth`

/** A journey: it yields the seconds that must pass before it continues. */
export type Journey = (user: JourneyUser) => AsyncGenerator<number, void>

/** The journeys of a service, by name. */
export type Journeys = Readonly<Record<string, Journey>>

/** What the journeys of a run share. */
export interface Surroundings {
  readonly service: SoakService
  readonly network: Network
  readonly mailbox: Mailbox
  readonly random: Random
  /** Returns the time in seconds since 1970. */
  readonly now: () => number
  /** Counts a request and its status. */
  readonly count: (status: number) => void
  /** Is called with what a reply did not wait for. */
  readonly waitUntil: (work: Promise<unknown>) => void
  /** Resolves when all of that is done. */
  readonly settle: () => Promise<void>
}

/** A session as a client sees it. */
export interface SeenSession {
  readonly user?: {
    readonly id: string
    readonly email: string | null
    readonly name: string | null
  }
  readonly note?: string | null
}

/** The user of one journey. */
export class JourneyUser {
  readonly name: string
  readonly email: string
  readonly surroundings: Surroundings
  readonly #ip: string
  /** Ids of users whom the journey has seen, who are deleted at its end. */
  readonly #ids = new Set<string>()

  /** @param number Another one for each journey */
  constructor(number: number, surroundings: Surroundings) {
    this.name = `user${number}`
    this.email = `user${number}@soak.example`
    this.surroundings = surroundings
    this.#ip = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
  }

  /** The user at an identity provider. */
  get person(): Person {
    return { subject: this.name, email: this.email, sid: `sid-${this.name}` }
  }

  /** Opens another browser. */
  browse(): Browser {
    return new Browser((request) => this.send(request), BASE)
  }

  /** Sends a request from the user's IP address. */
  async send(request: Request): Promise<Response> {
    const { service, count, waitUntil } = this.surroundings
    const response = await service.auth.handle(request, { clientIp: () => this.#ip, waitUntil })
    count(response.status)
    return response
  }

  /** Posts a Logout Token, and returns the status. */
  async sendLogoutToken(token: string): Promise<number> {
    const { service, count } = this.surroundings
    const body = new URLSearchParams({ logout_token: token })
    const request = new Request(`${ORIGIN}/logout`, { method: 'POST', body })
    const response = await service.endSessions?.(request)
    const status = response?.status ?? 404
    count(status)
    return status
  }

  /** Reads the session of a browser. */
  async read(browser: Browser): Promise<SeenSession> {
    const session = (await browser.json('/session')) as SeenSession
    if (session.user) this.#ids.add(session.user.id)
    return session
  }

  /** @throws Error if the browser is not signed in as this user */
  async expectSignedIn(browser: Browser, what: string): Promise<void> {
    const { user } = await this.read(browser)
    const isOwn = user?.email === this.email || user?.name === this.name || user?.id === this.name
    expectEqual(what, isOwn, true)
  }

  /** @throws Error if the browser is signed in */
  async expectSignedOut(browser: Browser, what: string): Promise<void> {
    expectEqual(what, (await this.read(browser)).user, undefined)
  }

  /** Deletes whom the journey has signed in. */
  async leave(): Promise<void> {
    const { service, mailbox } = this.surroundings
    if (service.storage) for (const id of this.#ids) await service.auth.users.delete(id)
    mailbox.empty(this.email)
    mailbox.empty(`new.${this.email}`)
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
  if (response.status === status) return response
  const location = response.headers.get('location') ?? ''
  throw new Error(`${what}: expected the status ${status}, found ${response.status} ${location}`)
}

/**
 * Expects a redirect without an error, and returns its URL.
 *
 * @throws Error if the response is something else
 */
export async function expectRedirect(what: string, pending: Promise<Response>): Promise<URL> {
  const response = await pending
  const location = URL.parse(response.headers.get('location') ?? '', ORIGIN)
  const isRedirect = response.status === 302 || response.status === 303
  if (isRedirect && location && !location.searchParams.has('error')) return location
  throw new Error(`${what}: expected a redirect, found ${response.status} ${location?.href ?? ''}`)
}

/**
 * Expects a redirect to a page with an error.
 *
 * @throws Error if the response is something else
 */
export async function expectError(
  what: string,
  pending: Promise<Response>,
  error: string,
): Promise<void> {
  const response = await pending
  const location = URL.parse(response.headers.get('location') ?? '', ORIGIN)
  const found = location?.searchParams.get('error') ?? `the status ${response.status}`
  expectEqual(what, found, error)
}
