import type { CookieChange } from '../http/set-cookie.ts'
import { keepAlive } from '../lib/keep-alive.ts'
import { getCauses } from '../lib/log.ts'
import type { Change, Context, DoneSignIn, Service } from './context.ts'

/**
 * Counts a change of a session's user that gives a lasting way in, before it is made.
 *
 * @throws AuthError `RateLimited`, `Unavailable`
 */
export async function limitChange(ctx: Context, userId: string): Promise<void> {
  for (const { limitChange: limit } of ctx.service.capabilities.list) await limit?.(ctx, userId)
}

/** Returns whether somebody is told of changes. */
export function hasListeners({ capabilities }: Pick<Service, 'capabilities'>): boolean {
  return capabilities.list.some(({ changed: listen }) => listen !== undefined)
}

/** Tells the listeners of a change, once its step is stored (I-63.6). A request does not wait for them. */
export async function changed(change: Change): Promise<void> {
  const told = tellListeners(change)
  if (change.ctx) return keepAlive(change.ctx, told)
  await told
}

async function tellListeners(change: Change): Promise<void> {
  const { service, kind } = change
  const tell = service.capabilities.list.map(async ({ id, changed: listen }) => {
    try {
      await listen?.(change)
    } catch (thrown) {
      service.log.error(`${id} was not told of a change`, {
        change: kind,
        causes: getCauses(thrown),
      })
    }
  })
  await Promise.all(tell)
}

/** Returns what capabilities add to a sign-in whose session has begun: if one fails, the others are added. */
export async function completeDone(
  ctx: Context,
  signIn: DoneSignIn,
): Promise<readonly CookieChange[]> {
  const cookies: CookieChange[] = []
  for (const { id, done } of ctx.service.capabilities.list) {
    try {
      cookies.push(...((await done?.(ctx, signIn)) ?? []))
    } catch (thrown) {
      const problem = `${id} was left out of a sign-in`
      ctx.service.log.error(problem, { causes: getCauses(thrown) })
    }
  }
  return cookies
}
