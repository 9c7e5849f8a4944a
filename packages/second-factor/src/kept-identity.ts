import type { Context, FlowTarget } from '@latchkey/core/capability'
import { AuthError } from '@latchkey/core/capability/options'
import { SECOND_LIFETIME, listLargest } from '@latchkey/core/capability'
import type { Identity } from '@latchkey/core'
import { MAX_STEP } from '@latchkey/core/capability/factors'
import { getFactorStorage } from './factors.ts'

/** What a proven first factor continues as. */
export interface FirstStep {
  readonly provider: string
  readonly flow: FlowTarget
  readonly identity: Identity
  /**
   * Whether the storage keeps the identity: here is only that by which a Logout Token ends the step (I-52.4), and by which codes
   * are counted (I-52.8).
   */
  readonly isKept?: boolean | undefined
  /** The members of the profile that are a `Date`, which JSON does not have. */
  readonly dates?: readonly string[] | undefined
}

/** Returns what a proven first factor continues as. */
export function toFirstStep(provider: string, flow: FlowTarget, identity: Identity): FirstStep {
  const { profile } = identity
  const dates = Object.keys(profile).filter((name) => profile[name] instanceof Date)
  return { provider, flow, identity, ...(dates.length > 0 && { dates }) }
}

/** Characters of a provider's session id, by which a session can end (I-48). */
const MAX_SID = 255

/** Returns whether the storage keeps what finds no room in the cookie of a step. */
export function canKeep({ service }: Context): boolean {
  return getFactorStorage(service).capabilities.includes('steps')
}

/**
 * Keeps an identity in the storage until its step completes, sealed (I-52.2).
 *
 * @returns What the cookie has in its place
 * @throws AuthError `Configuration` if it is too long, with its largest members
 */
export async function keepIdentity(
  { service, now }: Context,
  salt: string,
  first: FirstStep,
): Promise<FirstStep> {
  const { identity } = first
  const expires = now + SECOND_LIFETIME
  const data = await service.keys.step.seal({ salt, identity }, expires)
  if (data.length > MAX_STEP) throw tooLong(identity, data.length, MAX_STEP)
  await getFactorStorage(service).createStep({ id: salt, data, expires }, now)
  const { subject, claims, provenBy } = identity
  const sid = toSid(claims['sid'])
  const kept = { subject, profile: {}, tokens: {}, claims: sid === undefined ? {} : { sid } }
  return { ...first, identity: { ...kept, ...(provenBy && { provenBy }) }, isKept: true }
}

function toSid(sid: unknown): string | undefined {
  return typeof sid === 'string' && sid.length <= MAX_SID ? sid : undefined
}

/**
 * Returns the identity of a step. What the storage keeps is taken: exactly one caller gets it.
 *
 * @returns Undefined if it was taken or has expired
 */
export async function takeIdentity(
  { service, now }: Context,
  salt: string,
  { identity, isKept, dates = [] }: FirstStep,
): Promise<Identity | undefined> {
  if (!isKept) return withDates(identity, dates)
  const data = await getFactorStorage(service).takeStep(salt, now)
  const content = await service.keys.step.open(data, now)
  return isOf(content, salt) ? withDates(content.identity, dates) : undefined
}

function withDates(identity: Identity, names: readonly string[]): Identity {
  const dates = names.map((name) => [name, new Date(String(identity.profile[name]))])
  return { ...identity, profile: { ...identity.profile, ...Object.fromEntries(dates) } }
}

/** A row that was copied to another step is not opened. */
function isOf(
  content: object | undefined,
  salt: string,
): content is { readonly identity: Identity } {
  return content !== undefined && 'salt' in content && content.salt === salt
}

/** Returns the error of a sign-in that cannot wait for a second factor: it names members, and no value. */
export function tooLong(identity: Identity, found: number, max: number): AuthError {
  const { profile, claims, tokens } = identity
  const largest = listLargest({ ...profile, ...claims, ...tokens })
  const problem = `the second step: expected at most ${max} bytes, found ${found}`
  const advice =
    "pick claims by the provider's option claims, or use a storage with the capability steps"
  return new AuthError('Configuration', `${problem}; the largest: ${largest}; ${advice}`)
}
