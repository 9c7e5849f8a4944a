import { AuthError } from '../lib/errors.ts'
import type { ErrorCode } from '../ports/error-code.ts'

/** Returns the query's parameters; of a parameter given twice, the first. */
export function readQuery(url: string): ReadonlyMap<string, string> {
  const query = new Map<string, string>()
  const search = getSearch(url)
  if (search === '') return query
  for (const [name, value] of new URLSearchParams(search)) {
    if (!query.has(name)) query.set(name, value)
  }
  return query
}

/** Returns the query of a URL without parsing the rest: the text between `?` and `#`. */
function getSearch(url: string): string {
  const hash = url.indexOf('#')
  const end = hash === -1 ? url.length : hash
  const start = url.indexOf('?')
  return start === -1 || start > end ? '' : url.slice(start + 1, end)
}

/**
 * Checks that no parameter is given twice (RFC 6749 §3.1).
 *
 * @throws AuthError with the given code
 */
export function checkNoDuplicates(params: URLSearchParams, code: ErrorCode): void {
  if (new Set(params.keys()).size === params.size) return
  throw new AuthError(code, 'the callback has a parameter twice')
}
