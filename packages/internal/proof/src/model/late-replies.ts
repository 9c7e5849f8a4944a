import type { HeldReply, Reply } from './messages.ts'
import { deliver } from './replies.ts'
import { observe, SESSION } from './sessions.ts'
import type { World } from './world.ts'

/**
 * Gives a browser a reply that was on its way while the browser sent other requests.
 *
 * @throws Violation if it ends a newer session, although it neither signs out nor brings another session (I-36.2)
 */
export async function deliverLate(world: World, { browser, reply }: HeldReply): Promise<void> {
  const names = listCookieNames(reply)
  // What a reply sets was decided before what the browser has received since.
  if (names.includes('__Host-latchkey.ended')) browser.ended.clear()
  if (names.some((name) => name.startsWith('__Host-latchkey.known'))) browser.known.clear()
  const before = await observe(world, browser)
  deliver(world, browser, reply)
  const isRead = !(reply.visit.path === '/signout' && reply.visit.form) && !setsSession(reply)
  if (!before || !isRead) return
  const after = await observe(world, browser)
  if (after?.id !== before.id)
    world.fail(`a late reply of ${reply.visit.path} ends a newer session`)
}

function listCookieNames({ headers }: Reply): readonly string[] {
  return headers.getSetCookie().map((line) => line.slice(0, line.indexOf('=')))
}

function setsSession({ headers }: Reply): boolean {
  return headers.getSetCookie().some((line) => new RegExp(`^${SESSION}=[^;]`).test(line))
}
