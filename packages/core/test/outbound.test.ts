import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createAuth } from '@latchkey/core'
import type { Clock } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { oauth } from '@latchkey/core/providers/oauth'
import { oidc } from '@latchkey/core/providers/oidc'
import { listen } from '@latchkey/test-support/listen'
import { createTestClock } from '@latchkey/testing/clock'
import type { TestClock } from '@latchkey/testing/clock'
import { createIssuer } from '@latchkey/testing/issuer'
import type { Issuer } from '@latchkey/testing/issuer'
import { beginSignIn, signInAtIssuer } from '@latchkey/testing/issuer-sign-in'
import { createProviderRuntime } from '../src/http/outbound-fetch.ts'
import { getRedirect, origin, random, secret, serve, signIn } from './support/service.ts'
import type { TestService } from './support/service.ts'

const client = { clientId: 'client-id', clientSecret: 'hush-never-say-this' }
const MIB = 1024 * 1024

/** Responds instead of the issuer; `body` is the issuer's response. */
type Override = (request: IncomingMessage, response: ServerResponse, body: string) => unknown

/** The issuer behind a real server, for the platform's own `fetch`. */
let issuer: Issuer
let clock: TestClock
let overrides: Record<string, Override> = {}
/** The requested paths. */
let requested: string[] = []
/** The paths whose connection the service has closed early. */
let closed: string[] = []

beforeAll(async () => {
  const server = await listen((request, response) => void relay(request, response))
  issuer = createIssuer({
    ...client,
    issuer: server.origin,
    algorithm: 'ES256',
    now: () => clock.runtime.now(),
  })
  return server.stop
})
beforeEach(() => {
  clock = createTestClock()
})
afterEach(() => {
  overrides = {}
  requested = []
  closed = []
})

async function relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { url = '/', method = 'GET' } = request
  requested.push(url)
  response.on('close', () => response.writableFinished || closed.push(url))
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const reply = await issuer.fetch(new URL(url, issuer.issuer).href, {
    method,
    headers: new Headers(request.headers as Record<string, string>),
    body: Buffer.concat(chunks).toString(),
  })
  const body = await reply.text()
  const override = overrides[url]
  if (override) return void (await override(request, response, body))
  response.writeHead(reply.status, Object.fromEntries(reply.headers)).end(body)
}

const json = { 'content-type': 'application/json' }

/** Creates a service whose clock stands still until a server advances it. */
function createService(): TestService<unknown> {
  const config = { id: 'op', name: 'The provider', issuer: issuer.issuer, ...client }
  return serve({ providers: [oidc(config)], runtime: clock.runtime })
}

/** Signs in and returns the error code or `signed in`. */
async function trySignIn({ browse }: TestService<unknown>): Promise<string> {
  const browser = browse()
  const url = await beginSignIn(browser)
  if (url.origin === origin) return String(url.searchParams.get('error'))
  const response = await browser.visit(issuer.authorize(url).href)
  const session = await browser.json('/session')
  if (response.headers.get('location') === origin) return 'signed in'
  expect(session).toEqual({})
  return String(getRedirect(response).error)
}

function respondAfter(seconds: number): Override {
  return async (_, response, body) => {
    await clock.advance(seconds * 1000)
    response.writeHead(200, json).end(body)
  }
}

/** The endpoints, with the error code if one fails. */
const endpoints: [string, string][] = [
  ['/.well-known/openid-configuration', 'OAuthSignin'],
  ['/token', 'OAuthCallback'],
  ['/jwks', 'OAuthCallback'],
  ['/userinfo', 'OAuthCallback'],
]

test('a sign-in at an issuer on a real server succeeds', async () => {
  expect(await trySignIn(createService())).toBe('signed in')
})

