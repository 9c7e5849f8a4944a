import type { HandleOptions } from '@latchkey/core'
import { Hono } from 'hono'
import type { Context } from 'hono'
import { cors } from 'hono/cors'
import { csrf } from 'hono/csrf'
import { etag } from 'hono/etag'
import { secureHeaders } from 'hono/secure-headers'
import { Browser } from '@latchkey/testing/browser'
import { describe, expect, test } from 'vitest'
import {
  base,
  beginSignIn,
  origin,
  serve,
  signIn,
  toCallbackUrl,
} from '../../core/test/support/service.ts'
import { latchkey } from '../src/index.ts'
import { getSessionLines, start } from './support/app.ts'

const home = `${origin}/`

describe('the service in an application', () => {
  test('a user signs in, has a session, and signs out', async () => {
    const { browser } = start((auth) =>
      new Hono()
        .use(latchkey(auth))
        .get('/', async (c) => c.text((await c.var.session())?.user.name ?? 'signed out')),
    )
    expect(await (await browser.visit(home)).text()).toBe('signed out')
    expect((await signIn(browser)).status).toBe(302)
    expect(await (await browser.visit(home)).text()).toBe('Person alice')
    expect((await browser.submit('/signout')).status).toBe(302)
    expect(await (await browser.visit(home)).text()).toBe('signed out')
  })

  test('answers as the service does by itself: status, headers and body', async () => {
    const { app, auth } = start((service) => new Hono().use(latchkey(service)))
    for (const path of [
      '/providers',
      '/session',
      '/error?error=Default',
      '/nowhere',
      '/signin/x',
    ]) {
      const alone = await auth.handle(new Request(base + path))
      const inside = await app.fetch(new Request(base + path))
      expect(inside.status).toBe(alone.status)
      expect([...inside.headers]).toEqual([...alone.headers])
      expect(await inside.text()).toBe(await alone.text())
    }
  })

  test.each([
    ['/api/auth/session', 200],
    ['/api/auth/session/', 200],
    ['/api/auth/', 404],
    ['/api/auth/Session', 404],
    ['/api/auth/%73ession', 404],
    ['/api/auth', 418],
    ['/api/authentic', 418],
    ['/API/auth/session', 418],
    ['/api/%61uth/session', 418],
    ['//api/auth/session', 418],
    ['/?/api/auth/session', 418],
  ])('%s is answered with %i, by the raw path', async (path, status) => {
    const { app } = start((auth) =>
      new Hono().use(latchkey(auth)).all('*', (c) => c.text('the application', 418)),
    )
    const response = await app.fetch(new Request(origin + path))
    expect(response.status).toBe(status)
  })

  test('can have another path, and be in an application inside another one', async () => {
    const { auth } = serve({ serviceUrl: `${origin}/shop/sign-in` })
    const shop = new Hono().use(latchkey(auth)).get('/', (c) => c.text('the shop'))
    const app = new Hono().route('/shop', shop)
    const browser = new Browser(async (request) => app.fetch(request), `${origin}/shop/sign-in`)
    await signIn(browser)
    expect(await browser.json('/session')).toHaveProperty('user')
    expect(await (await browser.visit(`${origin}/shop`)).text()).toBe('the shop')
    expect((await browser.visit(`${base}/session`)).status).toBe(404)

    const based = new Hono().basePath('/shop').use(latchkey(auth))
    const other = new Browser(async (request) => based.fetch(request), `${origin}/shop/sign-in`)
    await signIn(other)
    expect(await other.json('/session')).toHaveProperty('user')
  })

  const reads: readonly (readonly [string, (c: Context) => Promise<unknown>])[] = [
    ['nothing', async () => undefined],
    ['parseBody()', (c) => c.req.parseBody()],
    ['formData()', (c) => c.req.formData()],
    ['text()', (c) => c.req.text()],
    ['arrayBuffer()', (c) => c.req.arrayBuffer()],
    ['blob()', (c) => c.req.blob()],
  ]
  test.each(reads)('reads a form that %s has read before', async (_, read) => {
    const { browser } = start((auth) => {
      return new Hono()
        .post('*', async (c, next) => {
          await read(c)
          await next()
        })
        .use(latchkey(auth))
    })
    expect((await signIn(browser)).status).toBe(302)
    expect(await browser.json('/session')).toHaveProperty('user')
  })

  test('refuses a form that was read before without Hono, and a field twice as without it', async () => {
    const { browser, app } = start((auth) => {
      return new Hono()
        .post('*', async (c, next) => {
          await (c.req.header('x-raw') ? c.req.raw.text() : c.req.parseBody())
          await next()
        })
        .use(latchkey(auth))
    })
    expect((await browser.submit('/signin/passport')).status).toBe(302)
    const raw = await browser.submit('/signin/passport', {}, { headers: { 'x-raw': 'true' } })
    expect(raw.status).toBe(400)
    const body = 'csrfToken=a&csrfToken=a'
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const request = new Request(`${base}/signin/passport`, { method: 'POST', headers, body })
    expect((await app.fetch(request)).status).toBe(400)
  })

  test('works in an application that is mounted with unchanged requests', async () => {
    const { auth } = serve()
    const inner = new Hono().use(latchkey(auth))
    const app = new Hono()
    app.mount('/api', inner.fetch, { replaceRequest: false })
    const browser = new Browser(async (request) => app.fetch(request), base)
    await signIn(browser)
    expect(await browser.json('/session')).toHaveProperty('user')
  })
})

