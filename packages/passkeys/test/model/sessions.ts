/** What sessions there are: what the service says, and what the model knows. */
import { origin } from './service.ts'
import type { Person, Way } from './service.ts'
import type { Client, Keys, Reply, SessionRecord, World } from './world.ts'

/** The cookie of a session. */
export const SESSION = '__Host-latchkey.session'

/** What the service says of some cookies. */
interface Seen {
  readonly id: string
  readonly userId: string
}

/** Returns the session of a `Cookie` header, as a read of the application finds it. */
export async function getSession(world: World, cookie: string): Promise<Seen | undefined> {
  const request = new Request(`${origin}/page`, { headers: { cookie } })
  const { session, id } = await world.auth.getSession(request, { renew: false })
  return session && id !== null ? { id, userId: session.user.id } : undefined
}

/** Returns the session that a browser has now. */
export function observe(client: Client): Promise<Seen | undefined> {
  return getSession(client.world, client.cookies)
}

/** The user of the session of a browser. */
export interface SignedIn {
  readonly userId: string
  readonly sessionId: string
  readonly keys: Keys
}

/** Returns who is signed in in a browser. */
export async function findSignedIn(client: Client): Promise<SignedIn | undefined> {
  const seen = await observe(client)
  const keys = client.world.keys.get(seen?.userId ?? '')
  return seen && keys ? { userId: seen.userId, sessionId: seen.id, keys } : undefined
}

/** Lists the ways in which the person of a user signs in as this user. */
export function listWays({ person }: Keys, userId: string): readonly Way[] {
  return [...person.users].flatMap(([way, id]) => (id === userId ? [way] : []))
}

/**
 * Learns from a reply which session it has begun or renewed. A session begins only if a person has proven who they are.
 *
 * @throws Error if another one begins
 */
export async function learnSessions(
  client: Client,
  reply: Omit<Reply, 'began'>,
): Promise<SessionRecord | undefined> {
  const { world } = client
  const value = findSessionValue(reply.headers)
  if (value === undefined) return undefined
  world.hide(value, 'the cookie of a session')
  const seen = await getSession(world, `${SESSION}=${value}`)
  if (!seen) return undefined
  const known = world.sessions.get(seen.id)
  if (!known) return begin(client, reply, { ...seen, value })
  if (known.ended !== undefined && world.hasRevocation)
    world.fail(`a reply sets the cookie of a session that has ended: ${known.ended}`)
  known.renewedAt = world.ports.now
  known.value = value
  return undefined
}

/** Returns the value that a reply gives to the cookie of the session; undefined if it sets or deletes none. */
export function findSessionValue(headers: Headers): string | undefined {
  const lines = headers.getSetCookie().join('\n')
  return new RegExp(`^${SESSION}=([^;\n]+)`, 'm').exec(lines)?.[1]
}

function begin(
  client: Client,
  { visit, previousId }: Omit<Reply, 'began'>,
  { id, userId, value }: Seen & { readonly value: string },
): SessionRecord {
  const { world } = client
  const { person, factors, purpose } =
    visit.proves ?? world.fail(`a session begins although no person signs in: ${visit.path}`)
  checkUser(client, { userId, person, factors })
  const previous = world.sessions.get(previousId ?? '')
  const isConfirmed = purpose === 'confirm'
  if (isConfirmed && previous?.userId !== userId)
    world.fail(`a confirmation has changed the user of the session`)
  const { now } = world.ports
  const startedAt = (isConfirmed && previous?.startedAt) || now
  const session = { id, userId, person, startedAt, renewedAt: now, value, ended: undefined }
  world.sessions.set(id, session)
  if (world.hasRevocation) end(previous, 'another session has replaced it')
  return session
}

/** Checks that a user belongs to one person, and that a session begins by both factors of its user. */
function checkUser(
  client: Client,
  { userId, person, factors }: { userId: string; person: Person; factors: 1 | 2 },
): void {
  const { world } = client
  const keys = world.keys.get(userId)
  if (!keys) return void world.keys.set(userId, { person, ...none })
  if (keys.person !== person)
    world.fail(`${person.name} has proven who they are, and gets a session of ${keys.person.name}`)
  const isSpared = (client.remembered.get(userId) ?? 0) > world.ports.now
  if (factors < 2 && !isSpared && keys.hasSecond)
    world.fail('a session begins without the second factor of its user')
}

const none = { app: undefined, codes: [], devices: [], hasSecond: false } as const

/** Notes that a session has ended wherever it is. */
export function end(session: SessionRecord | undefined, why: string): void {
  if (session) session.ended ??= why
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
  if (keys) world.keys.set(userId, { person: keys.person, ...none })
  for (const person of Object.values(world.people)) {
    if (person.users.get('passwords') === userId) person.password = undefined
    for (const [way, id] of person.users) if (id === userId) person.users.delete(way)
  }
}
