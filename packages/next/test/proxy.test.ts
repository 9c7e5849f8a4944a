import { memoryStorage } from '@latchkey/core/memory'
import { NextRequest, NextResponse } from 'next/server.js'
import type { NextFetchEvent } from 'next/server.js'
import { describe, expect, test } from 'vitest'
import { createNextAuth } from '../src/index.ts'
import { withAuth } from '../src/proxy.ts'
import type { AuthProxy } from '../src/proxy.ts'
import { breakableStorage } from '../../core/test/support/breakable.ts'
import { base, origin } from '../../core/test/support/service.ts'
import { createConfig, signInCookie, startNext } from './support/service.ts'

type Init = NonNullable<ConstructorParameters<typeof NextRequest>[1]>

/** Calls a proxy; `undefined` means that the request passes. */
async function call(proxy: AuthProxy, url: string, init: Init = {}): Promise<Response | undefined> {
  const request = new NextRequest(url, init)
  return (await proxy(request, {} as NextFetchEvent)) ?? undefined
}

const getLocation = (response: Response | undefined): string | null | undefined =>
  response && new URL(response.headers.get('location') ?? '').href

describe('a request without a session', () => {
  const { next } = startNext()
  const proxy = withAuth(next)

  test('is redirected to the sign-in page, with the URL to return to', async () => {
    // Behind a proxy that terminates TLS, the URL is the internal one.
    const response = await call(proxy, 'http://10.0.0.1:3000/account?a=1&b=%2F')
    expect(response?.status).toBe(302)
    expect(getLocation(response)).toBe(`${base}/signin?callbackUrl=%2Faccount%3Fa%3D1%26b%3D%252F`)
    expect(response?.headers.get('cache-control')).toBe('private, no-store')
  })

  test('of another method is redirected by 303, to return to the page that sent it (I-11)', async () => {
    const headers = { referer: `${origin}/form` }
    const response = await call(proxy, `${origin}/account`, { method: 'POST', headers })
    expect([response?.status, getLocation(response)]).toEqual([
      303,
      `${base}/signin?callbackUrl=${encodeURIComponent(headers.referer)}`,
    ])
    const bare = await call(proxy, `${origin}/account`, { method: 'DELETE' })
    expect(getLocation(bare)).toBe(`${base}/signin`)
  })

  test('of another site names no URL of that site, which the application’s page could follow', async () => {
    for (const referer of ['https://evil.example/', `${origin}.evil.example/`, 'about:client']) {
      const init = { method: 'POST', headers: { referer } }
      expect(getLocation(await call(proxy, `${origin}/account`, init))).toBe(`${base}/signin`)
    }
    for (const path of ['//evil.example/x?a=1', '///evil.example/x?a=1']) {
      expect(getLocation(await call(proxy, origin + path))).toBe(
        `${base}/signin?callbackUrl=%2Fevil.example%2Fx%3Fa%3D1`,
      )
    }
  })

  test.for(['/api/auth/session', '/api/auth/signin', '/_next/static/a.js', '/favicon.ico'])(
    'passes to %s',
    async (path) => {
      expect(await call(proxy, origin + path)).toBeUndefined()
    },
  )

  test.for([
    '/_next/data/build/account.json',
    // Next.js itself takes the prefix from paths that end in .json.
    '/_next/data/build/account',
    '/_next/data/build/account.json/x',
    '/_next//data/build/account.json',
    '/_next/d%61ta/build/account.json',
    '/_next/%2e%2e/account',
    '/_next/..%2faccount',
    '/api/auth/../account',
    '/api/authors',
    '/favicon.ico/x',
    '/x/_next/y',
  ])('does not pass to %s', async (path) => {
    expect((await call(proxy, origin + path))?.status).toBe(302)
  })

  test('with a forged session cookie is redirected', async () => {
    const headers = { cookie: '__Host-latchkey.session=forged' }
    const response = await call(proxy, `${origin}/account`, { headers })
    expect(response?.status).toBe(302)
    expect(response?.headers.getSetCookie()).toEqual([])
  })
})

test('the pages of the configuration pass, and the sign-in page is the one of the configuration', async () => {
  const pages = { signIn: '/login?from=proxy', error: 'https://other.example/error' }
  const proxy = withAuth(startNext({ pages: { ...pages, newUser: '/' } }).next)
  // A new user has a session.
  expect((await call(proxy, `${origin}/`))?.status).toBe(302)
  expect(await call(proxy, `${origin}/login`)).toBeUndefined()
  expect(await call(proxy, `${origin}/login/`)).toBeUndefined()
  expect((await call(proxy, `${origin}/error`))?.status).toBe(302)
  const response = await call(proxy, `${origin}/account`)
  expect(getLocation(response)).toBe(`${origin}/login?from=proxy&callbackUrl=%2Faccount`)
})

test('the basePath of next.config is part of the URLs', async () => {
  const { next } = startNext({ serviceUrl: `${origin}/docs/api/auth` })
  const nextConfig = { basePath: '/docs' }
  const proxy = withAuth(next)
  expect(getLocation(await call(proxy, `${origin}/docs/account`, { nextConfig }))).toBe(
    `${origin}/docs/api/auth/signin?callbackUrl=%2Fdocs%2Faccount`,
  )
  for (const path of ['/docs/api/auth/session', '/docs/_next/static/a.js']) {
    expect(await call(proxy, origin + path, { nextConfig }), path).toBeUndefined()
  }
})

describe('a request with a session', () => {
  test('passes, and writes nothing even if the session is due (I-35)', async () => {
    const service = startNext()
    const headers = { cookie: await signInCookie(service) }
    service.wait(2 * 86_400)
    expect(await call(withAuth(service.next), `${origin}/account`, { headers })).toBeUndefined()
  })

  test('passes only if it is authorized', async () => {
    const service = startNext()
    const headers = { cookie: await signInCookie(service) }
    const proxy = withAuth(service.next, {
      authorized: async ({ session, request }) =>
        session?.user.name === 'Person alice' && request.nextUrl.pathname !== '/admin',
    })
    expect(await call(proxy, `${origin}/account`, { headers })).toBeUndefined()
    expect((await call(proxy, `${origin}/admin`, { headers }))?.status).toBe(302)
    expect((await call(proxy, `${origin}/account`))?.status).toBe(302)
  })

  test('is handled by onAuthorized', async () => {
    const service = startNext()
    const headers = { cookie: await signInCookie(service) }
    const proxy = withAuth(service.next, {
      onAuthorized: ({ session, request }) =>
        NextResponse.rewrite(new URL(`/users/${session?.user.name}`, request.url)),
    })
    const response = await call(proxy, `${origin}/account`, { headers })
    expect(response?.headers.get('x-middleware-rewrite')).toBe(`${origin}/users/Person%20alice`)
    expect((await call(proxy, `${origin}/account`))?.status).toBe(302)
  })
})

test('if the storage fails, the answer is 503 (I-36)', async () => {
  const { storage, fail } = breakableStorage()
  const service = startNext({ storage })
  const headers = { cookie: await signInCookie(service) }
  fail()
  const response = await call(withAuth(service.next), `${origin}/account`, { headers })
  expect([response?.status, await response?.text()]).toEqual([503, 'Try again later.'])
  expect(response?.headers.get('cache-control')).toBe('private, no-store')
})

test('if the configuration is invalid, no request passes', async () => {
  const config = createConfig({ secret: 'short', storage: memoryStorage() })
  const next = createNextAuth(() => Promise.resolve(config))
  await expect(call(withAuth(next), `${origin}/account`)).rejects.toThrow('secret: ')
})
