import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toAllowedUrl } from '../src/http/return-url.ts'
import { beginSignIn, origin, serve, signIn, toCallbackUrl } from './support/service.ts'

const hostile = [
  'https://evil.example/',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\tevil.example',
  '/\n/evil.example',
  'https:\\\\evil.example',
  'https:/\\evil.example',
  'https:evil.example//x',
  'http://app.example/',
  'https://app.example:444/',
  'https://app.example@evil.example/',
  'https://user:pass@app.example/',
  'https://user@app.example/',
  'https://:pass@app.example/',
  'https://app.example.evil.example/',
  'https://appXexample/',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,x',
  'vbscript:x',
  'blob:https://app.example/x',
  'file:///etc/passwd',
  'about:blank',
  'mailto:a@b.example',
  'https://',
  'http:',
  '//',
  '\u0000/x',
  '/x\u007f',
  '/x\u0085y',
]

const longPath = `/${'x'.repeat(3000)}`
const rows: readonly [title: string, callbackUrl: string][] = [
  ...hostile.map((value): [string, string] => [JSON.stringify(value), value]),
  ['a path of 3001 characters', longPath],
]

/** Differs from an accepted URL of the same origin in one respect. */
const dropped: readonly (readonly [string, accepted: string, refused: string])[] = [
  ['a user name', `${origin}/x`, 'https://user@app.example/x'],
  ['a password', `${origin}/x`, 'https://:pass@app.example/x'],
  ['a backslash', '/a/b', '/a\\b'],
  ['a tab', '/ab', '/a\tb'],
  ['NUL', '/ab', '/a\0b'],
  ['the last C0 control', '/ab', '/a\u001fb'],
  ['DEL', '/ab', '/a\u007fb'],
  ['the first C1 control', '/ab', '/a\u0080b'],
  ['the last C1 control', '/a\u00a0b', '/a\u009fb'],
  ['2,049 characters', `/${'a/../'.repeat(409)}bc`, `/${'a/../'.repeat(409)}bcd`],
  // The origin has 19 characters, and a line separator becomes nine.
  [
    '2,049 characters as it is serialised',
    `/${'x'.repeat(2019)}\u2028`,
    `/${'x'.repeat(2020)}\u2028`,
  ],
  ['another scheme', 'https://app.example/x', 'ftp://app.example/x'],
  ['no host', 'https://app.example/', 'https://'],
]

const rules = { trustedOrigins: new Set<string>(), allow: undefined }

