import { memoryStorage } from '@latchkey/core/memory'
import { NextRequest, NextResponse } from 'next/server.js'
import type { NextFetchEvent } from 'next/server.js'
import { describe, expect, test } from 'vitest'
import { createNextAuth } from '../src/index.ts'
import { withAuth, withCsrfCookie } from '../src/proxy.ts'
import type { AuthProxy } from '../src/proxy.ts'
import { breakableStorage } from '../../core/test/support/breakable.ts'
import { base, origin } from '../../core/test/support/service.ts'
import { createConfig, signInCookie, startNext } from './support/service.ts'

type Init = NonNullable<ConstructorParameters<typeof NextRequest>[1]>

/** What a proxy answers, and what it passes on to the page. */
interface Passed {
  readonly response: Response | undefined
  /** The `Set-Cookie` lines of the response. */
  readonly lines: readonly string[]
  /** The headers that the page receives in place of the client's headers. */
  readonly headers: Headers
}

async function call(proxy: AuthProxy, url = `${origin}/page`, init: Init = {}): Promise<Passed> {
  const response = (await proxy(new NextRequest(url, init), {} as NextFetchEvent)) ?? undefined
  const names = response?.headers.get('x-middleware-override-headers')?.split(',') ?? []
  const headers = new Headers(
    names.map((name) => [name, response?.headers.get(`x-middleware-request-${name}`) ?? '']),
  )
  return { response, lines: response?.headers.getSetCookie() ?? [], headers }
}

const csrfLine =
  /^__Host-latchkey\.csrf=[\w-]{43}\.[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/
const getPair = (line = ''): string => line.split(';')[0] ?? ''

describe('withCsrfCookie(next)', () => {
  const { next } = startNext()
  const proxy = withCsrfCookie(next)

  test('sets the cookie on a page request, which the page receives too', async () => {
    const { response, lines, headers } = await call(proxy)
    expect(lines).toEqual([expect.stringMatching(csrfLine)])
    expect(response?.headers.get('x-middleware-next')).toBe('1')
    expect(response?.headers.get('cache-control')).toBe('private, no-store')
    expect(headers.get('cookie')).toBe(getPair(lines[0]))
    expect(headers.get('x-latchkey-method')).toBe('GET')
  })

  test('keeps a valid cookie (I-18), and replaces an invalid one', async () => {
    const cookie = getPair((await call(proxy)).lines[0])
    const kept = await call(proxy, undefined, { headers: { cookie } })
    expect([kept.lines, kept.headers.get('cookie')]).toEqual([[], cookie])
    expect(kept.response?.headers.get('cache-control')).toBeNull()
    const forged = { cookie: `mine=100%; ${cookie.slice(0, -4)}AAAA; other="a b"` }
    const replaced = await call(proxy, undefined, { headers: forged })
    expect(replaced.lines).toEqual([expect.stringMatching(csrfLine)])
    const pair = getPair(replaced.lines[0])
    expect(replaced.headers.get('cookie')).toBe(`mine=100%; ${pair}; other="a b"`)
  })

  test('issues a token for the session of the request', async () => {
    const service = startNext()
    const cookie = await signInCookie(service)
    const { lines } = await call(withCsrfCookie(service.next), undefined, { headers: { cookie } })
    const browser = service.browse()
    for (const pair of [...cookie.split('; '), getPair(lines[0])]) {
      const [name = '', value = ''] = pair.split(/=(.*)/)
      browser.cookies.set(name, value)
    }
    const csrfToken = /=([^.]+)/.exec(lines[0]?.split('csrf')[1] ?? '')?.[1] ?? ''
    expect((await browser.post('/signout', { csrfToken })).status).toBe(302)
  })

  test.for(['POST', 'HEAD', 'PUT'])(
    '%s gets no cookie, and its method is passed on',
    async (method) => {
      const headers = { 'x-latchkey-method': 'GET' }
      const passed = await call(proxy, undefined, { method, headers })
      expect([passed.lines, passed.headers.get('x-latchkey-method')]).toEqual([[], method])
    },
  )

  test('overwrites the method that a client claims', async () => {
    const { headers } = await call(proxy, undefined, { headers: { 'x-latchkey-method': 'POST' } })
    expect(headers.get('x-latchkey-method')).toBe('GET')
  })

  test.for(['/api/auth/session', '/_next/static/a.js', '/favicon.ico'])(
    'passes %s on without a cookie',
    async (path) => {
      expect((await call(proxy, origin + path)).response).toBeUndefined()
    },
  )

  test('passes without a cookie if the storage fails', async () => {
    const { storage, fail } = breakableStorage()
    const service = startNext({ storage })
    const cookie = await signInCookie(service)
    fail()
    const passed = await call(withCsrfCookie(service.next), undefined, { headers: { cookie } })
    expect([passed.lines, passed.headers.get('cookie')]).toEqual([[], cookie])
  })

  test('lets no request pass if the configuration is invalid', async () => {
    const config = createConfig({ secret: 'short', storage: memoryStorage() })
    const invalid = createNextAuth(() => Promise.resolve(config))
    await expect(call(withCsrfCookie(invalid))).rejects.toThrow('secret: ')
  })
})

describe('withCsrfCookie(next, proxy)', () => {
  const { next } = startNext()

  test('returns the redirect of the proxy as it is', async () => {
    const { response, lines } = await call(withCsrfCookie(next, withAuth(next)))
    expect([response?.status, response?.headers.get('location')]).toEqual([
      302,
      `${base}/signin?callbackUrl=%2Fpage`,
    ])
    expect(lines).toEqual([])
  })

  test('sets the cookie if the proxy passes the request, rewrites it or changes headers', async () => {
    const answers = [
      () => undefined,
      () => null,
      () => NextResponse.next({ headers: { 'x-mine': '1' } }),
      (request: NextRequest) => NextResponse.rewrite(new URL('/other', request.url)),
      ({ headers }: NextRequest) =>
        NextResponse.next({ request: { headers: new Headers([...headers, ['x-mine', '2']]) } }),
    ]
    const passed = await Promise.all(answers.map((answer) => call(withCsrfCookie(next, answer))))
    for (const { lines, headers } of passed) {
      expect(lines).toEqual([expect.stringMatching(csrfLine)])
      expect(headers.get('cookie')).toBe(getPair(lines[0]))
      expect(headers.get('x-latchkey-method')).toBe('GET')
    }
    expect(passed[2]?.response?.headers.get('x-mine')).toBe('1')
    expect(passed[3]?.response?.headers.get('x-middleware-rewrite')).toBe(`${origin}/other`)
    expect(passed[3]?.response?.headers.has('x-middleware-next')).toBe(false)
    expect(passed[4]?.headers.get('x-mine')).toBe('2')
  })

  test('keeps the cookies that the proxy sets', async () => {
    const proxy = withCsrfCookie(next, () => {
      const response = NextResponse.next()
      response.cookies.set('mine', '1')
      return response
    })
    expect((await call(proxy)).lines).toEqual(['mine=1; Path=/', expect.stringMatching(csrfLine)])
  })
})
