import { AuthError, ConfigurationError } from '../lib/errors.ts'
import { checkKnownNames } from '../lib/known-names.ts'
import type { Limit, Limiter } from '../ports/limiter.ts'
import type { Signer } from '../crypto/seal.ts'

/** The limits of the service and what each is counted by. `false` turns a limit off. */
export interface LimitsOptions {
  /**
   * Sign-in emails to one mailbox: an email address without its `+tag`, of Gmail without dots. They
   * are counted from all browsers in which the email address has not signed in before together, and in
   * each of the others. Default: 5 in 600 seconds
   */
  readonly mailsPerAddress?: Limit | false
  /** Emails requested from one IP address. Default: 20 in 600 seconds */
  readonly mailsPerClient?: Limit | false
  /**
   * Emails to one mailbox that add it to an account. They do not count as sign-in emails, so
   * that a user cannot use up the limit of another user's mailbox. Default: 3 in 600 seconds
   */
  readonly linkMailsPerAddress?: Limit | false
  /** The same emails requested by one user. Default: 2 in 600 seconds */
  readonly linkMailsPerUser?: Limit | false
  /** Sign-ins begun from one IP address. Default: 60 in 60 seconds */
  readonly startsPerClient?: Limit | false
  /**
   * Callbacks that belong to a sign-in in progress, typed codes included, from one IP address.
   * Default: 60 in 60 seconds
   */
  readonly callbacksPerClient?: Limit | false
  /** Failed attempts to sign in by credentials from one IP address. Default: 30 in 600 seconds */
  readonly credentialsPerClient?: Limit | false
  /**
   * Failed attempts to sign in by credentials under one name: from one IP address and from all
   * together, without the browsers in which the name has signed in before; and in each of those.
   * Default: 10 in 600 seconds
   */
  readonly credentialsPerName?: Limit | false
  /**
   * Failed attempts to sign in by credentials under all names together, such as
   * `{ times: 1000, window: 3600 }`. It refuses only browsers in which the name has not signed in
   * before. Default: false
   */
  readonly credentialsPerHour?: Limit | false
  /**
   * Sign-ins of one account of a provider that are refused, by `callbacks.signIn` or because another user
   * has verified their unproven email address: the answer reveals that it has an account.
   * Default: 10 in 3600 seconds
   */
  readonly notLinkedPerAccount?: Limit | false
  /** The same refusals of one IP address. Default: 20 in 3600 seconds */
  readonly notLinkedPerClient?: Limit | false
}

/** The name of a limit of the service. */
export type LimitName = keyof LimitsOptions

/** Limits by name, with the defaults applied. */
export type LimitTable<Name extends string> = Readonly<Record<Name, Limit | false>>

/** All limits of the service, with the defaults applied. */
export type Limits = LimitTable<LimitName>

/** A limit of a capability. */
export interface OwnLimit {
  /** Begins with the id of the capability, such as `terms.perUser`. */
  readonly name: string
  /** `false` counts nothing. */
  readonly limit: Limit | false
}

const defaults: Limits = {
  mailsPerAddress: { times: 5, window: 600 },
  mailsPerClient: { times: 20, window: 600 },
  linkMailsPerAddress: { times: 3, window: 600 },
  linkMailsPerUser: { times: 2, window: 600 },
  startsPerClient: { times: 60, window: 60 },
  callbacksPerClient: { times: 60, window: 60 },
  credentialsPerClient: { times: 30, window: 600 },
  credentialsPerName: { times: 10, window: 600 },
  credentialsPerHour: false,
  notLinkedPerAccount: { times: 10, window: 3600 },
  notLinkedPerClient: { times: 20, window: 3600 },
}

/**
 * Applies the defaults to the configured limits.
 *
 * @throws ConfigurationError that names the invalid limit
 */
export function resolveLimits(options?: LimitsOptions): Limits {
  return checkLimits('limits', defaults, options)
}

/**
 * Applies the defaults to limits of a capability, which are among its options.
 *
 * @param option Where they are, such as `terms.limits`
 * @returns The limits as `limitClient` and `spendLimit` count them
 *
 * @throws ConfigurationError that names the invalid limit
 */
