import type { Auth } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { Hono } from 'hono'
import type { Context, MiddlewareHandler } from 'hono'
import { compress } from 'hono/compress'
import { cors } from 'hono/cors'
import { etag } from 'hono/etag'
import { HTTPException } from 'hono/http-exception'
import { secureHeaders } from 'hono/secure-headers'
import { stream, streamSSE } from 'hono/streaming'
import { describe, expect, test } from 'vitest'
import { breakableStorage } from '../../core/test/support/breakable.ts'
import { origin, signIn } from '../../core/test/support/service.ts'
import { latchkey } from '../src/index.ts'
import type { LatchkeyEnv } from '../src/index.ts'
import { DAY, getSessionLines, start, startDue } from './support/app.ts'

const page = `${origin}/page`
type Read = Context<LatchkeyEnv>

/** Wraps a service so that the readings of a session are counted. */
function countReads(auth: Auth): { readonly auth: Auth; readonly reads: () => number } {
  let reads = 0
  const getSession: Auth['getSession'] = (request, options) => {
    reads += 1
    return auth.getSession(request, options)
  }
  return { auth: { ...auth, getSession }, reads: () => reads }
}

describe('c.var.session', () => {
  test('reads nothing until it is called, and then once', async () => {
    let reads = (): number => -1
    const { browser } = start((service) => {
      const counting = countReads(service)
      reads = counting.reads
      return new Hono()
        .use(latchkey(counting.auth))
        .get('/public', (c) => c.text('public'))
        .get('/page', async (c) => {
          const [first, second] = await Promise.all([c.var.session(), c.var.session()])
          return c.json({ same: first === second, again: (await c.get('session')()) === first })
        })
    })
    const shown = await browser.visit(`${origin}/public`)
    expect(reads()).toBe(0)
    expect(shown.headers.has('cache-control')).toBe(false)
    expect(await (await browser.visit(page)).json()).toEqual({ same: true, again: true })
    expect(reads()).toBe(1)
  })

  test('rejects if the storage fails, with the same error for the whole request', async () => {
    const { storage, fail } = breakableStorage()
    const { browser } = start(
      (auth) =>
        new Hono()
          .use(latchkey(auth))
          .get('/page', async (c) => {
            await c.var.session().catch(() => undefined)
            return c.json(await c.var.session().catch((error: { code: string }) => error.code))
          })
          .get('/thrown', async (c) => c.json(await c.var.session()))
          .onError((error, c) => c.text(error.name, 500)),
      { storage },
    )
    await signIn(browser)
    fail()
    const response = await browser.visit(page)
    expect(await response.json()).toBe('Unavailable')
    expect(response.headers.getSetCookie()).toEqual([])
    expect(response.headers.get('cache-control')).toBe('private, no-cache')
    expect(await (await browser.visit(`${origin}/thrown`)).text()).toBe('AuthError')
    fail([])
    expect(await (await browser.visit(`${origin}/thrown`)).json()).toHaveProperty('user')
  })

  test('is null if the cookie holds no session, which stays', async () => {
    const { browser } = start((auth) =>
      new Hono().use(latchkey(auth)).get('/page', async (c) => c.json(await c.var.session())),
    )
    await signIn(browser)
    browser.cookies.set('__Host-latchkey.session', 'x'.repeat(43))
    const response = await browser.visit(page)
    expect(await response.json()).toBeNull()
    expect(getSessionLines(response)).toEqual([])
  })
})

/** The ways in which a handler can answer, after the session has been read. */
const answers: Readonly<Record<string, (c: Read) => Response | Promise<Response>>> = {
  'c.text': (c) => c.text('text'),
  'c.json': (c) => c.json({}),
  'its own status and headers': (c) => c.html('<p>', 201, { 'set-cookie': 'own=1' }),
  'a raw Response': () => new Response('raw', { headers: { 'set-cookie': 'own=1' } }),
  'an empty Response': () => new Response(null, { status: 204 }),
  'a Response whose headers cannot be changed': () => Response.redirect(page, 303),
  'c.redirect': (c) => c.redirect('/elsewhere'),
  'c.notFound': (c) => c.notFound(),
  'an error': () => {
    throw new Error('broken')
  },
  'an HTTPException': () => {
    throw new HTTPException(409, { message: 'conflict' })
  },
  'an HTTPException with a Response': () => {
    throw new HTTPException(409, { res: new Response('conflict', { status: 409 }) })
  },
  'a stream': (c) =>
    stream(c, async (out) => {
      await out.write('one ')
      await out.sleep(5)
      await out.write('two')
    }),
  'server-sent events': (c) => streamSSE(c, (out) => out.writeSSE({ data: 'one' })),
}

const touch: MiddlewareHandler = async (c, next) => {
  c.res.headers.set('x-touched', 'yes')
  await next()
}
const replace: MiddlewareHandler = async (c, next) => {
  await next()
  c.res = new Response(c.res.body, { status: c.res.status, headers: { 'x-replaced': 'yes' } })
}
const rewrite: MiddlewareHandler = async (c, next) => {
  await next()
  if (c.req.path === '/page') c.res = new Response(c.res.body && 'rewritten', c.res)
}

