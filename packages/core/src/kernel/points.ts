import type { StoredEvent } from '../ports/records.ts'
import type { Session } from '../session/session.ts'
import type { Awaitable } from '../ports/awaitable.ts'
import type { Reply } from '../http/reply.ts'
import type { CookieChange } from '../http/set-cookie.ts'
import { Refusal } from '../http/refusal.ts'
import { AuthError, ConfigurationError } from '../lib/errors.ts'
import { keepAlive } from '../lib/keep-alive.ts'
import { getCauses } from '../lib/log.ts'
import type {
  BegunSignIn,
  Capability,
  Change,
  Context,
  Continued,
  Done,
  DoneSignIn,
  EndReason,
  ProvenFirst,
  Service,
  TokenSigner,
} from './context.ts'

/**
 * Counts a change of a session's user that gives a lasting way in, before it is made: the points `limitChange`.
 *
 * @throws AuthError `RateLimited`, `Unavailable`
 */
export async function limitChange(ctx: Context, userId: string): Promise<void> {
  for (const { limitChange: limit } of ctx.service.capabilities.list) await limit?.(ctx, userId)
}

/** Asks the owner of the point `proven` whether a proof is enough (I-52). Every way of signing in passes here. */
export async function askProven(ctx: Context, first: ProvenFirst): Promise<Continued> {
  const { proven } = ctx.service.capabilities
  return proven ? proven.ask(ctx, first) : { authentication: first.signIn.authentication }
}

/** Asks the points `admission` whether a sign-in that has proven enough may go on: undefined if it may (I-63.4). */
export async function askAdmission(ctx: Context, first: ProvenFirst): Promise<Reply | undefined> {
  for (const { admission } of ctx.service.capabilities.list) {
    const reply = await admission?.ask(ctx, first)
    if (reply) return reply
  }
  return undefined
}

/** Returns whether a session that has begun may continue. */
export async function mayBegin(ctx: Context, signIn: BegunSignIn): Promise<boolean> {
  for (const { begun } of ctx.service.capabilities.list) {
    if (begun && !(await begun(ctx, signIn))) return false
  }
  return true
}

/** Returns whether a session may be renewed. */
export async function mayRenew(list: readonly Capability[], session: Session): Promise<boolean> {
  for (const { renewed } of list) if (renewed && !(await renewed(session))) return false
  return true
}

/** Ends what could become a session of a user, before the sessions end. */
export async function endAll(service: Service, userId: string, reason: EndReason): Promise<void> {
  for (const { endAll: end } of service.capabilities.list) await end?.(service, userId, reason)
}

/** Returns the events of capabilities that are stored in the step that deletes a user. */
export async function listDeletionEvents(
  service: Service,
  userId: string,
  ctx: Context | undefined,
): Promise<readonly StoredEvent[]> {
  const rows: StoredEvent[] = []
  for (const { deleting } of service.capabilities.list) {
    rows.push(...((await deleting?.(service, userId, ctx)) ?? []))
  }
  return rows
}

/**
 * Returns what signs JWTs.
 *
 * @param option The id of the capability that needs it, which the message names
 *
 * @throws ConfigurationError if no capability in use signs
 */
export function requireSigner({ capabilities }: Service, option: string): TokenSigner {
  if (capabilities.signer) return capabilities.signer
  throw new ConfigurationError(option, 'needs apiTokens() of @latchkey/tokens in use')
}

/** Returns whether somebody is told of changes. */
export function hasListeners({ capabilities }: Pick<Service, 'capabilities'>): boolean {
  return capabilities.list.some(({ changed: listen }) => listen !== undefined)
}

/**
 * Checks that the user of a session has proven recently enough who they are, to link an account or to change a factor.
 *
 * @param callbackUrl Where the confirmation leads
 * @param elapsed Seconds that may have passed in addition, since the check at the beginning of a flow. Default: 0
 *
 * @throws Refusal `ConfirmationRequired`, which leads to the page that asks
 */
export async function checkRecent(
  ctx: Context,
  callbackUrl: string,
  change: 'link' | 'factor',
  elapsed?: number,
): Promise<void> {
  const { recency } = ctx.service.capabilities
  if (!recency || (await recency.isRecent(ctx, change, elapsed))) return
  const error = new AuthError('ConfirmationRequired', `${change}: needs a recent confirmation`)
  throw new Refusal(error, { retryUrl: recency.getUrl(ctx, callbackUrl) })
}

/**
 * Tells the listeners of a change, once its step is stored: the points `changed`, such as the emails about security. A request does
 * not wait for them, and their failure is logged.
 */
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

/** What capabilities add to a sign-in. */
interface Completed {
  readonly cookies: readonly CookieChange[]
  /** The first page of those to which the sign-in leads, each with the next one as its return URL. */
  readonly url: string
}

const toRank = ({ page }: Done): number => page?.rank ?? 0

/** Completes a sign-in whose session has begun: if a capability fails, what the others add stays. */
export async function completeDone(ctx: Context, signIn: DoneSignIn): Promise<Completed> {
  const attempt = async <T>(id: string, work: () => Awaitable<T>): Promise<T | undefined> => {
    try {
      return await work()
    } catch (thrown) {
      const problem = `${id} was left out of a sign-in`
      ctx.service.log.error(problem, { causes: getCauses(thrown) })
      return undefined
    }
  }
  const added: (Done & Pick<Capability, 'id'>)[] = []
  for (const { id, done } of ctx.service.capabilities.list) {
    added.push({ id, ...(await attempt(id, () => done?.(ctx, signIn))) })
  }
  let url = signIn.callbackUrl
  for (const { id, page } of added.toSorted((one, other) => toRank(other) - toRank(one))) {
    const next = url
    url = (await attempt(id, () => page?.getUrl(next))) ?? next
  }
  return { cookies: added.flatMap(({ cookies = [] }) => cookies), url }
}