export function createOwnLimits<Name extends string>(
  option: string,
  own: LimitTable<Name>,
  given?: Partial<LimitTable<Name>>,
): Readonly<Record<Name, OwnLimit>> {
  const table = Object.entries<Limit | false>(checkLimits(option, own, given))
  const limits = table.map(([name, limit]) => [name, { name: `${option}.${name}`, limit }] as const)
  return Object.fromEntries(limits) as Record<Name, OwnLimit>
}

function checkLimits<Name extends string>(
  option: string,
  own: LimitTable<Name>,
  given: Partial<LimitTable<Name>> = {},
): LimitTable<Name> {
  checkKnownNames(option, given, Object.keys(own))
  const set = Object.entries<Limit | false | undefined>({ ...given }).filter(
    ([, limit]) => limit !== undefined,
  )
  for (const [name, limit] of set) {
    if (limit === false) continue
    if (isPositiveInteger(limit?.times) && isPositiveInteger(limit?.window)) continue
    throw new ConfigurationError(
      `${option}.${name}`,
      'must be false or { times, window } with positive integers, window in seconds',
    )
  }
  return { ...own, ...Object.fromEntries(set) }
}

function isPositiveInteger(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1
}

/** A request that is counted, such as a `Context`. */
export interface CountedRequest {
  readonly service: {
    readonly limits: Limits
    readonly limiter: Limiter
    readonly keys: { readonly token: Signer }
  }
  /** Seconds since 1970. */
  readonly now: number
}

/**
 * Counts one use against a limit. The key is an HMAC, so that the limiter never sees an email address
 * or IP address.
 *
 * @param counted The name of a limit of the service, or a limit of a capability
 * @param subject What the limit is counted by; undefined is not limited
 * @returns A function that takes the use back, if the limiter can
 *
 * @throws AuthError `RateLimited` (429) if the limit is reached, `Unavailable` (503) if the limiter fails
 */
export async function spendLimit(
  { service, now }: CountedRequest,
  counted: LimitName | OwnLimit,
  subject: string | undefined,
): Promise<() => Promise<void>> {
  const { limiter, limits, keys } = service
  const { name, limit } =
    typeof counted === 'string' ? { name: counted, limit: limits[counted] } : counted
  if (limit === false || subject === undefined) return async () => undefined
  const key = await keys.token.sign(`${name} ${subject}`)
  const retryAfter = Math.ceil(await callLimiter(() => limiter.take(key, limit, now)))
  if (retryAfter > 0)
    throw new AuthError('RateLimited', `the limit ${name} is reached`, { retryAfter })
  return async () => callLimiter(async () => limiter.refund?.(key, limit, now))
}

async function callLimiter<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (cause) {
    throw new AuthError('Unavailable', 'the limiter has failed', { cause })
  }
}

/**
 * Returns the key by which a client is counted: an IPv4 address, or the /64 network of an IPv6
 * address, which is what one subscriber has. A port is removed. A text that is not an IP address is
 * its own key.
 */
export function toClientKey(clientIp: string | undefined): string | undefined {
  const ip = clientIp?.trim().slice(0, 64)
  if (ip === undefined || ip === '') return undefined
  const v4 = /^(\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?$/.exec(ip)
  if (v4) return v4[1]
  const [, v6 = ''] = /^\[?([\da-f:.]+)(?:%[^\]]*)?(?:\]|\]:\d+)?$/i.exec(ip) ?? []
  const host = URL.parse(`http://[${v6}]`)?.hostname.slice(1, -1)
  if (host === undefined) return ip
  const [, high, low] = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(host) ?? []
  if (high === undefined || low === undefined) return toNetwork(host)
  return [...toBytes(high), ...toBytes(low)].join('.')
}

/** Returns the two bytes of a group. */
function toBytes(group: string): [number, number] {
  const value = Number.parseInt(group, 16)
  return [value >> 8, value & 0xff]
}

/** Returns the first four groups of an IPv6 address in the form that `URL` gives it. */
function toNetwork(ip: string): string {
  const [head = [], tail = []] = ip.split('::').map(splitGroups)
  const zeros = Array<string>(8 - head.length - tail.length).fill('0')
  return [...head, ...zeros, ...tail].slice(0, 4).join(':')
}

function splitGroups(part: string): string[] {
  return part === '' ? [] : part.split(':')
}
