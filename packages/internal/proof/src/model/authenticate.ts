import type { Browser } from './browser.ts'
import type { Person, Way } from './people.ts'
import { sendAs } from './replies.ts'
import type { Delivery, Reply, Visit } from './messages.ts'
import { observe } from './sessions.ts'
import type { World } from './world.ts'

/** The request by which a person proves who they are. */
export interface Attempt {
  readonly person: Person
  readonly browser: Browser
  readonly way: Way
  readonly delivery: Delivery
  readonly purpose?: 'signIn' | 'confirm'
  /** How many factors the browser has proven then. Default: 1 */
  readonly factors?: 1 | 2
  /** Whether it completes an unfinished sign-in. Default: false */
  readonly isSecond?: boolean
  readonly request: Visit
}

/** How a sign-in has continued. */
type Outcome = 'begun' | 'unfinished' | 'refused'

/** What the service has done with a proof. */
export interface Proved {
  readonly outcome: Outcome
  readonly reply: Reply
}

/**
 * Sends a proof of a person and checks what follows: a session of this person, a second factor to prove, or a refusal.
 *
 * @throws Violation
 */
export async function authenticate(world: World, attempt: Attempt): Promise<Proved> {
  const { person, browser, way, delivery, purpose = 'signIn', factors = 1, request } = attempt
  const name = toName(attempt)
  browser.people.add(person)
  browser.attempts.push({ name, at: world.ports.now })
  const before = await observe(world, browser)
  const isRepeatable =
    factors === 1 && repeatable.includes(way) && !('token' in { ...request.form })
  const visit = { ...request, proves: { person, way, factors, purpose, isRepeatable } }
  const { reply, hasArrived } = await sendAs(world, browser, visit, delivery)
  const { began } = reply
  if (began) person.users.set(way, began.userId)
  if (began && hasArrived) await checkBegun(world, browser, began.id)
  if (began && hasArrived) browser.known.add(name)
  if (began) return { outcome: 'begun', reply }
  if (isUnfinished(reply)) {
    const now = await observe(world, browser)
    if (now && now.id !== before?.id) world.fail('an unfinished sign-in has changed the session')
    const userId = purpose === 'confirm' ? before?.userId : person.users.get(way)
    browser.unfinished = { person, way, purpose, userId }
    return { outcome: 'unfinished', reply }
  }
  checkNotLockedOut(world, browser, name, reply)
  return { outcome: 'refused', reply }
}

/** Passwords prove each time who types them. */
const repeatable: readonly Way[] = ['members', 'passwords']

/** Returns whether a reply leads to the page that asks for the second factor. */
export function isUnfinished({ url }: Pick<Reply, 'url'>): boolean {
  return url !== undefined && /\/signin\?second=true/.test(url)
}

async function checkBegun(world: World, browser: Browser, id: string): Promise<void> {
  const seen = await observe(world, browser)
  if (seen?.id === id || world.isUnclear) return
  world.fail(`the session that browser ${browser.id} has just received does not work`)
}

/** Returns what a browser knows a sign-in by: a second factor apart from a first one (I-52.8). */
function toName({ person, browser, way, isSecond }: Attempt): string {
  return isSecond ? toSecondName(browser.unfinished?.userId ?? '') : toFirstName(way, person)
}

/** Returns what a browser knows a first factor of a person by. */
export function toFirstName(way: Way, { name }: Person): string {
  return `${way} ${name}`
}

/** Returns what a browser knows the second factors of a user by. */
export function toSecondName(userId: string): string {
  return `second ${userId}`
}

/** Attempts of a browser in ten minutes that no limit refuses: five emails, ten passwords, ten codes. */
const free: Readonly<Record<string, number>> = { email: 4, members: 8, passwords: 8, second: 4 }

/** Seconds after which every count has ended. */
const WINDOW = 600

/**
 * Checks that no other person has used up the limits of a name in a browser that knows it.
 *
 * @throws Violation
 */
export function checkNotLockedOut(
  world: World,
  browser: Browser,
  name: string,
  { status }: Pick<Reply, 'status'>,
): void {
  if (status !== 429 || !browser.known.has(name)) return
  const [way = ''] = name.split(' ')
  const since = world.ports.now - WINDOW
  const own = browser.attempts.filter((each) => each.name.startsWith(way) && each.at >= since)
  if (own.length > (free[way] ?? Infinity)) return
  world.fail(`a name is locked out of a browser that knows it: ${name}`)
}