describe('the cookies of the service’s own replies', () => {
  const touched = new Hono()
  touched.use(async (c, next) => {
    c.res.headers.set('x-touched', 'yes')
    c.header('set-cookie', 'theirs=1', { append: true })
    await next()
  })

  test('are kept, with the cookies of an earlier middleware, if it has accessed the response', async () => {
    const { auth } = serve()
    const app = new Hono().route('/', touched).use(latchkey(auth))
    const browser = new Browser(async (request) => app.fetch(request), base)
    const response = await signIn(browser)
    expect(response.status).toBe(302)
    expect(getSessionLines(response)).toHaveLength(1)
    expect(response.headers.getSetCookie()).toContain('theirs=1')
    expect(response.headers.get('x-touched')).toBe('yes')
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(await browser.json('/session')).toHaveProperty('user')
  })

  // If this fails, Hono keeps the cookies itself, and `toHonoResponse` is no longer needed.
  test('are lost in plain Hono if the response is returned as it is', async () => {
    const { auth } = serve()
    const app = new Hono().route('/', touched).all('*', (c) => auth.handle(c.req.raw))
    const response = await app.fetch(new Request(`${base}/csrf`))
    expect(response.headers.getSetCookie()).toEqual(['theirs=1'])
    expect((await auth.handle(new Request(`${base}/csrf`))).headers.getSetCookie()).toHaveLength(1)
  })

  test('are lost in plain Hono with mount, too', async () => {
    const { auth } = serve()
    const app = new Hono().route('/', touched)
    app.mount('/api/auth', (request) => auth.handle(request), { replaceRequest: false })
    const response = await app.fetch(new Request(`${base}/csrf`))
    expect(response.headers.getSetCookie()).toEqual(['theirs=1'])
  })

  test('are added to the headers of earlier middleware', async () => {
    const { app } = start((auth) =>
      new Hono()
        .use(async (c, next) => {
          c.header('x-request-id', '7')
          await next()
        })
        .use(latchkey(auth)),
    )
    const response = await app.fetch(new Request(`${base}/csrf`))
    expect(response.headers.get('x-request-id')).toBe('7')
    expect(response.headers.getSetCookie()).toHaveLength(1)
  })

  test('are kept after cors, etag and secureHeaders', async () => {
    const { browser } = start((auth) =>
      new Hono()
        .use(secureHeaders(), etag(), cors({ origin, credentials: true }))
        .use(latchkey(auth)),
    )
    expect(getSessionLines(await signIn(browser))).toHaveLength(1)
    expect(await browser.json('/session')).toHaveProperty('user')
  })
})

