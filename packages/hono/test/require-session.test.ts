import type { Auth } from '@latchkey/core'
import type { Browser } from '@latchkey/testing/browser'
import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { describe, expect, test } from 'vitest'
import { breakableStorage } from '../../core/test/support/breakable.ts'
import {
  beginSignIn,
  origin,
  serve,
  signIn,
  toCallbackUrl,
} from '../../core/test/support/service.ts'
import { latchkey, requireSession } from '../src/index.ts'
import type { RequireSessionOptions } from '../src/index.ts'
import { DAY, getSessionLines, start, startDue } from './support/app.ts'

const notes = `${origin}/notes?of=alice&n=1`

const guarded = (options?: RequireSessionOptions) => (auth: Auth) =>
  new Hono()
    .use(latchkey(auth))
    .use('/notes', requireSession(auth, options))
    .all('/notes', (c) => c.text(c.var.signedIn.user.name ?? 'no name'))

describe('a request with a session', () => {
  test('passes, and the handler gets the session', async () => {
    const { browser } = start(guarded())
    await signIn(browser)
    expect(await (await browser.visit(notes)).text()).toBe('Person alice')
    expect(await (await browser.post(notes, {})).text()).toBe('Person alice')
  })

  test('renews the session', async () => {
    const { browser } = await startDue(guarded())
    expect(getSessionLines(await browser.visit(notes))).toHaveLength(1)
    expect(getSessionLines(await browser.visit(notes))).toHaveLength(0)
  })
})

describe('a page without a session', () => {
  test('redirects to the sign-in page, which returns to it after sign-in', async () => {
    const { browser } = start(guarded())
    const response = await browser.visit(notes)
    expect(response.status).toBe(302)
    const location = response.headers.get('location')
    expect(location).toBe('/api/auth/signin?callbackUrl=%2Fnotes%3Fof%3Dalice%26n%3D1')
    expect(response.headers.get('cache-control')).toBe('private, no-store')

    const page = await (await browser.visit(origin + location)).text()
    const [, callbackUrl = ''] = /name="callbackUrl" value="([^"]+)"/.exec(page) ?? []
    expect(callbackUrl.replaceAll('&amp;', '&')).toBe(notes)
    const returned = await signIn(browser, 'alice', { callbackUrl: '/notes?of=alice&n=1' })
    expect(returned.headers.get('location')).toBe(notes)
  })

  test('returns to a path, so that the URL behind a proxy is never used', async () => {
    const { auth } = serve({ serviceUrl: `${origin}/sign/in` })
    const app = guarded()(auth)
    const response = await app.request('http://10.0.0.7:8080/notes?n=1')
    const location = response.headers.get('location')
    expect(location).toBe('/sign/in/signin?callbackUrl=%2Fnotes%3Fn%3D1')
  })

  test.each(['//evil.example/notes', '/\\evil.example', '/%5cevil.example', '/@evil.example'])(
    '%s never redirects to another site',
    async (path) => {
      const { browser, auth } = start((service) =>
        new Hono().use(latchkey(service), requireSession(service)),
      )
      const { headers } = await browser.visit(origin + path)
      const location = new URL(headers.get('location') as string, origin)
      expect(location.origin).toBe(origin)
      const callbackUrl = location.searchParams.get('callbackUrl') as string
      const redirect = await beginSignIn(browser, { callbackUrl })
      const last = await auth.handle(
        new Request(toCallbackUrl(redirect, 'alice'), {
          headers: { cookie: [...browser.cookies].map((pair) => pair.join('=')).join('; ') },
        }),
      )
      expect(new URL(last.headers.get('location') as string).origin).toBe(origin)
    },
  )

  test('HEAD is answered as GET, without a body', async () => {
    const { browser } = start(guarded())
    const response = await browser.visit(notes, { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([302, ''])
  })

  test.each(['POST', 'PUT', 'DELETE'])(
    '%s is redirected by 303, and returns to the page of the form',
    async (method) => {
      const { browser } = start(guarded())
      const headers = { referer: `${origin}/form?n=1` }
      const response = await browser.visit(notes, { method, headers })
      expect(response.status).toBe(303)
      expect(response.headers.get('location')).toBe(
        `/api/auth/signin?callbackUrl=${encodeURIComponent(headers.referer)}`,
      )
      const plain = await browser.visit(notes, { method })
      expect(plain.headers.get('location')).toBe('/api/auth/signin')
    },
  )

  test('an expired session counts as no session', async () => {
    const { browser, wait } = start(guarded())
    await signIn(browser)
    wait(31 * DAY)
    const response = await browser.visit(notes)
    expect(response.status).toBe(302)
    expect(getSessionLines(response)).toEqual([])
  })
})

