import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkReturnUrl } from '../src/http/return-url.ts'
import { beginSignIn, toCallbackUrl, origin, serve, signIn } from './support/service.ts'

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
  `/${'x'.repeat(3000)}`,
]

describe('a return address (I-41)', () => {
  test.each(hostile)(
    '%j never leads off the origin, whichever sink it reaches',
    async (callbackUrl) => {
      const { browse } = serve()
      const leads = (location: string | null): void => {
        expect(['https://app.example', 'https://idp.example']).toContain(
          new URL(location as string).origin,
        )
      }
      const browser = browse()
      leads((await signIn(browser, 'alice', { callbackUrl })).headers.get('location'))
      leads(
        (
          await browser.submit(`/signin/passport?${new URLSearchParams({ callbackUrl })}`)
        ).headers.get('location'),
      )
      leads((await browser.submit('/signout', { callbackUrl })).headers.get('location'))
      const json = await browse().submit('/signout', { callbackUrl, json: 'true' })
      leads(((await json.json()) as { url: string }).url)
      for (const page of ['/signin', '/signout']) {
        const html = await (
          await browse().visit(`${page}?${new URLSearchParams({ callbackUrl })}`)
        ).text()
        leads(/name="callbackUrl" value="([^"]*)"/.exec(html)?.[1] as string)
      }
    },
  )

  test.each([
    ['/deep/page?a=1&b=%2F#frag', '/deep/page?a=1&b=%2F#frag'],
    ['https://app.example/x', '/x'],
    ['HTTPS://APP.EXAMPLE:443/x', '/x'],
    ['x/y', '/x/y'],
    ['?a=b', '/?a=b'],
    ['/a/../b', '/b'],
    ['/.//evil.example', '//evil.example'],
    ['/ü', '/%C3%BC'],
  ])('%s of the own origin becomes %s', async (callbackUrl, expected) => {
    const response = await serve().browse().submit('/signout', { callbackUrl })
    expect(response.headers.get('location')).toBe(origin + expected)
  })

  test('the body counts, then the query, then the origin', async () => {
    const browser = serve().browse()
    const to = async (path: string, fields = {}): Promise<string | null> =>
      (await browser.submit(path, fields)).headers.get('location')
    expect(await to('/signout?callbackUrl=/query', { callbackUrl: '/body' })).toBe(`${origin}/body`)
    expect(await to('/signout?callbackUrl=/query')).toBe(`${origin}/query`)
    expect(await to('/signout')).toBe(origin)
  })

  test('whatever the text, the answer is an http(s) address of the origin', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.webUrl(),
      fc.stringMatching(/^[/\\ \t:@.a-z%?#-]{0,20}$/),
    )
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        const address = await checkReturnUrl(value, origin, undefined)
        expect(new URL(address).origin).toBe(origin)
        expect(address === origin || new URL(address).href === address).toBe(true)
        expect(await checkReturnUrl(address, origin, undefined)).toBe(address)
      }),
      { numRuns: 1000 },
    )
  })

  test('an address elsewhere needs callbacks.redirect, which must say true', async () => {
    for (const [answer, allowed] of [
      [true, true],
      [false, false],
      ['https://evil.example', false],
      [1, false],
      [undefined, false],
    ] as const) {
      const { browse } = serve({
        callbacks: { redirect: ({ url }) => (url.hostname === 'shop.example' ? answer : false) },
      })
      const location = async (callbackUrl: string): Promise<string | null> =>
        (await browse().submit('/signout', { callbackUrl })).headers.get('location')
      expect(await location('https://shop.example/cart')).toBe(
        allowed ? 'https://shop.example/cart' : origin,
      )
      expect(await location('https://evil.example/')).toBe(origin)
    }
  })

  test('callbacks.redirect never sees another scheme, nor credentials', async () => {
    const seen: string[] = []
    const allow = ({ url }: { url: URL }): boolean => (seen.push(url.href), true)
    for (const value of hostile) await checkReturnUrl(value, origin, allow)
    expect(seen.filter((url) => !/^https?:\/\/[^@]+$/.test(url))).toEqual([])
  })

  test('it is asked again when a sign-in ends', async () => {
    let open = true
    const { browse } = serve({ callbacks: { redirect: () => open } })
    const browser = browse()
    const away = await beginSignIn(browser, { callbackUrl: 'https://shop.example/' })
    open = false
    expect((await browser.visit(toCallbackUrl(away, 'alice'))).headers.get('location')).toBe(origin)
  })

  test('one that throws refuses the address and nothing else', async () => {
    const { browse } = serve({
      callbacks: {
        redirect: () => {
          throw new Error('no')
        },
      },
    })
    const response = await browse().submit('/signout', { callbackUrl: 'https://shop.example/' })
    expect(response.headers.get('location')).toBe(origin)
  })
})