/** Middleware to use before or after `latchkey`. */
const neighbours: Readonly<Record<string, MiddlewareHandler>> = {
  nothing: (_c, next) => next(),
  'one that accesses the response': touch,
  'one that replaces the response': replace,
  'one that rewrites the response': rewrite,
  secureHeaders: secureHeaders(),
  etag: etag(),
  cors: cors({ origin: 'https://other.example', credentials: true }),
  compress: compress({ threshold: 0 }),
}

const read: MiddlewareHandler<LatchkeyEnv> = async (c, next) => {
  await c.var.session()
  await next()
}

const withErrorHandler = (app: Hono<LatchkeyEnv>): Hono<LatchkeyEnv> =>
  app.onError((error, c) =>
    error instanceof HTTPException ? error.getResponse() : c.text('failed', 500),
  )

describe.each(Object.entries(neighbours))('a renewed session, next to %s', (_name, other) => {
  describe.each([
    ['before', (auth: Auth) => new Hono<LatchkeyEnv>().use(other, latchkey(auth))],
    ['after', (auth: Auth) => new Hono<LatchkeyEnv>().use(latchkey(auth), other)],
  ])('%s latchkey', (_place, build) => {
    test.each(Object.entries(answers))('is sent with %s', async (_answer, handler) => {
      const buildWithHandler = (auth: Auth): Hono<LatchkeyEnv> =>
        withErrorHandler(build(auth)).use(read).get('/page', handler)
      const { browser } = await startDue(buildWithHandler)
      const headers = { 'accept-encoding': 'gzip' }
      const response = await browser.visit(page, { headers })
      expect(getSessionLines(response)).toHaveLength(1)
      expect(getSessionLines(response)[0]).toContain('Max-Age=2592000')
      expect(response.headers.get('cache-control')).toBe('private, no-store')
      await response.arrayBuffer()
      // It is not renewed again, and the cookie still holds the session.
      const next = await browser.visit(page, { headers })
      expect(getSessionLines(next)).toEqual([])
      await next.arrayBuffer()
      expect(await browser.json('/session')).toHaveProperty('user')
    })
  })
})

describe('a response with the session cookie', () => {
  test('keeps its status, headers, body and other cookies', async () => {
    const { browser } = await startDue((auth) =>
      new Hono()
        .use(latchkey(auth))
        .use(read)
        .get('/page', () => new Response('raw', { status: 202, headers: [['set-cookie', 'a=1']] })),
    )
    const response = await browser.visit(page)
    expect(response.status).toBe(202)
    expect(await response.text()).toBe('raw')
    expect(response.headers.getSetCookie()).toHaveLength(2)
    expect(browser.cookies.get('a')).toBe('1')
  })

  test('is never 304 with an etag before latchkey: its tag is random', async () => {
    const started = start((auth) =>
      new Hono()
        .use(etag())
        .use(latchkey(auth))
        .use(read)
        .get('/page', (c) => c.text('always the same')),
    )
    const { browser, wait } = started
    await signIn(browser)
    const tag = (await browser.visit(page)).headers.get('etag') as string
    const headers = { 'if-none-match': tag }
    expect((await browser.visit(page, { headers })).status).toBe(304)
    wait(2 * DAY)
    const renewed = await browser.visit(page, { headers })
    expect(renewed.status).toBe(200)
    expect(getSessionLines(renewed)).toHaveLength(1)
    expect((await browser.visit(page, { headers })).status).toBe(304)
  })

  test('is 304 with the cookie if the etag is after latchkey', async () => {
    const { browser, wait } = start((auth) =>
      new Hono()
        .use(latchkey(auth))
        .use(etag())
        .use(read)
        .get('/page', (c) => c.text('always the same')),
    )
    await signIn(browser)
    const tag = (await browser.visit(page)).headers.get('etag') as string
    wait(2 * DAY)
    const response = await browser.visit(page, { headers: { 'if-none-match': tag } })
    expect(response.status).toBe(304)
    expect(response.headers.get('etag')).toBe(tag)
    expect(getSessionLines(response)).toHaveLength(1)
  })

  test('renews sessions in cookies as it does those in a storage', async () => {
    const { browser } = await startDue(
      (auth) => new Hono().use(touch, latchkey(auth), read).get('/page', () => new Response('raw')),
      {},
    )
    const before = browser.cookies.get('__Host-latchkey.session')
    expect(getSessionLines(await browser.visit(page))).toHaveLength(1)
    expect(browser.cookies.get('__Host-latchkey.session')).not.toBe(before)
  })

  test('HEAD renews nothing, and reads as GET does', async () => {
    const { browser } = await startDue((auth) =>
      new Hono()
        .use(latchkey(auth))
        .get('/page', async (c) => c.text('', (await c.var.session()) ? 200 : 401)),
    )
    const head = await browser.visit(page, { method: 'HEAD' })
    expect(head.status).toBe(200)
    expect(head.headers.getSetCookie()).toEqual([])
    expect(getSessionLines(await browser.visit(page))).toHaveLength(1)
  })

  test('can come from notFound and onError of the application', async () => {
    const { browser, wait } = await startDue((auth) =>
      new Hono<LatchkeyEnv>()
        .use(latchkey(auth))
        .notFound(async (c) => {
          await (c as unknown as Read).var.session()
          return new Response('nowhere', { status: 404 })
        })
        .get('/page', () => {
          throw new Error('broken')
        })
        .onError(async (_error, c) => {
          await c.var.session()
          return new Response('failed', { status: 500 })
        }),
    )
    const missing = await browser.visit(`${origin}/nowhere`)
    expect([missing.status, getSessionLines(missing).length]).toEqual([404, 1])
    wait(2 * DAY)
    const failed = await browser.visit(page)
    expect([failed.status, getSessionLines(failed).length]).toEqual([500, 1])
  })

  test('can come from an application inside another one, with its own error handler', async () => {
    const { browser } = await startDue((auth) => {
      const inner = new Hono<LatchkeyEnv>()
        .use(latchkey(auth), read)
        .get('/page', () => {
          throw new Error('broken')
        })
        .onError(() => new Response('failed inside', { status: 500 }))
      const outer = new Hono().use(touch)
      outer.route('/api', new Hono().use(latchkey(auth)))
      return outer.route('/', inner)
    })
    const response = await browser.visit(page)
    expect(await response.text()).toBe('failed inside')
    expect(getSessionLines(response)).toHaveLength(1)
  })

  test('is not created for an upgrade, whose response stays as it is', async () => {
    const upgrade = new Response(null)
    Object.defineProperty(upgrade, 'status', { value: 101 })
    const { browser } = await startDue((auth) =>
      new Hono().use(latchkey(auth), read).get('/page', () => upgrade),
    )
    expect(await browser.visit(page)).toBe(upgrade)
  })
})

