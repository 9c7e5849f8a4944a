import { memoryStorage } from '@latchkey/core/memory'
import { Browser } from '@latchkey/testing/browser'
import { describe, expect, test } from 'vitest'
import { createNextAuth } from '../src/index.ts'
import {
  base,
  beginSignIn,
  origin,
  passport,
  secret,
  toCallbackUrl,
} from '../../core/test/support/service.ts'
import { createConfig, startNext } from './support/service.ts'

const quiet = { error: () => undefined, warn: () => undefined }

/** Returns the callback URL, and the first `Set-Cookie` of `GET /csrf`. */
async function getUrls(
  config: { readonly serviceUrl?: string; readonly trustHost?: boolean },
  url: string,
  headers: Record<string, string>,
): Promise<readonly [callbackUrl: string | number, cookie: string | undefined]> {
  const { handlers } = createNextAuth(() => ({
    secret,
    providers: [passport()],
    storage: memoryStorage(),
    logger: quiet,
    ...config,
  }))
  const providers = await handlers.GET(new Request(`${url}/providers`, { headers }))
  if (providers.status !== 200) return [providers.status, undefined]
  const { passport: entry } = (await providers.json()) as { passport: { callbackUrl: string } }
  const csrf = await handlers.GET(new Request(`${url}/csrf`, { headers }))
  return [entry.callbackUrl, csrf.headers.getSetCookie()[0]?.split('=')[0]]
}

describe('the URL of the service (I-1, I-2)', () => {
  // `next start` builds `Request.url` from the name that it listens on, here `0.0.0.0`.
  const url = 'http://0.0.0.0:3000/api/auth'

  test('is serviceUrl, whatever the request says', async () => {
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example' }
    expect(await getUrls({ serviceUrl: 'https://app.example' }, url, headers)).toEqual([
      'https://app.example/api/auth/callback/passport',
      '__Host-latchkey.csrf',
    ])
  })

  test('is read from the Host header on loopback', async () => {
    expect(await getUrls({}, url, { host: 'localhost:3000' })).toEqual([
      'http://localhost:3000/api/auth/callback/passport',
      'latchkey.csrf',
    ])
    expect(await getUrls({}, url, { host: 'app.example' })).toEqual([500, undefined])
  })

  test('is read from Host and X-Forwarded-Proto with trustHost', async () => {
    const headers = {
      host: 'app.example',
      'x-forwarded-proto': 'https, http',
      'x-forwarded-host': 'evil.example',
    }
    expect(await getUrls({ trustHost: true }, url, headers)).toEqual([
      'https://app.example/api/auth/callback/passport',
      '__Host-latchkey.csrf',
    ])
    expect(await getUrls({}, url, headers)).toEqual([500, undefined])
  })
})

describe('the base path', () => {
  const serviceUrl = 'https://app.example/docs/api/auth'
  const { handlers } = createNextAuth(() => createConfig({ serviceUrl }))
  const getStatus = async (path: string): Promise<number> =>
    (await handlers.GET(new Request(`http://localhost:3000${path}`))).status

  test('is found with and without the basePath of next.config, which Next.js removes', async () => {
    expect(await getStatus('/docs/api/auth/session')).toBe(200)
    expect(await getStatus('/api/auth/session')).toBe(200)
    expect(await getStatus('/api/auth/session/?x=/y')).toBe(200)
  })

  test.for([
    '/api/authx/session',
    '/other/auth/session',
    '/other/docs/api/auth/session',
    '/api/auth/unknown',
    '/api/auth/%73ession',
    '/',
  ])('%s is 404 (I-3)', async (path) => {
    expect(await getStatus(path)).toBe(404)
  })
})

test('route parameters that the edge runtime adds to the query are not part of the request', async () => {
  const { next } = startNext()
  const params = Promise.resolve({ latchkey: ['callback', 'passport'] })
  const browser = new Browser((request) => next.handlers.GET(request, { params }), base)
  const callback = toCallbackUrl(await beginSignIn(browser), 'alice')
  const added = 'latchkey=callback&latchkey=passport'
  const response = await browser.visit(`${callback}&${added}`)
  expect([response.status, response.headers.get('location')]).toEqual([302, origin])
  expect((await browser.visit(`/session?${added}`)).status).toBe(200)
})

test('a query parameter with the name of a route parameter stays', async () => {
  const { next } = startNext()
  const params = Promise.resolve({ state: ['callback', 'passport'] })
  const browser = new Browser((request) => next.handlers.GET(request, { params }), base)
  const response = await browser.visit(toCallbackUrl(await beginSignIn(browser), 'alice'))
  expect(response.headers.get('location')).toBe(origin)
})

test('the client IP address is what the option clientIp returns (I-32)', async () => {
  const config = createConfig({ limits: { startsPerClient: { times: 1, window: 60 } } })
  const next = createNextAuth(() => config, {
    clientIp: (headers) => headers.get('x-real-ip') ?? undefined,
  })
  const begin = async (ip: string): Promise<number> => {
    const browser = new Browser((request) => next.handlers.POST(request), base)
    const response = await browser.submit('/signin/passport', {}, { headers: { 'x-real-ip': ip } })
    return response.status
  }
  expect(await begin('203.0.113.1')).toBe(302)
  expect(await begin('203.0.113.1')).toBe(429)
  expect(await begin('203.0.113.2')).toBe(302)
})
