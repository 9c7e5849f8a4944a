import type { Context } from '../context.ts'
import { hashCsrfToken } from '../crypto/csrf.ts'
import { equalInConstantTime, toBase64url } from '../crypto/encoding.ts'
import { AuthError } from '../errors.ts'
import { SECOND_LIFETIME } from '../http/cookies.ts'
import { Refusal } from '../http/refusal.ts'
import { clearCookie, getCookieBytes, setCookie } from '../http/set-cookie.ts'
import type { CookieChange } from '../http/set-cookie.ts'
import type { Identity } from '../ports/records.ts'
import type { FlowTarget } from '../sign-in/flow.ts'

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

/** What a proven first factor continues as. */
interface FirstStep {
  readonly provider: string
  readonly flow: FlowTarget
  readonly identity: Identity
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
/** Bytes of the cookie, in all its parts (I-52.2). */
const MAX_BYTES = 8000

/**
 * Seals a step into its cookie, of which a browser has one.
 *
 * @throws AuthError `Configuration` if what the provider says is too long for a cookie
 */
export async function sealStep(ctx: Context, step: Step): Promise<readonly CookieChange[]> {
  const { token, cookies } = await ctx.getCsrfToken()
  const salt = toBase64url(ctx.service.runtime.random(16))
  const content = { ...step, v: VERSION, salt, csrfTokenHash: await hashCsrfToken(token) }
  for (const candidate of [content, withoutIdToken(content)]) {
    const sealed = await ctx.service.keys.second.seal(candidate, ctx.now + SECOND_LIFETIME)
    const change = setCookie(ctx.baseUrl.cookies.second, sealed)
    if (getBytes(change) <= MAX_BYTES) return [...cookies, change]
  }
  throw new AuthError('Configuration', `the second step: expected at most ${MAX_BYTES} bytes`)
}

function getBytes({ parts }: CookieChange): number {
  return parts.reduce((sum, [name, part]) => sum + getCookieBytes(name, part), 0)
}

/** The ID Token is what a session needs least: it is for the logout at the provider. */
function withoutIdToken<T extends Step>(step: T): T {
  if (!step.first) return step
  const { id_token: _, ...tokens } = step.first.identity.tokens
  return { ...step, first: { ...step.first, identity: { ...step.first.identity, tokens } } }
}

/**
 * Opens the step of a request; undefined if it is missing, or belongs to another CSRF token (I-20).
 * The step may have been completed before.
 */
export async function openStep(ctx: Context): Promise<OpenedStep | undefined> {
  const cookie = ctx.cookies.get(ctx.baseUrl.cookies.second.name)
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
export function clearStep({ baseUrl }: Context): CookieChange {
  return clearCookie(baseUrl.cookies.second)
}
