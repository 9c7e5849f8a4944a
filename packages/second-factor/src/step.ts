import type { Context, WaitingStep, CookieChange } from '@latchkey/core/capability'
import {
  hashCsrfToken,
  equalInConstantTime,
  toBase64url,
  SECOND_LIFETIME,
  Refusal,
  clearCookie,
  getOwnCookie,
  setCookie,
} from '@latchkey/core/capability'
import { AuthError } from '@latchkey/core/capability/options'
import { canKeep, keepIdentity, tooLong } from './kept-identity.ts'
import type { FirstStep } from './kept-identity.ts'

/** A step that waits for a second factor, as its cookie seals it (I-52.2). It is not a session. */
export interface Step {
  /** Empty if the user is not stored yet. */
  readonly userId: string
  /** The user's factors when the step began: a change of them ends it (I-52.4). */
  readonly factors: string
  readonly callbackUrl: string
  /** The first factor that is proven; absent for an enrolment in a session. */
  readonly first?: FirstStep | undefined
  /** The secret of a new factor. */
  readonly enrolment?: { readonly method: string; readonly secret: string } | undefined
  /** The session in which an enrolment began. */
  readonly sessionId?: string | undefined
}

/** A step of the browser. */
export interface OpenedStep extends Step {
  readonly salt: string
  /** Seconds since 1970. */
  readonly exp: number
}

interface SealedStep extends OpenedStep {
  readonly v: number
  readonly csrfTokenHash: string
}

/** The version of {@link Step}: a step that another version of Latchkey sealed counts as none. */
const VERSION = 1
/** Bytes of the value of the cookie: of 8,000 (I-52.2), what the names of its parts leave. */
const MAX_BYTES = 7900
/** The same with the value of the session's cookie: of 13,600 (I-14.9), what all names and the CSRF token leave. */
const MAX_WITH_SESSION = 13_300

/**
 * Seals a step into its cookie, of which a browser has one.
 *
 * @throws AuthError `Configuration` if what the provider says is too long (I-52.2)
 */
export async function sealStep(ctx: Context, step: Step): Promise<readonly CookieChange[]> {
  const { token, cookies } = await ctx.getCsrfToken()
  const salt = toBase64url(ctx.service.runtime.random(16))
  const content = { ...step, v: VERSION, salt, csrfTokenHash: await hashCsrfToken(token) }
  const whole = await sealContent(ctx, content)
  const { first } = content
  const isShort = !first || whole.length <= getRoom(ctx)
  const sealed = isShort ? whole : await sealShortened(ctx, { ...content, first })
  return [...cookies, setCookie(getOwnCookie(ctx, 'second'), sealed)]
}

function sealContent({ service, now }: Context, content: Step): Promise<string> {
  return service.keys.second.seal(content, now + SECOND_LIFETIME)
}

/** Returns the bytes for the cookie: a session stays beside it (I-14.10). */
function getRoom({ cookies, baseUrl }: Context): number {
  const { length } = cookies.get(baseUrl.cookies.session.name) ?? ''
  return Math.min(MAX_BYTES, MAX_WITH_SESSION - length)
}

/**
 * Seals a step that finds no room: the storage keeps the identity. Without the capability `steps` the ID Token is left
 * out, which is for the logout at the provider.
 */
async function sealShortened(
  ctx: Context,
  step: Step & { readonly salt: string; readonly first: FirstStep },
): Promise<string> {
  const { first, salt } = step
  if (canKeep(ctx)) {
    return sealContent(ctx, { ...step, first: await keepIdentity(ctx, salt, first) })
  }
  const sealed = await sealContent(ctx, { ...step, first: withoutIdToken(first) })
  if (sealed.length > MAX_BYTES) throw tooLong(first.identity, sealed.length, MAX_BYTES)
  return sealed
}

function withoutIdToken(first: FirstStep): FirstStep {
  const { id_token: _, ...tokens } = first.identity.tokens
  return { ...first, identity: { ...first.identity, tokens } }
}

/**
 * Opens the step of a request; undefined if it is missing, or belongs to another CSRF token (I-20).
 * The step may have been completed before.
 */
export async function openStep(ctx: Context): Promise<OpenedStep | undefined> {
  const cookie = ctx.cookies.get(getOwnCookie(ctx, 'second').name)
  const content = await ctx.service.keys.second.open(cookie, ctx.now)
  const token = isStep(content) ? await ctx.readCsrfToken() : undefined
  if (!isStep(content) || token === undefined) return undefined
  return equalInConstantTime(await hashCsrfToken(token), content.csrfTokenHash)
    ? content
    : undefined
}

function isStep(content: object | undefined): content is SealedStep {
  return content !== undefined && 'v' in content && content.v === VERSION
}

/** Returns what others know of a step. */
export function toWaiting({ salt, userId, callbackUrl, first }: OpenedStep): WaitingStep {
  return { salt, userId, callbackUrl, provider: first?.provider }
}

/** Uses a step up: it works once, whatever its outcome. */
export async function takeStep(ctx: Context, { salt, exp }: OpenedStep): Promise<void> {
  if (await ctx.service.usedOnce.take(`second ${salt}`, exp, ctx.now)) return
  throw noStep('the unfinished sign-in was completed before')
}

/** Returns the error of a second factor without an unfinished sign-in. */
export function noStep(problem: string): AuthError {
  return new AuthError('SessionRequired', problem, { status: 403 })
}

/** Returns the answer to a wrong code: the same page again, which does not say what was wrong. */
export function wrongCode(ctx: Context): Refusal {
  const error = new AuthError('CredentialsSignin', 'the second factor does not match')
  return new Refusal(error, { message: ctx.language.messages.wrongCode })
}

/** Deletes the cookie of the step. */
export function clearStep(ctx: Context): CookieChange {
  return clearCookie(getOwnCookie(ctx, 'second'))
}
