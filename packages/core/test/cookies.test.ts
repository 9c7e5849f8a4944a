import type { AuthConfig } from '@latchkey/core'
import { hkdfSync } from 'node:crypto'
import fc from 'fast-check'
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from 'jose'
import { describe, expect, test } from 'vitest'
import { CookieJar } from '../src/http/cookie-jar.ts'
import type { CookieSpec } from '../src/http/cookies.ts'
import {
  clearCookie,
  clearSurplusCookie,
  getSize,
  setCookie,
  toSetCookieLines,
} from '../src/http/set-cookie.ts'
import type { CookieChange } from '../src/http/set-cookie.ts'
import { createKeys } from '../src/crypto/seal.ts'
import { codePoint } from './support/code-point.ts'
import { cookieSpecs, getDeleted } from './support/cookies.ts'
import { getRedirect, passport, random, secret, serve, signIn } from './support/service.ts'

const row = cookieSpecs.session

/** The cookies of a request, as a browser sends them. */
const toJar = (cookies: ReadonlyMap<string, string>): CookieJar =>
  new CookieJar([...cookies].map(([name, value]) => `${name}=${value}`).join('; '))

/** Returns what a browser that holds `cookies` holds after a reply. */
function apply(cookies: ReadonlyMap<string, string>, change: CookieChange): Map<string, string> {
  const held = new Map(cookies)
  for (const line of toSetCookieLines(toJar(cookies), [change])) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (line.includes('Max-Age=0;')) held.delete(name)
    else held.set(name, value)
  }
  return held
}

