/** What holds after every request and after every command, whatever has happened before. */
import { limits } from './service.ts'
import { end, getSession, observe, SESSION } from './sessions.ts'
import type { Client, Reply, World } from './world.ts'

/** Lines of the log that were checked before. */
const checkedLines = new WeakMap<World, number>()

/** Checks a reply: no internal error, no deleted session, and no secret outside of the cookie or the redirect that carries it. */
export function checkReply(world: World, reply: Omit<Reply, 'began'>): void {
  const { status, error, headers, text, visit } = reply
  const lines = world.ports.lines.slice(checkedLines.get(world) ?? 0).join('\n')
  checkedLines.set(world, world.ports.lines.length)
  if (status >= 500) world.fail(`${visit.path} answers ${status} ${error ?? ''}: ${lines}`)
  // Only a sign-out and the deletion of the account delete the session cookie (I-36.1).
  const isEnd =
    (visit.path === '/signout' && visit.form) || visit.form?.['action'] === 'deleteAccount'
  if (!isEnd && headers.getSetCookie().some((line) => line.startsWith(`${SESSION}=;`)))
    world.fail(`a reply of ${visit.path} deletes the session cookie`)
  const others = [...headers].filter(([name]) => name !== 'set-cookie')
  const shown = `${others.map((pair) => pair.join(': ')).join('\n')}\n${text}`
  const sent = visit.path + JSON.stringify(visit.form ?? {})
  for (const [secret, name] of world.secretTexts) {
    if (lines.includes(secret)) world.fail(`the log has ${name}: ${lines}`)
    // The page of a link repeats its token in a form (I-31.2).
    const isRepeated = name === 'the token of a link' && sent.includes(secret)
    if (shown.includes(secret) && !isRepeated) world.fail(`the reply of ${visit.path} has ${name}`)
  }
}

/** Checks all browsers, the sessions that have ended, and the accounts of all users. */
export async function checkWorld(world: World): Promise<void> {
  for (const client of world.clients) await checkClient(client)
  if (world.hasRevocation) await checkEnded(world)
  await checkAccounts(world)
}

/** A session in a browser belongs to a user who has authenticated there, or there is none. */
async function checkClient(client: Client): Promise<void> {
  const { world } = client
  const seen = await observe(client)
  if (!seen) return
  const { now } = world.ports
  const at = `browser ${client.id}`
  const { person, ended, userId, startedAt, renewedAt } =
    world.sessions.get(seen.id) ?? world.fail(`${at} has a session that no reply has begun`)
  if (userId !== seen.userId) world.fail('a session has changed its user')
  if (!client.people.has(person))
    world.fail(`${at} is signed in as ${person.name}, who has never signed in there`)
  if (ended !== undefined && world.hasRevocation)
    world.fail(`${at} has a session of ${person.name} that has ended: ${ended}`)
  // Without a storage that keeps what has ended, the browser remembers it (I-37.2).
  if (now < (client.ended.get(seen.id) ?? 0) - 2)
    world.fail(`a session that has ended in ${at} is back`)
  if (now >= renewedAt + limits.maxAge)
    world.fail(`a session of ${person.name} works ${now - renewedAt} seconds after its renewal`)
  if (now >= startedAt + limits.absoluteMaxAge)
    world.fail(`a session of ${person.name} works ${now - startedAt} seconds after its sign-in`)
}

/** Values whose sessions have ended, at most, that are tried after each command. */
const TRIED = 6

/** No cookie of a session that has ended gives a session. */
async function checkEnded(world: World): Promise<void> {
  const ended = [...world.sessions.values()].filter((session) => session.ended !== undefined)
  for (const session of ended.slice(-TRIED)) {
    if (await getSession(world, `${SESSION}=${session.value}`))
      world.fail(`a cookie of ${session.person.name} works after the end: ${session.ended}`)
  }
}

/** An account of another person never belongs to a user. */
async function checkAccounts(world: World): Promise<void> {
  for (const [userId, { person }] of world.keys) {
    const accounts = await world.ports.storage.listAccounts?.(userId)
    const foreign = accounts?.find((each) => !each.providerAccountId.includes(person.name))
    if (foreign) world.fail(`an account of ${foreign.providerAccountId} belongs to ${person.name}`)
  }
}

/** Advances the clock, and ends in the model what has expired. */
export function wait(world: World, seconds: number): void {
  world.ports.time += seconds * 1000
  for (const session of world.sessions.values())
    if (world.ports.now >= session.renewedAt + limits.maxAge) end(session, 'it has expired')
}
