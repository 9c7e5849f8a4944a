import type { BaseUrl } from '../http/base-url.ts'
import type { CookieJar } from '../http/cookie-jar.ts'
import { setCookie } from '../http/set-cookie.ts'
import type { CookieChange } from '../http/set-cookie.ts'

/** The cookies of a request, and their names. */
interface Cookies {
  readonly baseUrl: BaseUrl
  readonly cookies: CookieJar
}

/** Ids that the cookie holds at most; the oldest goes. */
const MAX_IDS = 8
const ID = /^[\w-]{22,43}$/

/** Returns whether a session has ended in this browser: a late reply may have set its cookie again (I-37). */
export function hasEnded(request: Cookies, id: string): boolean {
  return readIds(request).includes(id)
}

/** Records that sessions have ended in this browser. */
export function recordEnded(request: Cookies, ...added: readonly string[]): CookieChange {
  const ids = [...readIds(request).filter((ended) => !added.includes(ended)), ...added]
  return setCookie(request.baseUrl.cookies.ended, ids.slice(-MAX_IDS).join('.'))
}

function readIds({ baseUrl, cookies }: Cookies): readonly string[] {
  const value = cookies.all.get(baseUrl.cookies.ended.name)
  return value === undefined ? [] : value.split('.').filter((id) => ID.test(id))
}