describe('the order of middleware', () => {
  test('before secureHeaders, the pages keep their own headers', async () => {
    const { app } = start((auth) => new Hono().use(latchkey(auth), secureHeaders()))
    const { headers } = await app.fetch(new Request(`${base}/signin`))
    expect(headers.get('referrer-policy')).toBe('same-origin')
  })

  // With `no-referrer`, browsers send `Origin: null` with the service's forms, which are then refused.
  test('after secureHeaders, they lose one that sign-in needs, unless it overwrites nothing', async () => {
    const { app } = start((auth) => new Hono().use(secureHeaders(), latchkey(auth)))
    const lost = await app.fetch(new Request(`${base}/signin`))
    expect(lost.headers.get('referrer-policy')).toBe('no-referrer')
    const { app: fixed } = start((auth) =>
      new Hono().use(secureHeaders({ overwrite: false }), latchkey(auth)),
    )
    const kept = await fixed.fetch(new Request(`${base}/signin`))
    expect(kept.headers.get('referrer-policy')).toBe('same-origin')
  })

  test('before csrf(), providers can answer by a form from their site', async () => {
    const { browser } = start((auth) => new Hono().use(latchkey(auth), csrf()))
    const redirect = await beginSignIn(browser)
    const { searchParams } = new URL(toCallbackUrl(redirect, 'alice'))
    const headers = { origin: 'https://idp.example', 'sec-fetch-site': 'cross-site' }
    const fields = Object.fromEntries(searchParams)
    const answer = await browser.post('/callback/passport', fields, { headers, crossSite: true })
    expect(answer.status).toBe(303)
    await browser.follow(answer, (url) => !url.pathname.startsWith('/api/auth'))
    expect(await browser.json('/session')).toHaveProperty('user')
  })
})

describe('the options of handle', () => {
  /** Returns the options that the service gets with a request. */
  async function getHandleOptions(
    options: Parameters<typeof latchkey>[1],
    executionCtx?: Parameters<Hono['fetch']>[2],
  ): Promise<HandleOptions> {
    let received: HandleOptions = {}
    const { auth } = serve()
    const handle = async (_request: Request, given: HandleOptions = {}): Promise<Response> => {
      received = given
      return new Response()
    }
    const app = new Hono().use(latchkey({ ...auth, handle }, options))
    const headers = { 'x-forwarded-for': '203.0.113.7', 'x-real-ip': '203.0.113.7' }
    await app.fetch(new Request(`${base}/session`, { headers }), { ip: '192.0.2.1' }, executionCtx)
    return received
  }

  test('the client’s IP address comes from no header, unless the application reads one', async () => {
    expect((await getHandleOptions({})).clientIp?.()).toBeUndefined()
    const fromHeader = await getHandleOptions({ clientIp: (c) => c.req.header('x-real-ip') })
    expect(fromHeader.clientIp?.()).toBe('203.0.113.7')
    const fromHost = await getHandleOptions({ clientIp: (c) => (c.env as { ip: string }).ip })
    expect(fromHost.clientIp?.()).toBe('192.0.2.1')
  })

  test('waitUntil is the host’s, and does nothing if the host does not have it', async () => {
    const waited: Promise<unknown>[] = []
    const host = {
      waitUntil(this: unknown, promise: Promise<unknown>) {
        if (this !== host) throw new TypeError('Illegal invocation')
        waited.push(promise)
      },
      passThroughOnException: () => undefined,
      props: {},
    }
    const promise = Promise.resolve()
    const { waitUntil } = await getHandleOptions({}, host)
    waitUntil?.(promise)
    expect(waited).toEqual([promise])
    const { waitUntil: none } = await getHandleOptions({})
    expect(() => none?.(promise)).not.toThrow()
  })
})
