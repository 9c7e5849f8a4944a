import type { Browser } from './browser.ts'
import type { Keys, Way } from './people.ts'
import { observe } from './sessions.ts'
import type { World } from './world.ts'

/** The user of the session of a browser. */
export interface SignedIn {
  readonly userId: string
  readonly sessionId: string
  readonly keys: Keys
}

/** Returns who is signed in in a browser; undefined if no person is, or the session is not imported yet. */
export async function findSignedIn(world: World, browser: Browser): Promise<SignedIn | undefined> {
  const seen = await observe(world, browser)
  const keys = world.keys.get(seen?.userId ?? '')
  return seen && keys ? { userId: seen.userId, sessionId: seen.id, keys } : undefined
}

/** Lists the ways in which the person of a user signs in as this user. */
export function listWays({ person }: Keys, userId: string): readonly Way[] {
  return [...person.users].flatMap(([way, id]) => (id === userId ? [way] : []))
}
