import type { Browser } from './browser.ts'
import type { Person } from './people.ts'
import { parseCookies } from './parse-cookies.ts'
import { origin } from './service.ts'
import type { Reply } from './messages.ts'
import type { SessionRecord } from './records.ts'
import type { World } from './world.ts'

/** The cookie of a session. */
export const SESSION = '__Host-latchkey.session'
/** The cookie of a session of the previous service. */
export const PREVIOUS = '__Secure-next-auth.session-token'

/** What the service says of some cookies. */
interface Seen {
  readonly id: string
  readonly userId: string
}

/** Returns the session that some cookies hold, as a read of the application finds it; undefined if there is none. */
export async function getSessionOf(world: World, cookie: string): Promise<Seen | undefined> {
  const request = new Request(`${origin}/page`, { headers: { cookie } })
  const { session, id } = await world.ports.watch(() =>
    world.auth.getSession(request, { renew: false }),
  )
  return session && id !== null ? { id, userId: session.user.id } : undefined
}

/** Returns the `Cookie` header that a browser sends to the application. */
export function getCookies(world: World, { jar }: Browser): string {
  const from = { site: 'same-origin', method: 'GET' } as const
  return jar.getHeader(new URL(`${origin}/page`), world.ports.now, from)
}

/** Returns the session that a browser has now. */
export async function observe(world: World, browser: Browser): Promise<Seen | undefined> {
  return getSessionOf(world, getCookies(world, browser))
}

/**
 * Learns from a reply which session it has begun or renewed. A session begins only if a person has proven who they are.
 *
 * @throws Violation
 */
export async function learnSessions(
  world: World,
  browser: Browser,
  answer: Omit<Reply, 'began'>,
): Promise<SessionRecord | undefined> {
  const value = findSessionValue(answer.headers)
  if (value === undefined) return undefined
  world.hide(value, 'the cookie of a session')
  const seen = await getSessionOf(world, `${SESSION}=${value}`)
  if (!seen) return undefined
  const known = world.sessions.get(seen.id)
  if (!known) return begin(world, browser, answer, { ...seen, value })
  if (known.ended !== undefined && world.has('revocation'))
    world.fail(`a reply sets the cookie of a session that has ended: ${known.ended}`)
  known.renewedAt = world.ports.now
  known.values.add(value)
  return undefined
}

function findSessionValue(headers: Headers): string | undefined {
  const cookies = parseCookies(headers.getSetCookie().map((line) => line.split(';', 1)[0] ?? ''))
  return cookies.get(SESSION) || undefined
}

function begin(
  world: World,
  browser: Browser,
  { visit, cookie, previousId }: Omit<Reply, 'began'>,
  { id, userId, value }: Seen & { readonly value: string },
): SessionRecord {
  const isImport = parseCookies(cookie.split('; ')).has(PREVIOUS)
  const person = visit.proves?.person ?? (isImport ? browser.imported : undefined)
  if (!person) return world.fail(`a session begins although no person signs in: ${visit.path}`)
  checkOwner(world, userId, person)
  checkFactors(world, browser, userId, visit.proves?.factors ?? 1)
  const previous = previousId === undefined ? undefined : world.sessions.get(previousId)
  const isConfirmed = visit.proves?.purpose === 'confirm'
  if (isConfirmed && previous?.userId !== userId)
    world.fail(`a confirmation has changed the user of the session`)
  const { now } = world.ports
  const startedAt = isConfirmed && previous ? previous.startedAt : now
  const kept = { note: isConfirmed ? previous?.note : '', ended: undefined, renewedAt: now }
  const session = { id, userId, person, startedAt, values: new Set([value]), ...kept }
  world.sessions.set(id, session)
  browser.people.add(person)
  if (previous && world.has('revocation')) previous.ended = 'another session has replaced it'
  return session
}

/** @throws Violation if a user belongs to another person */
function checkOwner(world: World, userId: string, person: Person): void {
  const keys = world.keys.get(userId)
  if (keys && keys.person !== person)
    world.fail(`${person.name} has proven who they are, and gets a session of ${keys.person.name}`)
  const none = { app: undefined, codes: [], devices: [], hasSecond: false }
  if (!keys) world.keys.set(userId, { person, ...none })
}

/** @throws Violation if a session begins by one factor, though its user has a second one */
function checkFactors(world: World, browser: Browser, userId: string, factors: 1 | 2): void {
  const isSpared = (browser.remembered.get(userId) ?? 0) > world.ports.now
  if (factors === 2 || isSpared || world.keys.get(userId)?.hasSecond !== true) return
  world.fail('a session begins without the second factor of its user')
}

/** Notes that a session has ended wherever it is. */
export function end(session: SessionRecord | undefined, why: string): void {
  if (session && session.ended === undefined) session.ended = why
}

/** Notes that all sessions of a user have ended, except one if it is given. */
export function endAll(world: World, userId: string, why: string, exceptId?: string): void {
  for (const session of world.sessions.values())
    if (session.userId === userId && session.id !== exceptId) end(session, why)
}

/** Notes that a user is deleted, with all that the user had. */
export function forgetUser(world: World, userId: string): void {
  endAll(world, userId, 'its user is deleted')
  const keys = world.keys.get(userId)
  if (keys)
    world.keys.set(userId, { ...keys, app: undefined, codes: [], devices: [], hasSecond: false })
  for (const person of Object.values(world.people)) {
    if (person.users.get('passwords') === userId) person.password = undefined
    for (const [way, id] of person.users) if (id === userId) person.users.delete(way)
  }
}