describe('a cookie that is too long for one (I-12)', () => {
  test('is split and joined again, whatever was there before', () => {
    const length = fc.integer({ min: 0, max: 8 * 3800 })
    fc.assert(
      fc.property(length, length, (before, now) => {
        const first = apply(new Map(), setCookie(row, 'b'.repeat(before)))
        expect(toJar(first).get(row.name)).toBe('b'.repeat(before))
        const second = apply(first, setCookie(row, 'n'.repeat(now)))
        expect(toJar(second).get(row.name)).toBe('n'.repeat(now))
        for (const [name, value] of second)
          expect(name.length + value.length).toBeLessThanOrEqual(3900)
        expect(apply(second, clearCookie(row)).size).toBe(0)
      }),
    )
  })

  test('is a Configuration error if eight parts cannot hold it', () => {
    expect(() => setCookie(row, 'x'.repeat(8 * 3900))).toThrow(
      expect.objectContaining({ code: 'Configuration' }),
    )
  })

  test('of two changes of one cookie the later one counts, and each name is set once', () => {
    const jar = toJar(new Map([[row.name, 'old']]))
    const changes = [clearCookie(row), setCookie(row, 'first'), setCookie(row, 'second')]
    const lines = toSetCookieLines(jar, changes)
    expect(lines.map((line) => line.split(';')[0])).toEqual([`${row.name}=second`])
    expect(toSetCookieLines(jar, changes.toReversed())).toEqual([
      `${row.name}=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax`,
    ])
  })

  test('the session is deleted before others, and ten cookies in a reply (I-14)', () => {
    const foreign = Array.from({ length: 12 }, (_, i) => ({ name: `other${i}`, secure: true }))
    const held = [...foreign, row].flatMap(({ name }) => [name, `${name}.0`, `${name}.7`])
    const jar = toJar(new Map(held.map((name) => [name, 'x'])))
    const clearAll = [...foreign.map(clearSurplusCookie), clearCookie(row)]
    const deleted = toSetCookieLines(jar, clearAll).map((line) => line.split('=')[0])
    const first = [row.name, `${row.name}.0`, `${row.name}.7`]
    expect(deleted.slice(0, 3)).toEqual(first)
    expect(deleted).toHaveLength(10)
  })

  test('ten deletions at most: the session comes first, and what a later reply can delete last', () => {
    const [other, last] = [0, 1].map((i) => ({ name: `other${i}`, secure: true }))
    if (!other || !last) throw new Error('expected two cookies')
    const toNames = ({ name }: CookieSpec): string[] =>
      [0, 1, 2, 3, 4, 5, 6, 7].map((i) => `${name}.${i}`)
    const stale = `${row.name}.7`
    const jar = toJar(
      new Map([...toNames(other), ...toNames(last), stale].map((name) => [name, 'x'])),
    )
    const write = (...changes: readonly CookieChange[]): readonly string[] =>
      getDeleted(toSetCookieLines(jar, changes))
    // A part that stayed would be read as a part of the new session.
    const session = setCookie(row, 's'.repeat(6000))
    const [first, ...rest] = write(clearCookie(other), clearCookie(last), session)
    expect([first, rest.length]).toEqual([stale, 9])
    expect(write(clearSurplusCookie(other), clearCookie(last)).slice(0, 8)).toEqual(toNames(last))
  })

  test('the room of cookies counts their domain', () => {
    const measure = (domain?: string): number =>
      getSize([setCookie({ name: 'a', secure: true, ...(domain && { domain }) }, 'value')])
    expect(measure('app.example') - measure()).toBe('; Domain=app.example'.length)
    expect(measure('a.app.example') - measure('app.example')).toBe(2)
  })

  test('a session of more than 11,500 bytes is refused with its largest claims, and a little less is not (I-14)', async () => {
    for (const [length, error] of [
      [8000, null],
      [8300, 'Configuration'],
    ] as const) {
      const { browse, lines } = serve({
        callbacks: { jwt: ({ token }) => ({ ...token, groups: 'g'.repeat(length) }) },
      })
      const browser = browse()
      expect(getRedirect(await signIn(browser)).error).toBe(error)
      expect('user' in (await browser.json('/session'))).toBe(error === null)
      expect(JSON.stringify(lines).includes('at most 11500 bytes')).toBe(error !== null)
      expect(JSON.stringify(lines).includes('the largest: groups (')).toBe(error !== null)
      expect(JSON.stringify(lines)).not.toContain('ggg')
    }
  })

  test('another cookie whose name begins alike changes nothing', async () => {
    const browser = serve().browse()
    await signIn(browser)
    for (const name of [
      '__Host-latchkey.sessionfoo',
      '__Host-latchkey.session.foo',
      '__Host-latchkey.session.0',
      '__Host-latchkey.session.9',
      'latchkey.session',
    ]) {
      browser.cookies.set(name, 'x')
    }
    expect(await browser.json('/session')).toMatchObject({ user: { id: 'passport:alice' } })
  })

  test('a large session is split, and sign-out deletes all parts', async () => {
    const { browse } = serve({
      callbacks: { jwt: ({ token }) => ({ ...token, groups: 'g'.repeat(7500) }) },
    })
    const browser = browse()
    const response = await signIn(browser)
    const parts = response.headers
      .getSetCookie()
      .filter((line) => line.startsWith('__Host-latchkey.session.'))
    expect(parts.length).toBeGreaterThan(1)
    for (const line of parts) expect(line.length).toBeLessThanOrEqual(4096)
    expect(await browser.json('/session')).toMatchObject({ user: { id: 'passport:alice' } })
    await browser.submit('/signout')
    expect([...browser.cookies.keys()].filter((name) => name.includes('session'))).toEqual([])
  })

  test('a session that is too large for cookies is refused, with the reason in the log', async () => {
    const { browse, lines } = serve({
      callbacks: { jwt: ({ token }) => ({ ...token, groups: 'g'.repeat(40_000) }) },
    })
    const browser = browse()
    const response = await signIn(browser)
    expect(response.headers.get('location')).toContain('/error?error=Configuration')
    expect(await browser.json('/session')).toEqual({})
    expect(
      lines
        .filter(({ level }) => level === 'error')
        .map(({ message }) => message)
        .join(),
    ).toContain('expected at most')
  })
})