describe('a return URL (I-41)', () => {
  test.each(rows)('%s never redirects to another origin', async (_, callbackUrl) => {
    const { browse } = serve()
    const expectOwnOrigin = (location: string | null): void => {
      expect(['https://app.example', 'https://idp.example']).toContain(
        new URL(location as string).origin,
      )
    }
    const browser = browse()
    expectOwnOrigin((await signIn(browser, 'alice', { callbackUrl })).headers.get('location'))
    expectOwnOrigin(
      (
        await browser.submit(`/signin/passport?${new URLSearchParams({ callbackUrl })}`)
      ).headers.get('location'),
    )
    expectOwnOrigin((await browser.submit('/signout', { callbackUrl })).headers.get('location'))
    const json = await browse().submit('/signout', { callbackUrl, json: 'true' })
    expectOwnOrigin(((await json.json()) as { url: string }).url)
    const signedIn = browse()
    await signIn(signedIn)
    for (const page of ['/signin', '/signout', '/error']) {
      const html = await (
        await signedIn.visit(`${page}?${new URLSearchParams({ callbackUrl })}`)
      ).text()
      const urls = [...html.matchAll(/(?:name="callbackUrl" value|<a [^>]*href)="([^"]*)"/g)]
      expect(urls.length).toBeGreaterThan(1)
      for (const [, url = ''] of urls) expectOwnOrigin(url.replaceAll('&amp;', '&'))
    }
  })

  test.each([
    ['/deep/page?a=1&b=%2F#frag', '/deep/page?a=1&b=%2F#frag'],
    ['https://app.example/x', '/x'],
    ['HTTPS://APP.EXAMPLE:443/x', '/x'],
    ['x/y', '/x/y'],
    ['?a=b', '/?a=b'],
    ['/a/../b', '/b'],
    ['/.//evil.example', '//evil.example'],
    ['/ü', '/%C3%BC'],
  ])('%s on the same origin becomes %s', async (callbackUrl, expected) => {
    const response = await serve().browse().submit('/signout', { callbackUrl })
    expect(response.headers.get('location')).toBe(origin + expected)
  })

  test.each(dropped)('with %s is dropped', async (_, accepted, refused) => {
    const { browse, lines } = serve()
    const browser = browse()
    const signOut = async (callbackUrl: string): Promise<string | null> =>
      (await browser.submit('/signout', { callbackUrl })).headers.get('location')
    expect(await signOut(accepted)).toBe(new URL(accepted, origin).href)
    expect(await signOut(refused)).toBe(origin)
    expect(lines).toEqual([])
  })

  test('is taken from the body, then the query, else it is the origin', async () => {
    const browser = serve().browse()
    const signOut = async (path: string, fields = {}): Promise<string | null> =>
      (await browser.submit(path, fields)).headers.get('location')
    expect(await signOut('/signout?callbackUrl=/query', { callbackUrl: '/body' })).toBe(
      `${origin}/body`,
    )
    expect(await signOut('/signout?callbackUrl=/query')).toBe(`${origin}/query`)
    expect(await signOut('/signout')).toBe(origin)
  })

  test('is a normalized URL on the origin, for any text', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.webUrl(),
      fc.stringMatching(/^[/\\ \t:@.a-z%?#-]{0,20}$/),
    )
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        const url = await toAllowedUrl(value, origin, rules)
        expect(new URL(url).origin).toBe(origin)
        expect(url === origin || new URL(url).href === url).toBe(true)
        expect(await toAllowedUrl(url, origin, rules)).toBe(url)
      }),
      { numRuns: 1000 },
    )
  })

  test('on another origin requires that callbacks.redirect returns true', async () => {
    for (const [result, isAllowed] of [
      [true, true],
      [Promise.resolve(true), true],
      [false, false],
      [Promise.resolve(false), false],
      ['https://evil.example', false],
      [1, false],
      [undefined, false],
    ] as const) {
      const { browse } = serve({
        callbacks: { redirect: ({ url }) => (url.hostname === 'shop.example' ? result : false) },
      })
      const getLocation = async (callbackUrl: string): Promise<string | null> =>
        (await browse().submit('/signout', { callbackUrl })).headers.get('location')
      expect(await getLocation('https://shop.example/cart')).toBe(
        isAllowed ? 'https://shop.example/cart' : origin,
      )
      expect(await getLocation('https://evil.example/')).toBe(origin)
    }
  })

  test('is passed to callbacks.redirect only with http(s) and without credentials', async () => {
    const received: string[] = []
    const allow = ({ url }: { url: URL }): boolean => (received.push(url.href), true)
    for (const value of [...hostile, longPath])
      await toAllowedUrl(value, origin, { ...rules, allow })
    expect(received.filter((url) => !/^https?:\/\/[^@]+$/.test(url))).toEqual([])
  })

  test('is checked again at the end of a sign-in', async () => {
    for (const [isStillAllowed, expected] of [
      [true, 'https://shop.example/'],
      [false, origin],
    ] as const) {
      let isAllowed = true
      const { browse } = serve({ callbacks: { redirect: () => isAllowed } })
      const browser = browse()
      const redirect = await beginSignIn(browser, { callbackUrl: 'https://shop.example/' })
      isAllowed = isStillAllowed
      const response = await browser.visit(toCallbackUrl(redirect, 'alice'))
      expect(response.headers.get('location')).toBe(expected)
    }
  })

  test('is the origin if callbacks.redirect throws', async () => {
    const { browse, lines } = serve({
      callbacks: {
        redirect: () => {
          throw new Error('no')
        },
      },
    })
    const response = await browse().submit('/signout', { callbackUrl: 'https://shop.example/' })
    expect(response.headers.get('location')).toBe(origin)
    expect(lines.map(({ message }) => message)).toContain('callbacks.redirect threw')
  })
})
