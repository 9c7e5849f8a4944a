import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Browser } from '@latchkey/testing/browser'
import { createAuth } from '@latchkey/core'
import { base, origin, passport, secret, serve } from './support/service.ts'

const paths = [
  '/signin',
  '/signin/passport',
  '/callback/passport',
  '/signout',
  '/session',
  '/csrf',
  '/providers',
  '/error',
  '/verify-request',
]

const allowed: Readonly<Record<string, string>> = {
  '/signin': 'GET, HEAD',
  '/signin/passport': 'GET, HEAD, POST',
  '/callback/passport': 'GET, HEAD, POST',
  '/signout': 'GET, HEAD, POST',
  '/session': 'GET, HEAD, POST',
  '/csrf': 'GET, HEAD',
  '/providers': 'GET, HEAD',
  '/error': 'GET, HEAD',
  '/verify-request': 'GET, HEAD',
}

describe('the path (I-3)', () => {
  const { browse } = serve()

  test.each(paths)('%s is found, with and without a trailing slash', async (path) => {
    const browser = browse()
    for (const target of [path, `${path}/`, `${path}?a=/b`, `${path}/?a`, `${path}#f`]) {
      expect((await browser.visit(target)).status, target).not.toBe(404)
    }
  })

  test.each([
    '',
    '/',
    '//session',
    '/session//',
    '/session/x',
    '/Session',
    '/SIGNIN',
    '/%73ession',
    '/session%2f',
    '/session;a=b',
    '/session.json',
    '/signin/passport/x',
    '/signin//passport',
    '/signin/Passport',
    '/signin/pass%70ort',
    '/signin/:provider',
    '/signin/unknown',
    '/callback',
    '/callback/',
    '/callback/unknown',
    '/error/AccessDenied',
    '/_log',
    '/__proto__',
    '/constructor',
    '/signin/__proto__',
    '/signin/constructor',
  ])('%j is 404', async (path) => {
    const response = await browse().visit(base + path)
    expect(response.status).toBe(404)
    expect(response.headers.get('set-cookie')).toBeNull()
  })

  test('the base path is compared in full, undecoded', async () => {
    const { auth } = serve()
    for (const url of [
      `${origin}/api/authsession`,
      `${origin}/session`,
      `${origin}/api/auth2/session`,
      `${origin}/API/auth/session`,
      `${origin}/api/%61uth/session`,
      `${origin}/x/api/auth/session`,
    ]) {
      expect((await auth.handle(new Request(url))).status, url).toBe(404)
    }
  })

  test('any path is answered without an exception', async () => {
    const { auth } = serve()
    await fc.assert(
      fc.asyncProperty(fc.webPath(), fc.constantFrom('GET', 'HEAD'), async (path, method) => {
        const response = await auth.handle(new Request(base + path, { method }))
        expect([200, 302, 404]).toContain(response.status)
        expect(response.headers.get('cache-control')).toBe('private, no-store')
        const known = paths.some((route) => path === route || path === `${route}/`)
        expect(response.status === 404).toBe(!known)
      }),
    )
  })
})

describe('the method of a request (I-5)', () => {
  test.each(paths)('%s accepts only its own methods and lists them in Allow', async (path) => {
    const { auth } = serve()
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'GETX']) {
      const response = await auth.handle(
        new Request(base + path, { method, headers: { origin: 'https://evil.example' } }),
      )
      expect(response.status, method).toBe(405)
      expect(response.headers.get('allow')).toBe(allowed[path])
      expect(
        [...response.headers.keys()].filter((name) => name.startsWith('access-control')),
      ).toEqual([])
    }
    if (!allowed[path]?.includes('POST')) {
      expect((await serve().browse().post(path, {})).status).toBe(405)
    }
  })

  test.each(paths.filter((path) => path !== '/callback/passport'))(
    'HEAD %s is answered as GET, without body and cookies',
    async (path) => {
      const { browse } = serve()
      const head = await browse().visit(path, { method: 'HEAD' })
      const get = await browse().visit(path)
      expect(head.status).toBe(get.status)
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
      expect(await head.text()).toBe('')
      expect(head.headers.getSetCookie()).toEqual([])
    },
  )
})