describe('deletion and configuration (I-14, I-15)', () => {
  test('repeats the attributes that the cookie was set with', async () => {
    for (const domain of [undefined, 'example']) {
      const { browse } = serve({
        cookies: { session: { ...(domain && { domain: 'app.example' }) } },
      })
      const browser = browse()
      const attributes = (lines: string[]): string[] =>
        lines
          .filter((line) => line.includes('latchkey.session'))
          .map((line) => line.replace(/=[^;]*; Max-Age=\d+/, ''))
      const set = attributes((await signIn(browser)).headers.getSetCookie())
      const cleared = await browser.submit('/signout')
      const hostOnly = domain ? attributes(cleared.headers.getSetCookie()).pop() : undefined
      expect(hostOnly).toBe(domain && set[0]?.replace('; Domain=app.example', ''))
      expect(attributes(cleared.headers.getSetCookie()).slice(0, 1)).toEqual(set)
      expect(cleared.headers.getSetCookie().join()).toMatch(/Max-Age=0/)
    }
  })

  test('names can be changed; a domain makes the prefix __Secure-', async () => {
    const { browse } = serve({
      cookies: {
        csrf: { name: 'c' },
        session: { name: 'sid', domain: 'app.example' },
        flow: { name: 'f' },
      },
    })
    const browser = browse()
    const lines = [
      ...(await browser.visit('/csrf')).headers.getSetCookie(),
      ...(await signIn(browser)).headers.getSetCookie(),
    ]
    expect(lines.find((line) => line.startsWith('__Host-c='))).toBeDefined()
    expect(lines.find((line) => line.startsWith('__Secure-sid='))).toMatch(
      /; Domain=app\.example; /,
    )
  })

  test.each<readonly [NonNullable<AuthConfig['cookies']>, RegExp]>([
    [{ session: { name: '__Host-x' } }, /^cookies\.session\.name: must have no prefix/],
    [{ csrf: { name: 'a b' } }, /^cookies\.csrf\.name: must be a cookie name/],
    [{ csrf: { name: '' } }, /^cookies\.csrf\.name/],
    [{ csrf: { name: 'x' }, flow: { name: 'x' } }, /^cookies: the name x is taken/],
    [{ csrf: { name: 'x.y' }, flow: { name: 'x' } }, /^cookies: the name x\.y is taken/],
    [
      { session: { domain: 'other.example' } },
      /^cookies\.session\.domain: must be the domain of serviceUrl/,
    ],
    ...['a;b', ' app.example', 'app.example ', 'https://app.example', 'app.example/'].map(
      (domain) =>
        [{ session: { domain } }, /^cookies\.session\.domain: must be a domain name/] as const,
    ),
  ])('%j is refused at start-up', (cookies, message) => {
    expect(() => serve({ cookies })).toThrow(message)
  })

  test('a name may have a prefix in its middle', () => {
    expect(() => serve({ cookies: { csrf: { name: 'my__Host-x' } } })).not.toThrow()
    expect(() => serve({ cookies: { csrf: { name: '__Host-x' } } })).toThrow('cookies.csrf.name')
  })

  test('an invalid Cookie header is treated as no session (I-36)', async () => {
    const browser = serve().browse()
    for (const cookie of [
      '__Host-latchkey.session=garbage; __Host-latchkey.csrf=%E0%A4%A; a; =; ;;; b=%',
      '=',
      ';',
      '\u00ff=\u00ff',
      '__proto__=x; constructor=y',
    ]) {
      const response = await browser.visit('/session', { headers: { cookie } })
      expect([response.status, await response.json()]).toEqual([200, {}])
    }
  })

  test('any Cookie header is parsed without an exception', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (text) => {
        const jar = new CookieJar(text)
        jar.get('a')
        jar.ids('f')
        toSetCookieLines(jar, [clearCookie(row)])
      }),
    )
  })
})

