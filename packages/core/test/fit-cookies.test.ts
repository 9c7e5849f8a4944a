import { describe, expect, test } from 'vitest'
import { CookieJar } from '../src/http/cookie-jar.ts'
import { createCookieSpecs, withCookieId } from '../src/http/cookies.ts'
import type { CookieSpec, CookieSpecs } from '../src/http/cookies.ts'
import { writeCookies } from '../src/http/fit-cookies.ts'
import { setCookie } from '../src/http/set-cookie.ts'
import { cookieSpecs, getDeleted } from './support/cookies.ts'

const { csrf, flow, known, logout, session } = cookieSpecs
const [older, newer] = [withCookieId(flow, 'olderold'), withCookieId(flow, 'newernew')]
const part = (spec: CookieSpec, i: number): CookieSpec => withCookieId(spec, String(i))

/** A cookie, and the bytes that it takes in the header `Cookie`, with `; ` behind it. */
type Sized = readonly [spec: CookieSpec, bytes: number]

const toValue = ([{ name }, bytes]: Sized): string => 'x'.repeat(bytes - `${name}=; `.length)

/** Returns the names of the cookies that a reply deletes in a browser. */
function findDeleted(
  held: readonly Sized[],
  set: readonly Sized[],
  cookies: CookieSpecs = cookieSpecs,
): readonly string[] {
  const header = held.map((each) => `${each[0].name}=${toValue(each)}`).join('; ')
  const ctx = { service: { log: { warn: () => undefined } }, baseUrl: { cookies } }
  const changes = set.map((each) => setCookie(each[0], toValue(each)))
  return getDeleted(writeCookies({ ...ctx, cookies: new CookieJar(header) } as never, changes))
}

describe('what a reply deletes so that at most 12,000 bytes stay (I-14.9)', () => {
  test('is nothing at 12,000 bytes, and the logout hint at 12,001', () => {
    for (const [bytes, deleted] of [
      [3000, []],
      [3001, [logout.name]],
    ] as const) {
      const held: Sized[] = [part(session, 0), part(session, 1)].map((spec) => [spec, 3900])
      expect(findDeleted([...held, [logout, 1200]], [[csrf, bytes]])).toEqual(deleted)
    }
  })

  test('is a cookie of a capability by its rank, and not the step that begins', () => {
    const names = { names: {} }
    const own = { step: { rank: 2, isStep: true }, seen: {} }
    const specs = createCookieSpecs(names, true, { maxAge: 60, isRevocable: true }, own)
    const { step = flow, seen = flow } = specs
    const held: Sized[] = [
      [part(specs.session, 0), 3900],
      [part(specs.session, 1), 3900],
      [specs.known, 400],
      [seen, 400],
      [specs.logout, 400],
      [step, 400],
    ]
    expect(findDeleted(held, [[specs.csrf, 2600]], specs)).toEqual([])
    expect(findDeleted(held, [[specs.csrf, 3000]], specs)).toEqual([step.name])
    expect(findDeleted(held, [[specs.csrf, 3800]], specs)).toEqual([
      step.name,
      specs.logout.name,
      seen.name,
    ])
    expect(findDeleted(held, [[step, 3800]], specs)).toEqual([specs.logout.name, seen.name])
  })

  test('is no more than needed: flows before the logout hint, and what the browser knows last', () => {
    const held: Sized[] = [
      [part(session, 0), 3900],
      [part(session, 1), 3900],
      [known, 400],
      [logout, 400],
      [older, 400],
      [newer, 400],
    ]
    for (const [bytes, deleted] of [
      [2600, []],
      [3000, [older.name]],
      [3400, [older.name, newer.name]],
      [3800, [older.name, newer.name, logout.name]],
    ] as const) {
      expect(findDeleted(held, [[csrf, bytes]])).toEqual(deleted)
    }
  })

  test('does not count what the reply itself replaces, whole or in parts', () => {
    const inParts = [0, 1, 2].map((i): Sized => [part(session, i), 3900])
    for (const held of [inParts, [[session, 3900] as const]]) {
      const before: Sized[] = [
        ...held,
        [part(known, 0), 3900],
        [part(known, 1), 3900],
        [logout, 300],
      ]
      const stale = held.map(([{ name }]) => name)
      const deleted = findDeleted(before, [[session, 2000]])
      expect(deleted).toEqual(stale.filter((name) => name !== session.name))
    }
  })

  test('is deleted with all its parts', () => {
    const held: Sized[] = [
      [part(session, 0), 3900],
      [part(session, 1), 3900],
      [part(logout, 0), 200],
      [part(logout, 1), 200],
    ]
    const parts = [part(logout, 0).name, part(logout, 1).name]
    expect(findDeleted(held, [[csrf, 3800]])).toEqual([])
    expect(findDeleted(held, [[csrf, 3900]])).toEqual(parts)
  })
})