describe('the base path (I-1)', () => {
  test.each([
    ['https://app.example', '/api/auth'],
    ['https://app.example/', '/api/auth'],
    ['https://app.example//', '/api/auth'],
    ['https://app.example/auth', '/auth'],
    ['https://app.example/deep/auth/', '/deep/auth'],
    ['https://APP.example:443/Auth///', '/Auth'],
  ])('SERVICE_URL %s serves %s', async (serviceUrl, basePath) => {
    const { auth } = serve({ serviceUrl })
    const response = await auth.handle(new Request(`${origin}${basePath}/providers`))
    expect(await response.json()).toEqual({
      passport: {
        id: 'passport',
        name: 'Passport',
        type: 'oauth',
        signinUrl: `${origin}${basePath}/signin/passport`,
        callbackUrl: `${origin}${basePath}/callback/passport`,
      },
    })
    if (basePath !== '/api/auth') {
      expect((await auth.handle(new Request(`${base}/session`))).status).toBe(404)
    }
  })

  test.each([
    'app.example',
    'ftp://app.example',
    'javascript:alert(1)',
    '',
    '/api/auth',
    'https://',
    'https://app.example/?a=b',
    'https://app.example/?',
    'https://app.example/#f',
    'https://user@app.example',
    'https://user:pass@app.example/auth',
  ])('%j is refused at start-up with an error that names serviceUrl', (serviceUrl) => {
    expect(() => serve({ serviceUrl })).toThrow(/^serviceUrl: must/)
  })
})

describe('the origin (I-2)', () => {
  const create = (over: object): ReturnType<typeof createAuth> =>
    createAuth({
      secret,
      providers: [passport()],
      logger: { error: () => undefined, warn: () => undefined },
      ...over,
    })

  test('is the configured one, whatever the headers of the request', async () => {
    const { auth } = serve()
    const request = new Request('https://evil.example/api/auth/providers', {
      headers: {
        host: 'evil.example',
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'http',
        forwarded: 'host=evil.example',
      },
    })
    const body = await (await auth.handle(request)).text()
    expect(body).toContain(`${base}/signin/passport`)
    expect(body).not.toContain('evil')
  })

  test.each([
    'http://localhost:3000',
    'http://127.0.0.1',
    'http://[::1]:8080',
    'https://localhost',
  ])('is the origin of the request on loopback: %s', async (local) => {
    const response = await create({}).handle(new Request(`${local}/api/auth/providers`))
    expect(await response.text()).toContain(`${local}/api/auth/callback/passport`)
  })

  test.each([
    'https://app.example',
    'http://localhost.evil.example',
    'http://127.0.0.2',
    'http://10.0.0.1',
  ])('of any other request is a Configuration error: %s', async (host) => {
    const json = await create({}).handle(new Request(`${host}/api/auth/providers`))
    expect(json.status).toBe(500)
    expect(await json.json()).toMatchObject({ error: 'Configuration' })
    const page = await create({}).handle(new Request(`${host}/api/auth/signin`))
    expect(page.status).toBe(500)
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(await page.text()).not.toContain('example')
  })

  test.each(['evil.example', 'localhost.evil.example', 'user@localhost', '127.0.0.2:3000', ''])(
    'with the Host header %s is a Configuration error, even if the URL is on loopback',
    async (host) => {
      const response = await create({}).handle(
        new Request('http://localhost:3000/api/auth/providers', { headers: { host } }),
      )
      expect(response.status).toBe(500)
      expect(await response.json()).toMatchObject({ error: 'Configuration' })
    },
  )

  test.each(['localhost:5173', 'LOCALHOST', '127.0.0.1', '[::1]:3000'])(
    'is the origin of the request with the Host header %s',
    async (host) => {
      const response = await create({}).handle(
        new Request('http://localhost:3000/api/auth/providers', { headers: { host } }),
      )
      expect(await response.text()).toContain('http://localhost:3000/api/auth/callback/passport')
    },
  )

  test('is not decided by the first request of a process, and the base path is not either', async () => {
    for (const first of [
      'https://evil.example/api/auth/session',
      'https://evil.example/',
      'https://evil.example/api/auth/evil/session',
      'http://localhost:3000/evil/session',
      'http://localhost:3000/',
    ]) {
      const { handle } = create({})
      expect([404, 500]).toContain((await handle(new Request(first))).status)
      const later = await handle(new Request('http://localhost:3000/api/auth/providers'))
      expect(await later.text()).toContain('http://localhost:3000/api/auth/callback/passport')
    }
  })

  test('is the origin of the request with trustHost, without X-Forwarded-*', async () => {
    const { handle } = create({ trustHost: true })
    const headers = { 'x-forwarded-host': 'evil.example' }
    for (const host of ['https://one.example', 'https://two.example']) {
      const body = await (
        await handle(new Request(`${host}/api/auth/providers`, { headers }))
      ).text()
      expect(body).toContain(`${host}/api/auth/signin/passport`)
      expect(body).not.toContain('evil')
    }
  })
})