describe('a seal (I-13)', () => {
  const now = 1_000_000
  const keys = createKeys([secret], random)

  test('opens until it expires', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (content) => {
        const sealed = await keys.flow.seal({ content }, now + 1)
        expect(await keys.flow.open(sealed, now)).toEqual({
          content: JSON.parse(JSON.stringify(content)),
          exp: now + 1,
        })
        expect(await keys.flow.open(sealed, now + 1)).toBeUndefined()
      }),
      { numRuns: 50 },
    )
  })

  test('does not open if a character is altered, removed or added', async () => {
    const sealed = await keys.flow.seal({ a: 'b' }, now + 1)
    await fc.assert(
      fc.asyncProperty(
        fc.nat(sealed.length - 1),
        fc.constantFrom(...'AZaz09-_.=~ '.split('')),
        async (at, char) => {
          const altered = sealed.slice(0, at) + char + sealed.slice(at + 1)
          if (altered !== sealed) expect(await keys.flow.open(altered, now)).toBeUndefined()
          expect(await keys.flow.open(sealed.slice(0, at), now)).toBeUndefined()
          expect(await keys.flow.open(sealed + char, now)).toBeUndefined()
        },
      ),
    )
  })

  test('of one purpose or secret does not open as another', async () => {
    const sealed = await keys.flow.seal({}, now + 1)
    expect(await keys.session.open(sealed, now)).toBeUndefined()
    expect(await keys.return.open(sealed, now)).toBeUndefined()
    expect(
      await createKeys(['another secret of thirty-two bytes!'], random).flow.open(sealed, now),
    ).toBeUndefined()
  })

  test('refuses any text without an exception', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc
            .array(fc.base64String(), { minLength: 5, maxLength: 5 })
            .map((parts) => parts.join('.')),
        ),
        async (text) => {
          expect(await keys.session.open(text, now)).toBeUndefined()
        },
      ),
    )
  })

  test('is a JWE that other libraries read and write (RFC 7516)', async () => {
    const sealed = await keys.flow.seal({ a: 'ä' }, now + 1)
    const key = await hkdf('flow')
    const { plaintext, protectedHeader } = await compactDecrypt(sealed, key)
    expect(JSON.parse(new TextDecoder().decode(plaintext))).toEqual({ a: 'ä', exp: now + 1 })
    expect(protectedHeader).toEqual({ alg: 'dir', enc: 'A256GCM', kid: expect.any(String) })
    const written = await new CompactEncrypt(new TextEncoder().encode(`{"b":"ö","exp":${now + 1}}`))
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: protectedHeader['kid'] as string })
      .encrypt(key)
    expect(await keys.flow.open(written, now)).toEqual({ b: 'ö', exp: now + 1 })
  })

  test.each([
    { alg: 'A256KW', enc: 'A256GCM' },
    { alg: 'A256GCMKW', enc: 'A256GCM' },
    { alg: 'dir', enc: 'A256GCM', zip: 'DEF' },
    { alg: 'dir', enc: 'A256GCM', typ: 'JWT' },
    { alg: 'dir', enc: 'A256GCM', kid: 'another' },
  ])('with another header is refused even with the right key: %j', async (header) => {
    const { kid } = decodeProtectedHeader(await keys.flow.seal({}, now + 1)) as { kid: string }
    const foreign = await new CompactEncrypt(new TextEncoder().encode('{"exp":9999999999}'))
      .setProtectedHeader({ kid, ...header })
      .encrypt(await hkdf('flow'))
    expect(await keys.flow.open(foreign, now)).toBeUndefined()
  })

  test('is sealed with the first secret and opened with any, selected by kid', async () => {
    const old = serve({ secret })
    const browser = old.browse()
    await signIn(browser)
    const next = serve({ secret: ['another secret of thirty-two bytes!', secret] }).browse()
    for (const [name, value] of browser.cookies) next.cookies.set(name, value)
    expect(await next.json('/session')).toMatchObject({ user: { id: 'passport:alice' } })
    const later = serve({ secret: 'another secret of thirty-two bytes!' }).browse()
    for (const [name, value] of browser.cookies) later.cookies.set(name, value)
    expect(await later.json('/session')).toEqual({})
  })

  test.each<[unknown]>([
    [''],
    ['short'],
    ['x'.repeat(31)],
    [[]],
    [['x'.repeat(32), 'short']],
    [undefined],
    [null],
    [42],
  ])('is refused at start-up with the secret %j', (value) => {
    expect(() => serve({ secret: value as string, providers: [passport()] })).toThrow(/^secret: /)
  })
})

/** Derives the key of a purpose with Node's HKDF (I-13). */
async function hkdf(purpose: string): Promise<Uint8Array> {
  return new Uint8Array(hkdfSync('sha256', secret, '', `latchkey ${purpose} v1`, 32))
}
