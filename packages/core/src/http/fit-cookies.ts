import { AuthError } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import type { BaseUrl } from './base-url.ts'
import type { CookieJar } from './cookie-jar.ts'
import type { CookieSpec } from './cookies.ts'
import { clearCookie, getCookieBytes, partNames, toSetCookieLines } from './set-cookie.ts'
import type { CookieChange } from './set-cookie.ts'

/** Bytes of the service's cookies that stay in the browser: servers refuse 16 KiB of headers (I-14). */
const MAX_BYTES = 12_000
/** The same with the flow, or the second step, that a reply begins. */
const MAX_WITH_FLOW = 13_600
/** Bytes from which on a warning is logged (I-14). */
const MANY_BYTES = 6000
/** What follows the stem of a name: an id and the number of a part. The service sets no other cookies. */
const REST = /^(\.[\w-]{1,64})?(\.\d)?$/

/** The request that cookies are written for. */
interface WritingContext {
  readonly service: { readonly log: Pick<Log, 'warn'> }
  readonly baseUrl: BaseUrl
  readonly cookies: CookieJar
}

/** The bytes of cookies that the browser holds, by name. */
type Held = Map<string, number>

/**
 * Returns the `Set-Cookie` lines of a reply. If the browser would hold too much, the other flows are deleted,
 * the oldest first, then what has the next rank (I-14).
 *
 * @throws AuthError `Configuration` if a new flow finds no room beside the session
 */
export function writeCookies(ctx: WritingContext, changes: readonly CookieChange[]): string[] {
  const { return: posted } = ctx.baseUrl.cookies
  // A posted callback lasts a minute. Its flow, which it needs, may exceed the limit.
  const set = changes.filter(({ spec, parts }) => parts.length > 0 && !isOf(posted, spec.name))
  if (set.length === 0) return toSetCookieLines(ctx.cookies, changes)
  const begun = set.find(({ spec }) => spec.isStep)?.spec.name
  const held = listHeld(ctx, changes)
  let bytes = [...held.values()].reduce((sum, more) => sum + more, 0)
  const cleared: CookieChange[] = []
  for (const spec of listDroppable(ctx).flatMap((stem) => listOf(held, stem))) {
    if (bytes <= MAX_BYTES) break
    if (spec.name === begun) continue
    bytes -= drop(held, spec)
    cleared.push(clearCookie(spec))
  }
  if (begun !== undefined && bytes > MAX_WITH_FLOW) {
    const message = `cookies: expected at most ${MAX_WITH_FLOW} bytes with a new sign-in, found ${bytes}`
    throw new AuthError('Configuration', `${message}: shorten the session or the return URL`)
  }
  if (bytes >= MANY_BYTES) warn(ctx, bytes)
  return toSetCookieLines(ctx.cookies, [...changes, ...cleared])
}

/** Lists the cookies that can be deleted for others, the first one first. */
function listDroppable({ baseUrl }: WritingContext): readonly CookieSpec[] {
  const ranked = Object.values(baseUrl.cookies).filter(({ rank }) => rank !== undefined)
  return ranked.toSorted((one, other) => Number(one.rank) - Number(other.rank))
}

/** Lists what the browser holds after changes, posted callbacks left out. */
function listHeld({ cookies, baseUrl }: WritingContext, changes: readonly CookieChange[]): Held {
  const { return: _, ...counted } = baseUrl.cookies
  const stems = Object.values(counted)
  const held: Held = new Map()
  const hold = ([name, value]: readonly [string, string]): void => {
    if (stems.some((stem) => isOf(stem, name))) held.set(name, getCookieBytes(name, value))
  }
  for (const cookie of cookies.all) hold(cookie)
  for (const { spec, parts } of changes) {
    drop(held, spec)
    for (const part of parts) hold(part)
  }
  return held
}

/** Returns the bytes of a cookie that is no longer held. */
function drop(held: Held, { name }: CookieSpec): number {
  let bytes = 0
  for (const part of [name, ...partNames(name)]) {
    bytes += held.get(part) ?? 0
    held.delete(part)
  }
  return bytes
}

function isOf({ name: stem }: CookieSpec, name: string): boolean {
  return name.startsWith(stem) && REST.test(name.slice(stem.length))
}

/** Lists the cookies of a stem, the oldest first: browsers send older cookies before newer ones. */
function listOf(held: Held, stem: CookieSpec): readonly CookieSpec[] {
  const rests = [...held.keys()]
    .filter((name) => isOf(stem, name))
    .map((name) => name.slice(stem.name.length).replace(/\.\d$/, ''))
  return [...new Set(rests)].map((rest) => ({ ...stem, name: stem.name + rest }))
}

/** The services that have warned: once each. */
const warned = new WeakSet<object>()

function warn({ service }: WritingContext, bytes: number): void {
  if (warned.has(service)) return
  warned.add(service)
  const advice = 'nginx refuses 8 kB in one header line: set large_client_header_buffers 4 16k'
  service.log.warn(`the cookies have ${bytes} bytes: ${advice}`, {})
}
