import { base64urlOf, sha256 } from './encoding.ts'
import { AuthError, ConfigurationError } from './errors.ts'
import type { Limit, Limiter } from './ports.ts'

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
    if (isCount(limit.times) && isCount(limit.window)) continue
    throw new ConfigurationError(option, 'must be false, or { times, window } in whole seconds')
  }
  return { ...defaults, ...options }
}

function isCount(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 1
}

/**
 * Counts something against its limit. Keys reach the limiter as hashes: an address is nobody's
 * business there.
 *
 * @param subject Whom it is counted for; what is counted for nobody is not limited
 *
 * @throws AuthError `RateLimited`; `Unavailable` where the limiter fails, for nobody then knows
 */
export async function assertWithin(
  limits: Limits,
  limiter: Limiter,
  name: LimitName,
  subject: string | undefined,
  now: number,
): Promise<void> {
  const limit = limits[name]
  if (limit === false || subject === undefined) return
  const key = base64urlOf(sha256(`${name} ${subject}`))
  const retryAfter = await limiter.take(key, limit, now).catch((cause: unknown) => {
    throw new AuthError('Unavailable', 'the limiter has failed', { cause })
  })
  if (retryAfter > 0) throw new AuthError('RateLimited', `${name} has been reached`, { retryAfter })
}

/**
 * Whom an address of the network stands for: an IPv6 address for its /64, which is what one
 * subscriber has. Undefined where it is no address.
 */
export function clientOf(address: string | undefined): string | undefined {
  if (address === undefined) return undefined
  const v4 = /^(?:::ffff:)?(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address)
  if (v4) return v4[1]
  const host = URL.parse(`http://[${address.replace(/%.*$/, '')}]`)?.hostname
  return host === undefined ? undefined : networkOf(host.slice(1, -1))
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