describe('caches', () => {
  const answering = (cacheControl?: string) => (auth: Auth) =>
    new Hono()
      .use(latchkey(auth), read)
      .get(
        '/page',
        () => new Response('', cacheControl ? { headers: { 'cache-control': cacheControl } } : {}),
      )

  test('a page for which the session was read is private and always revalidated', async () => {
    const { browser } = start(answering())
    expect((await browser.visit(page)).headers.get('cache-control')).toBe('private, no-cache')
  })

  test('a Cache-Control of the application stays', async () => {
    const { browser } = start(answering('public, max-age=60'))
    expect((await browser.visit(page)).headers.get('cache-control')).toBe('public, max-age=60')
  })

  test('unless the response sets a cookie', async () => {
    const { browser } = await startDue(answering('public, max-age=60'))
    expect((await browser.visit(page)).headers.get('cache-control')).toBe('private, no-store')
  })
})

describe('a session that is read after the response exists', () => {
  test('by a middleware before latchkey is not renewed, so the next reading renews it', async () => {
    const seen: unknown[] = []
    const { browser } = await startDue((auth) =>
      new Hono<LatchkeyEnv>()
        .use(async (c, next) => {
          await next()
          seen.push((await c.var.session())?.user.name)
        })
        .use(latchkey(auth))
        .get('/page', (c) => c.text('a page'))
        .get('/reading', async (c) => c.json(await c.var.session())),
    )
    seen.length = 0
    const late = await browser.visit(page)
    expect(late.headers.getSetCookie()).toEqual([])
    expect(getSessionLines(await browser.visit(`${origin}/reading`))).toHaveLength(1)
    await browser.json('/session')
    expect(seen).toEqual(Array.from({ length: 3 }, () => 'Person alice'))
  })

  test('by a stream is not renewed either', async () => {
    let goOn = (): void => undefined
    const responded = new Promise<void>((resolve) => (goOn = resolve))
    const { browser } = await startDue((auth) =>
      new Hono()
        .use(latchkey(auth))
        .get('/page', (c) =>
          stream(c, async (out) => {
            await responded
            await out.write((await c.var.session())?.user.name ?? 'signed out')
          }),
        )
        .get('/reading', async (c) => c.json(await c.var.session())),
    )
    const late = await browser.visit(page)
    goOn()
    expect(late.headers.getSetCookie()).toEqual([])
    expect(await late.text()).toBe('Person alice')
    expect(getSessionLines(await browser.visit(`${origin}/reading`))).toHaveLength(1)
  })

  test('is awaited if the reading began earlier', async () => {
    const { browser } = await startDue((auth) =>
      new Hono().use(latchkey(auth)).get('/page', (c) => {
        void c.var.session()
        return c.text('a page')
      }),
    )
    expect(getSessionLines(await browser.visit(page))).toHaveLength(1)
  })

  test('can be read after a POST whose body was read', async () => {
    const { browser } = await startDue(
      (auth) =>
        new Hono<LatchkeyEnv>()
          .use(async (c, next) => {
            await next()
            c.header('x-late', String((await c.var.session())?.user.name))
          })
          .use(latchkey(auth))
          .post('/page', async (c) => c.text(await c.req.text())),
      { storage: memoryStorage() },
    )
    const response = await browser.post(page, { text: 'posted' })
    expect(await response.text()).toBe('text=posted')
    expect(response.headers.get('x-late')).toBe('Person alice')
  })
})