describe('secure mode (I-4)', () => {
  test('refuses http except on loopback', async () => {
    expect(() => serve({ serviceUrl: 'http://app.example' })).toThrow(/^serviceUrl: must be https/)
    const { handle } = createAuth({
      secret,
      providers: [passport()],
      trustHost: true,
      logger: { error: () => undefined, warn: () => undefined },
    })
    expect((await handle(new Request('http://app.example/api/auth/csrf'))).status).toBe(500)
  })

  test('accepts http with allowInsecure; cookies have neither prefix nor Secure', async () => {
    const { auth } = serve({ serviceUrl: 'http://app.example', allowInsecure: true })
    const browser = new Browser(auth.handle, 'http://app.example/api/auth')
    const response = await browser.visit('/csrf')
    expect(response.headers.get('set-cookie')).toMatch(
      /^latchkey\.csrf=[^;]+; Path=\/; HttpOnly; SameSite=Lax$/,
    )
  })

  test('gives every cookie the prefix, and reads no cookie without it', async () => {
    const browser = serve().browse()
    expect((await browser.visit('/csrf')).headers.get('set-cookie')).toMatch(
      /^__Host-latchkey\.csrf=[^;]+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    const cookie = browser.cookies.get('__Host-latchkey.csrf') as string
    const token = cookie.split('.')[0] as string
    const response = await browser.post(
      '/signout',
      { csrfToken: token },
      { headers: { cookie: `latchkey.csrf=${cookie}` } },
    )
    expect(response.status).toBe(403)
  })
})

describe('the headers of every response (I-10)', () => {
  test.each([...paths, '/nothing'])('%s', async (path) => {
    const response = await serve().browse().visit(path)
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    const type = response.headers.get('content-type') ?? ''
    if (response.status === 302) return
    expect(type).toMatch(/; charset=utf-8$/)
    if (!type.startsWith('text/html')) return
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; img-src data:; form-action 'self' https:; base-uri 'none'; frame-ancestors 'none'$/,
    )
    expect(response.headers.get('referrer-policy')).toBe('same-origin')
    expect(response.headers.get('cross-origin-opener-policy')).toBe('same-origin')
  })
})

describe('a request with another base path is warned of once, with both base paths', () => {
  test.each([
    ['/auth/callback/passport?code=x', '/auth'],
    ['/session', '/'],
    ['/api/session/', '/api'],
    ['/api/auth/auth/signin', '/api/auth/auth'],
  ])('%s', async (path, found) => {
    const { auth, lines } = serve()
    const ask = async (url: string): Promise<number> => (await auth.handle(new Request(url))).status
    expect(await ask(`${base}/session`)).toBe(200)
    expect(await ask(`${origin}/some/page`)).toBe(404)
    expect(await ask(`${base}/callback/unknown`)).toBe(404)
    expect(lines).toEqual([])
    for (let i = 0; i < 3; i++) expect(await ask(origin + path)).toBe(404)
    expect(lines.map(({ message }) => message)).toEqual([
      `not found below ${found}: the base path is /api/auth: change the path of serviceUrl, or of the client`,
    ])
  })
})
