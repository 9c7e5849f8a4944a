/** What holds after every request and after every command, whatever has happened before. */
import type { Browser } from './browser.ts'
import type { Reply } from './messages.ts'
import { end, getSessionOf, observe, SESSION } from './sessions.ts'
import { limits } from './strategies.ts'
import type { SessionRecord } from './records.ts'
import type { World } from './world.ts'

/**
 * Checks an answer: no internal error, and no secret outside of the cookie or the redirect that carries it.
 *
 * @throws Violation
 */
export function checkAnswer(world: World, answer: Omit<Reply, 'began'>): void {
  const { status, error, visit } = answer
  // A mailer that fails is `EmailSignin` (I-30.4), everything else `Unavailable`.
  const planned = world.ports.failure?.port === 'mailer' ? 502 : 503
  const isPlanned = world.isUnclear && status === planned
  if (status >= 500 && !isPlanned)
    world.fail(`${visit.path} answers ${status} ${error ?? ''}: ${world.ports.lines.at(-1) ?? ''}`)
  checkDeletion(world, answer)
  checkSecrets(world, answer)
}

/** Only a sign-out and the deletion of the account delete the session cookie (I-36.1). */
function checkDeletion(
  world: World,
  { headers, visit: { path, form } }: Omit<Reply, 'began'>,
): void {
  if ((path === '/signout' && form) || form?.['action'] === 'deleteAccount') return
  const lines = headers.getSetCookie().filter((line) => line.startsWith(`${SESSION}=;`))
  if (lines.length > 0) world.fail(`a reply of ${path} deletes the session cookie`)
}

/** Lines of the log that were checked before. */
const checkedLines = new WeakMap<World, number>()

function checkSecrets(world: World, { headers, text, visit }: Omit<Reply, 'began'>): void {
  const others = [...headers].filter(([name]) => name !== 'set-cookie')
  const sent = visit.path + JSON.stringify(visit.form ?? {})
  const shown = `${others.map((pair) => pair.join(': ')).join('\n')}\n${text}`
  const lines = world.ports.lines.slice(checkedLines.get(world) ?? 0).join('\n')
  checkedLines.set(world, world.ports.lines.length)
  for (const [secret, name] of world.secretTexts) {
    if (lines.includes(secret)) world.fail(`the log has ${name}: ${lines}`)
    // The page of a link repeats its token in a form (I-31.2).
    const isRepeated = name === 'the token of a link' && sent.includes(secret)
    if (shown.includes(secret) && !isRepeated) world.fail(`the answer of ${visit.path} has ${name}`)
  }
}

/**
 * Checks all browsers, the sessions that have ended, and the accounts of all users.
 *
 * @throws Violation
 */
export async function checkWorld(world: World): Promise<void> {
  for (const browser of world.browsers) await checkBrowser(world, browser)
  if (world.has('revocation')) await checkEnded(world)
  await checkAccounts(world)
}

/** A session in a browser belongs to a user who has authenticated there, or there is none. */
async function checkBrowser(world: World, browser: Browser): Promise<void> {
  const seen = await observe(world, browser)
  if (!seen) return
  const session = world.sessions.get(seen.id) ?? toImported(world, browser, seen)
  const { person, ended, userId } = session
  if (userId !== seen.userId) world.fail(`a session has changed its user`)
  if (!browser.people.has(person))
    world.fail(
      `browser ${browser.id} is signed in as ${person.name}, who has never signed in there`,
    )
  if (ended !== undefined && world.has('revocation'))
    world.fail(`browser ${browser.id} has a session of ${person.name} that has ended: ${ended}`)
  if (ended === undefined || !world.has('revocation')) checkEndedHere(world, browser, seen.id)
  checkLifetime(world, session)
}

/** Without a storage that keeps what has ended, the browser remembers it (I-37.2). */
function checkEndedHere(world: World, browser: Browser, id: string): void {
  const until = browser.ended.get(id)
  if (until !== undefined && world.ports.now < until - 2)
    world.fail(`a session that has ended in browser ${browser.id} is back`)
}

function checkLifetime(world: World, { startedAt, renewedAt, person }: SessionRecord): void {
  const { now } = world.ports
  if (now >= renewedAt + limits.maxAge)
    world.fail(`a session of ${person.name} works ${now - renewedAt} seconds after its renewal`)
  if (now >= startedAt + limits.absoluteMaxAge)
    world.fail(`a session of ${person.name} works ${now - startedAt} seconds after its sign-in`)
}

/** A session of the previous service can be read before it is imported (I-45.1). */
function toImported(
  world: World,
  browser: Browser,
  { id, userId }: { readonly id: string; readonly userId: string },
): SessionRecord {
  const { imported } = browser
  if (!imported) return world.fail(`browser ${browser.id} has a session that no reply has begun`)
  const { now } = world.ports
  const none = { ended: undefined, note: undefined, values: new Set<string>() }
  return { id, userId, person: imported, startedAt: now, renewedAt: now, ...none }
}

/** Values whose sessions have ended, at most, that are tried after each command. */
const TRIED = 8

/** No cookie of a session that has ended gives a session. */
async function checkEnded(world: World): Promise<void> {
  const ended = [...world.sessions.values()].filter((session) => session.ended !== undefined)
  for (const session of ended.slice(-TRIED)) {
    const value = [...session.values].at(-1)
    if (value === undefined) continue
    const seen = await getSessionOf(world, `${SESSION}=${value}`)
    if (seen) world.fail(`a cookie of ${session.person.name} works after the end: ${session.ended}`)
  }
}

/** An account of another person never belongs to a user. */
async function checkAccounts(world: World): Promise<void> {
  const { storage } = world.ports
  if (!storage?.listAccounts) return
  for (const [userId, { person }] of world.keys) {
    const accounts = await world.ports.watch(async () => storage.listAccounts?.(userId))
    const foreign = accounts?.find(
      ({ providerAccountId }) => !providerAccountId.includes(person.name),
    )
    if (foreign) world.fail(`an account of ${foreign.providerAccountId} belongs to ${person.name}`)
  }
}

/** Ends in the model what has expired, so that it is not tried for ever. */
export function expire(world: World): void {
  for (const session of world.sessions.values()) {
    if (world.ports.now >= session.renewedAt + limits.maxAge) end(session, 'it has expired')
  }
}