describe('the deadline (I-26)', () => {
  test.each(endpoints)('applies to one request: %s never responds', async (path, code) => {
    overrides[path] = respondAfter(9.999)
    expect(await trySignIn(createService())).toBe('signed in')
    requested = []
    overrides[path] = () => clock.advance(10_000)
    expect(await trySignIn(createService())).toBe(code)
    await expect.poll(() => closed).toEqual([path]) // The connection is closed too.
  })

  test.each(endpoints)('applies to the body of one response: %s', async (path, code) => {
    overrides[path] = async (_, response, body) => {
      response.writeHead(200, json).write(body)
      while (!response.destroyed) {
        response.write(' ')
        await clock.advance(100)
      }
    }
    expect(await trySignIn(createService())).toBe(code)
    await expect.poll(() => closed).toEqual([path])
  })

  test('applies to all requests of a callback: three responses, each in time, are together late', async () => {
    for (const path of ['/token', '/jwks', '/userinfo']) overrides[path] = respondAfter(4.3)
    expect(await trySignIn(createService())).toBe('signed in')
    for (const path of ['/token', '/jwks', '/userinfo']) overrides[path] = respondAfter(4.4)
    expect(await trySignIn(createService())).toBe('OAuthCallback')
  })

  test('starts with each request to the service', async () => {
    overrides['/token'] = respondAfter(9)
    const service = createService()
    for (let i = 0; i < 3; i++) expect(await trySignIn(service)).toBe('signed in')
  })

  test('applies if the host’s fetch ignores its signal', async () => {
    const { browse } = serve({
      providers: [
        oidc({ id: 'op', name: 'The provider', issuer: 'https://issuer.example', ...client }),
      ],
      runtime: { ...clock.runtime, fetch: () => new Promise(() => undefined) },
    })
    const url = await clock.settle(beginSignIn(browse()))
    expect(url.searchParams.get('error')).toBe('OAuthSignin')
    expect(clock.runtime.monotonic()).toBe(10_000)
  })

  describe('that is over schedules nothing in the past', () => {
    /** The test clock, and the milliseconds that were scheduled. */
    const recordWaits = (): { readonly waits: number[]; readonly schedule: Clock['schedule'] } => {
      const waits: number[] = []
      return {
        waits,
        schedule: (milliseconds, callback) => {
          waits.push(milliseconds)
          return clock.runtime.schedule(milliseconds, callback)
        },
      }
    }

    test('for a request of a provider', async () => {
      const { waits, schedule } = recordWaits()
      const never = new Promise<never>(() => undefined)
      const runtime = { ...clock.runtime, schedule, random, fetch: () => never }
      const { fetch, within } = createProviderRuntime(runtime, { request: 1, callback: 2 })
      expect(await within(Promise.resolve('in time'))).toBe('in time')
      await clock.advance(3000)
      const late = clock.settle(fetch('https://issuer.example/', {}))
      await expect(late).rejects.toThrow('within the 2 seconds of all requests')
      await expect(clock.settle(within(never))).rejects.toThrow('no answer within 0 seconds')
      expect(waits).toEqual([2000, 0, 0])
    })

    test('for a sign-out that continues after its answer', async () => {
      const { waits, schedule } = recordWaits()
      const storage = memoryStorage()
      let pause = 0
      const getSessionAndUser: typeof storage.getSessionAndUser = async (...args) => {
        await clock.advance(pause)
        return storage.getSessionAndUser(...args)
      }
      const { browse } = serve({
        storage: { ...storage, getSessionAndUser },
        session: { strategy: 'storage' },
        runtime: { ...clock.runtime, schedule },
        timeouts: { answer: 5 },
      })
      const browser = browse()
      await signIn(browser)
      const csrfToken = await browser.csrfToken()
      pause = 6000
      expect((await browser.post('/signout', { csrfToken })).status).toBe(503)
      await clock.advance(0)
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(0)
    })
  })

  test('causes no unhandled rejection later', async () => {
    const unhandled: unknown[] = []
    const record = (reason: unknown): unknown => unhandled.push(reason)
    process.on('unhandledRejection', record)
    const destroyed = new Promise<void>((resolve) => {
      overrides['/token'] = async (_, response) => {
        await clock.advance(10_000)
        response.destroy()
        resolve()
      }
    })
    expect(await trySignIn(createService())).toBe('OAuthCallback')
    await destroyed
    await clock.advance(60_000)
    process.off('unhandledRejection', record)
    expect(unhandled).toEqual([])
  })

  test.each([0, -1, Number.NaN, Infinity, 301])(
    'is refused at start-up with %d seconds',
    (seconds) => {
      for (const timeouts of [{ request: seconds }, { callback: seconds }]) {
        const providers = [
          oidc({ id: 'op', name: 'The provider', issuer: issuer.issuer, ...client }),
        ]
        expect(() => createAuth({ secret, providers, timeouts })).toThrow(
          `timeouts.${Object.keys(timeouts)[0]}`,
        )
      }
    },
  )
})

