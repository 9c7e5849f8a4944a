import { ConfigurationError } from '@latchkey/core'
import type { Runtime } from '@latchkey/core'
import { describeType } from '../describe-type.ts'

/** The options that every HTTP sender has. */
export interface HttpMailerOptions {
  /** Sends the request instead of the global `fetch`; it must respect `signal`. */
  readonly fetch?: Runtime['fetch']
  /** Seconds that sending an email may take: more than 0, at most 600. Default: 10 */
  readonly timeout?: number
  /**
   * The URL of a proxy, which is used instead of the service's own: https, or http on loopback,
   * without credentials, query and fragment. The service's path is appended to it.
   */
  readonly baseUrl?: string | URL
}

/** Returns what is wrong with the value of an option; undefined if nothing is. */
type Check = (value: unknown) => string | undefined

/** A check for each option that a sender has besides {@link HttpMailerOptions}. */
type Checks<Options> = Readonly<
  Record<Exclude<keyof Options, keyof HttpMailerOptions> & string, Check>
>

/**
 * Checks the options of a sender. Not with valibot, which would triple the bytes in a Worker.
 *
 * @param sender The first part of the option's name in an error
 * @throws ConfigurationError naming the first option that is not valid, and no value that may be secret
 */
export function checkOptions<Options extends HttpMailerOptions>(
  sender: string,
  options: Options,
  ownChecks: Checks<Options>,
): void {
  if (typeof options !== 'object' || options === null) {
    throw new ConfigurationError(sender, `must be an object, got ${describeType(options)}`)
  }
  const checks = Object.entries<Check>({ ...ownChecks, ...commonChecks })
  const names = checks.map(([name]) => name)
  for (const name of Object.keys(options)) {
    if (names.includes(name)) continue
    const known = names.join(', ')
    throw new ConfigurationError(`${sender}.${name}`, `is unknown, must be one of ${known}`)
  }
  const given = new Map<string, unknown>(Object.entries(options))
  for (const [name, check] of checks) {
    const problem = check(given.get(name))
    if (problem) throw new ConfigurationError(`${sender}.${name}`, problem)
  }
}

/** Accepts undefined and what `check` accepts. */
export function optional(check: Check): Check {
  return (value) => (value === undefined ? undefined : check(value))
}

/** Accepts strings that match a pattern. */
export function mustMatch(expected: string, pattern: RegExp): Check {
  return must(expected, (value) => typeof value === 'string' && pattern.test(value))
}

/** Accepts the values of a list. */
export function mustBeOneOf(values: readonly string[]): Check {
  return must(`one of ${values.join(', ')}`, (value) => values.some((each) => each === value))
}

/** Accepts what a request header can hold: `fetch` would repeat anything else in its error. */
export const mustBeKey: Check = mustMatch('printable ASCII without spaces', /^[!-~]+$/)

const commonChecks: Readonly<Record<keyof HttpMailerOptions, Check>> = {
  fetch: optional(must('a function', (value) => typeof value === 'function')),
  timeout: optional(
    must(
      'seconds, more than 0 and at most 600',
      (value) => typeof value === 'number' && value > 0 && value <= 600,
      (value) => (typeof value === 'number' ? String(value) : describeType(value)),
    ),
  ),
  baseUrl: optional(must('an https URL without credentials, query and fragment', isSafeUrl)),
}

function must(
  expected: string,
  isValid: (value: unknown) => boolean,
  describe: (value: unknown) => string = describeType,
): Check {
  return (value) => (isValid(value) ? undefined : `must be ${expected}, got ${describe(value)}`)
}

/** Plain http would show the API key and the sign-in link to the network. */
function isSafeUrl(value: unknown): boolean {
  const url = URL.parse(String(value))
  // The href of a URL with credentials, a query or a fragment is longer.
  if (!url || url.href !== url.origin + url.pathname) return false
  const isLoopback = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback)
}
