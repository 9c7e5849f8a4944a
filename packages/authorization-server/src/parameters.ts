import { OAuthError } from './oauth-error.ts'

/** The parameters of a request. */
export interface Parameters {
  /** By name. A parameter without a value counts as omitted (RFC 6749 §3.1). */
  readonly values: ReadonlyMap<string, string>
  /** The names that are given more than once: none may be (RFC 6749 §3.1, §3.2). */
  readonly repeated: ReadonlySet<string>
}

const MAX_PARAMETERS = 100

/**
 * Parses parameters as strictly as forms of pages: `URLSearchParams` replaces bytes that are not UTF-8.
 *
 * @throws OAuthError `invalid_request` if there are more than 100, or one cannot be decoded
 */
export function parseParameters(text: string): Parameters {
  const pairs = text === '' ? [] : text.split('&')
  if (pairs.length > MAX_PARAMETERS) {
    throw new OAuthError('invalid_request', 'the request has more than 100 parameters')
  }
  const values = new Map<string, string>()
  const names = new Set<string>()
  const repeated = new Set<string>()
  for (const [name, value] of pairs.map(splitPair)) {
    if (names.has(name)) repeated.add(name)
    names.add(name)
    if (value !== '' && !values.has(name)) values.set(name, value)
  }
  return { values, repeated }
}

/**
 * Checks that each parameter is given once.
 *
 * @throws OAuthError `invalid_target` for a second resource (RFC 8707 §2), else `invalid_request`
 */
export function checkGivenOnce({ repeated }: Parameters): void {
  const [name] = repeated
  if (name === undefined) return
  if (name !== 'resource') throw new OAuthError('invalid_request', 'a parameter is given twice')
  throw new OAuthError('invalid_target', 'a token is for one resource')
}

function splitPair(pair: string): readonly [string, string] {
  const equals = pair.indexOf('=')
  if (equals === -1) return [decode(pair), '']
  return [decode(pair.slice(0, equals)), decode(pair.slice(equals + 1))]
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch (cause) {
    throw new OAuthError('invalid_request', 'a parameter is not UTF-8', { cause })
  }
}

/** Returns the scopes of a parameter (RFC 6749 §3.3), each once. */
export function parseScopes(value: string | undefined): readonly string[] {
  return [...new Set((value ?? '').split(' '))].filter((scope) => scope !== '')
}