describe('the size of a response (I-26)', () => {
  const pad = (body: string, length: number): string => body + ' '.repeat(length - body.length)

  test.each(endpoints)('%s of 1 MiB is read', async (path) => {
    overrides[path] = (_, response, body) => response.writeHead(200, json).end(pad(body, MIB))
    expect(await trySignIn(createService())).toBe('signed in')
  })

  test.each(endpoints)('%s of one byte more is refused', async (path, code) => {
    overrides[path] = (_, response, body) => response.writeHead(200, json).end(pad(body, MIB + 1))
    expect(await trySignIn(createService())).toBe(code)
  })

  test('is counted while it arrives, and the rest is not fetched', async () => {
    let sent = 0
    overrides['/jwks'] = async (_, response, body) => {
      response.writeHead(200, json).write(body)
      while (!response.destroyed && sent < 512 * MIB) {
        sent += MIB
        if (!response.write(' '.repeat(MIB))) await nextTurn()
      }
    }
    expect(await trySignIn(createService())).toBe('OAuthCallback')
    await expect.poll(() => closed).toEqual(['/jwks'])
    expect(sent).toBeLessThan(64 * MIB)
  })

  // The fastest: compression holds up the event loop, and servers close idle connections meanwhile.
  const fast = { level: 1, params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
  const codings = [
    ['gzip', (body: string | Buffer) => gzipSync(body, fast)],
    ['deflate', (body: string | Buffer) => deflateSync(body, fast)],
    ['br', (body: string | Buffer) => brotliCompressSync(body, fast)],
  ] as const

  test.each(codings)('%s: a small response is decompressed', async (coding, compress) => {
    for (const [path] of endpoints) {
      overrides[path] = (_, response, body) =>
        response.writeHead(200, { ...json, 'content-encoding': coding }).end(compress(body))
    }
    expect(await trySignIn(createService())).toBe('signed in')
  })

  test.each(codings)(
    '%s: a large response is counted after decompression',
    async (coding, compress) => {
      const compressed = compress(Buffer.alloc(64 * MIB, ' '))
      expect(compressed.byteLength).toBeLessThan(MIB)
      overrides['/jwks'] = (_, response) =>
        response.writeHead(200, { ...json, 'content-encoding': coding }).end(compressed)
      const service = createService()
      expect(await trySignIn(service)).toBe('OAuthCallback')
      expect(JSON.stringify(service.lines)).toContain('larger than 1 MiB')
    },
  )
})

describe('redirects (I-26)', () => {
  const rows = [301, 302, 303, 307, 308].flatMap((status) =>
    endpoints.map(([path, code]) => [status, path, code] as const),
  )

  test.each(rows)('%d of %s is not followed', async (status, path, code) => {
    overrides[path] = (_, response, body) =>
      response.writeHead(status, { ...json, location: '/elsewhere' }).end(body)
    expect(await trySignIn(createService())).toBe(code)
    expect(requested).not.toContain('/elsewhere')
    expect(requested.filter((url) => url === path)).toHaveLength(1)
  })

  test('of the API of a plain OAuth 2.0 provider is not followed, so the access token is not sent elsewhere', async () => {
    let status = 200
    overrides['/userinfo'] = (_, response) =>
      response.writeHead(status, { location: '/elsewhere' }).end('{"id":1}')
    const { browse } = serve({
      providers: [
        oauth({
          id: 'op',
          name: 'Forge',
          issuer: issuer.issuer,
          authorizationEndpoint: `${issuer.issuer}/authorize`,
          tokenEndpoint: `${issuer.issuer}/token`,
          userinfo: `${issuer.issuer}/userinfo`,
          ...client,
        }),
      ],
    })
    expect(getRedirect(await signInAtIssuer(browse(), issuer)).error).toBeNull()
    status = 302
    expect(getRedirect(await signInAtIssuer(browse(), issuer)).error).toBe('OAuthCallback')
    expect(requested).not.toContain('/elsewhere')
  })
})

describe('URLs (I-26)', () => {
  const createFetch = (): { urls: string[]; fetch: (url: string) => Promise<Response> } => {
    const urls: string[] = []
    const { fetch } = createProviderRuntime(
      {
        fetch: async (url) => {
          urls.push(url)
          return Response.json({})
        },
        ...clock.runtime,
        random,
      },
      { request: 1, callback: 1 },
    )
    return { urls, fetch: (url) => fetch(url, {}) }
  }

  test.each([
    'https://issuer.example/',
    'https://issuer.example:8443/path?query',
    'http://localhost:3000/',
    'http://127.0.0.1/',
    'http://[::1]:3000/',
  ])('%s is requested', async (url) => {
    const { urls, fetch } = createFetch()
    expect((await fetch(url)).status).toBe(200)
    expect(urls).toEqual([url])
  })

  test.each([
    'http://issuer.example/',
    'http://localhost.attacker.example/',
    'http://127.0.0.1.attacker.example/',
    'http://localhost@attacker.example/',
    'http://attacker.example/#localhost',
    'http://0.0.0.0/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::ffff:127.0.0.1]/',
    'ftp://localhost/',
    'file:///etc/passwd',
    'data:application/json,{}',
    'blob:https://issuer.example/1',
    'javascript:alert(1)',
    'ws://localhost/',
    '/relative',
    '',
  ])('"%s" is refused', async (url) => {
    const { urls, fetch } = createFetch()
    await expect(fetch(url)).rejects.toThrow()
    expect(urls).toEqual([])
  })

  test.each(['http://issuer.example', 'ftp://issuer.example', 'issuer.example', ''])(
    'the URL "%s" is refused at start-up with the name of its option',
    (url) => {
      const config = { id: 'op', name: 'The provider', ...client }
      expect(() => oidc({ ...config, issuer: url })).toThrow(/^providers\.op\.issuer: /)
      const endpoint = { authorizationEndpoint: url, tokenEndpoint: url, userinfo: url }
      expect(() => oauth({ ...config, ...endpoint })).toThrow(
        /^providers\.op\.authorizationEndpoint: /,
      )
      const token = { ...endpoint, authorizationEndpoint: 'https://issuer.example/authorize' }
      expect(() => oauth({ ...config, ...token })).toThrow(/^providers\.op\.tokenEndpoint: /)
      const api = { ...token, tokenEndpoint: 'https://issuer.example/token' }
      expect(() => oauth({ ...config, ...api })).toThrow(/^providers\.op\.userinfo: /)
    },
  )
})
