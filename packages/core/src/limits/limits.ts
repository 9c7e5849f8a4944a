import { AuthError, ConfigurationError } from '../errors.ts'
import type { Limit, Limiter } from '../ports/limiter.ts'
import type { Signer } from '../crypto/seal.ts'

/** What is limited, and by whom it is counted (I-32). `false` lifts a limit. */
export interface LimitsOptions {
  /** Mails to one address. Default: 5 in 600 seconds. */
  readonly mailsPerAddress?: Limit | false
  /** Mails that one client asks for. Default: 20 in 600 seconds. */
  readonly mailsPerClient?: Limit | false
  /** Returns, codes typed by hand among them, from one client. Default: 60 in 60 seconds. */
  readonly callbacksPerClient?: Limit | false
}

/** What is limited. */
export type LimitName = keyof LimitsOptions

/** The limits with their defaults. */
export type Limits = Readonly<Record<LimitName, Limit | false>>

const defaults: Limits = {
  mailsPerAddress: { times: 5, window: 600 },
  mailsPerClient: { times: 20, window: 600 },
  callbacksPerClient: { times: 60, window: 60 },
}

/** @throws ConfigurationError naming the limit that cannot be used */
export function resolveLimits(options: LimitsOptions = {}): Limits {
  for (const [name, limit] of Object.entries(options) as [LimitName, Limit | false | undefined][]) {
    const option = `limits.${name}`
    if (!Object.hasOwn(defaults, name)) throw new ConfigurationError(option, 'is not a limit')
    if (limit === false || limit === undefined) continue
    if (isCount(limit?.times) && isCount(limit?.window)) continue
    throw new ConfigurationError(option, 'must be false, or { times, window } in whole seconds')
  }
  const given = Object.entries(options).filter(([, limit]) => limit !== undefined)
  return { ...defaults, ...Object.fromEntries(given) }
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 1
}

/** What {@link spendLimit} counts with. */
export interface LimitContext {
  readonly limits: Limits
  readonly limiter: Limiter
  readonly signer: Signer
}

/**
 * Counts something against its limit. Keys reach the limiter as HMACs: an address is nobody's
 * business there.
 *
 * @param subject Whom it is counted for; what is counted for nobody is not limited
 *
 * @throws AuthError `RateLimited`; `Unavailable` where the limiter fails, for nobody then knows
 */
export async function spendLimit(
  { limits, limiter, signer }: LimitContext,
  name: LimitName,
  subject: string | undefined,
  now: number,
): Promise<void> {
  const limit = limits[name]
  if (limit === false || subject === undefined) return
  const key = await signer.sign(`${name} ${subject}`)
  const retryAfter = Math.ceil(await taken(limiter, key, limit, now))
  if (retryAfter > 0) throw new AuthError('RateLimited', `${name} has been reached`, { retryAfter })
}

async function taken(limiter: Limiter, key: string, limit: Limit, now: number): Promise<number> {
  try {
    return await limiter.take(key, limit, now)
  } catch (cause) {
    throw new AuthError('Unavailable', 'the limiter has failed', { cause })
  }
}

/**
 * Whom an address of the network stands for: an IPv6 address for its /64, which is what one
 * subscriber has. A port is left out; what is no address stands for itself.
 */
export function toClientKey(given: string | undefined): string | undefined {
  const address = given?.trim().slice(0, 64)
  if (address === undefined || address === '') return undefined
  const v4 = /^(\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?$/.exec(address)
  if (v4) return v4[1]
  const [, bare = ''] = /^\[?([\da-f:.]+)(?:%[^\]]*)?(?:\]|\]:\d+)?$/i.exec(address) ?? []
  const host = URL.parse(`http://[${bare}]`)?.hostname.slice(1, -1)
  if (host === undefined) return address
  const [, high, low] = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(host) ?? []
  if (high === undefined || low === undefined) return networkOf(host)
  return [...halves(high), ...halves(low)].join('.')
}

/** The two bytes of a group, in decimal. */
function halves(group: string): [number, number] {
  const value = Number.parseInt(group, 16)
  return [value >> 8, value & 0xff]
}

/** The first four groups of an IPv6 address as `URL` writes it. */
function networkOf(address: string): string {
  const [head = [], tail = []] = address.split('::').map(groupsOf)
  const zeros = Array<string>(8 - head.length - tail.length).fill('0')
  return [...head, ...zeros, ...tail].slice(0, 4).join(':')
}

function groupsOf(part: string): string[] {
  return part === '' ? [] : part.split(':')
}