describe('a script', () => {
  test.each([
    { accept: 'application/json' },
    { accept: 'application/json, text/plain, */*' },
    { accept: '*/*', 'sec-fetch-dest': 'empty' },
    { 'x-requested-with': 'XMLHttpRequest' },
  ])('with %o gets 401 in JSON', async (headers) => {
    const { browser } = start(guarded())
    const response = await browser.visit(notes, { headers })
    expect(response.status).toBe(401)
    expect(await response.json()).toEqual({ error: 'SessionRequired', message: 'Sign in first.' })
    expect(response.headers.get('cache-control')).toBe('private, no-store')
  })

  test.each<Record<string, string>>([
    {},
    { accept: '*/*' },
    {
      accept: 'text/html,application/xhtml+xml,application/json;q=0.5',
      'sec-fetch-dest': 'document',
    },
  ])('is not assumed for a request with %o', async (headers) => {
    const { browser } = start(guarded())
    expect((await browser.visit(notes, { headers })).status).toBe(302)
  })

  test('is assumed or excluded by the option `answer`', async () => {
    const { browser: api } = start(guarded({ answer: 'json' }))
    expect((await api.visit(notes, { headers: { accept: 'text/html' } })).status).toBe(401)
    expect((await api.post(notes, {})).status).toBe(401)
    const { browser: site } = start(guarded({ answer: 'redirect' }))
    expect((await site.visit(notes, { headers: { accept: 'application/json' } })).status).toBe(302)
  })

  test('of another origin can read the refusal if cors allows it', async () => {
    const { browser } = start((auth) =>
      new Hono().use(
        latchkey(auth),
        cors({ origin: 'https://other.example' }),
        requireSession(auth),
      ),
    )
    const headers = { accept: 'application/json', origin: 'https://other.example' }
    const response = await browser.visit(notes, { headers })
    expect(response.status).toBe(401)
    expect(response.headers.get('access-control-allow-origin')).toBe('https://other.example')
    expect((await browser.visit(notes, { method: 'OPTIONS' })).status).toBe(204)
  })
})

describe('if the storage fails', () => {
  async function startFailing(options?: RequireSessionOptions): Promise<Browser> {
    const { storage, fail } = breakableStorage()
    const { browser } = start(guarded(options), { storage })
    await signIn(browser)
    fail()
    return browser
  }

  test('the answer is 503 without a redirect, and the cookie stays', async () => {
    const browser = await startFailing()
    const response = await browser.visit(notes)
    expect(response.status).toBe(503)
    expect(await response.text()).toBe('Try again later.')
    expect(response.headers.getSetCookie()).toEqual([])
    expect(response.headers.get('cache-control')).toBe('private, no-store')
  })

  test('scripts get 503 in JSON', async () => {
    const browser = await startFailing({ answer: 'json' })
    const response = await browser.visit(notes)
    expect(response.status).toBe(503)
    expect(await response.json()).toEqual({ error: 'Unavailable', message: 'Try again later.' })
  })
})

test('any other error is thrown to the application', async () => {
  const { auth } = serve({
    callbacks: {
      session: () => {
        throw new Error('broken')
      },
    },
  })
  const browser = start(() => guarded()(auth).onError((_error, c) => c.text('failed', 500))).browser
  await signIn(browser)
  expect((await browser.visit(notes)).status).toBe(500)
})

test('throws if latchkey(auth) is not used before it', async () => {
  const { auth } = serve()
  const app = new Hono().use(requireSession(auth)).onError((error, c) => c.text(error.message, 500))
  const response = await app.request('/notes')
  expect(await response.text()).toBe('requireSession(auth) needs latchkey(auth) before it')
})
