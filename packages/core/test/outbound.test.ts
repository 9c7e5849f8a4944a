import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createAuth } from '@latchkey/core'
import { oauth } from '@latchkey/core/providers/oauth'
import { oidc } from '@latchkey/core/providers/oidc'
import { createIssuer } from '@latchkey/core/testing/issuer'
import type { Issuer } from '@latchkey/core/testing/issuer'
import { beginSignIn, signInAtIssuer } from '@latchkey/core/testing/issuer-sign-in'
import { createProviderRuntime } from '../src/http/outbound-fetch.ts'
import { origin, refusedAt, secret, serve } from './support/service.ts'
import type { TestService } from './support/service.ts'

const client = { clientId: 'client-id', clientSecret: 'hush-never-say-this' }
const MIB = 1024 * 1024

/** What a server does instead of the issuer's own answer. */
type Detour = (request: IncomingMessage, response: ServerResponse, body: string) => unknown

/** The issuer on a real server, so that the platform's own fetch is what meets it. */
let issuer: Issuer
let server: Server
let detours: Record<string, Detour> = {}
/** Paths that were asked, and connections that the service has let go. */
let asked: string[] = []
let closed: string[] = []

beforeAll(async () => {
  server = createServer((request, response) => void relay(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  issuer = createIssuer({ ...client, issuer: `http://127.0.0.1:${port}`, algorithm: 'ES256' })
})
afterEach(() => {
  detours = {}
  asked = []
  closed = []
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

async function relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { url = '/', method = 'GET' } = request
  asked.push(url)
  response.on('close', () => response.writableFinished || closed.push(url))
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const answer = await issuer.fetch(new URL(url, issuer.issuer).href, {
    method,
    headers: new Headers(request.headers as Record<string, string>),
    body: Buffer.concat(chunks).toString(),
  })
  const body = await answer.text()
  const detour = detours[url]
  if (detour) return void (await detour(request, response, body))
  response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(body)
}

const json = { 'content-type': 'application/json' }

function service(timeouts = { request: 0.3, callback: 0.5 }): TestService<unknown> {
  const facts = { id: 'op', name: 'The provider', issuer: issuer.issuer, ...client }
  return serve({ providers: [oidc(facts)], timeouts })
}

/** What becomes of a person, and in how many milliseconds. */
async function outcome({ browse }: TestService<unknown>): Promise<[string, number]> {
  const browser = browse()
  const began = performance.now()
  const away = await beginSignIn(browser)
  const spent = (): number => performance.now() - began
  if (away.origin === origin) return [String(away.searchParams.get('error')), spent()]
  const response = await browser.visit(issuer.authorize(away).href)
  const took = spent()
  const session = await browser.json('/session')
  if (response.headers.get('location') === origin) return ['signed in', took]
  expect(session).toEqual({})
  return [String(refusedAt(response).error), took]
}

const pause = (milliseconds: number): Promise<unknown> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

const late =
  (milliseconds: number): Detour =>
  async (_, response, body) => {
    await pause(milliseconds)
    response.writeHead(200, json).end(body)
  }

const endpoints: [string, string][] = [
  ['/.well-known/openid-configuration', 'OAuthSignin'],
  ['/token', 'OAuthCallback'],
  ['/jwks', 'OAuthCallback'],
  ['/userinfo', 'OAuthCallback'],
]

test('an issuer on a real server signs a person in', async () => {
  expect((await outcome(service()))[0]).toBe('signed in')
})

describe('the deadline (I-26)', () => {
  test.each(endpoints)('of one request: %s that never answers', async (path, code) => {
    detours[path] = () => undefined
    const [what, took] = await outcome(service({ request: 0.2, callback: 5 }))
    expect(what).toBe(code)
    expect(took).toBeGreaterThan(190)
    expect(took).toBeLessThan(1000)
    await expect.poll(() => closed).toEqual([path]) // the connection is let go too
  })

  test.each(endpoints)('of one request holds for the body too: %s', async (path, code) => {
    detours[path] = async (_, response, body) => {
      response.writeHead(200, json).write(body)
      while (!response.destroyed) {
        response.write(' ')
        await pause(20)
      }
    }
    const [what, took] = await outcome(service({ request: 0.2, callback: 5 }))
    expect(what).toBe(code)
    expect(took).toBeLessThan(1000)
    await expect.poll(() => closed).toEqual([path])
  })

  test('of a whole callback: three answers that are each in time, and late together', async () => {
    for (const path of ['/token', '/jwks', '/userinfo']) detours[path] = late(200)
    const [what, took] = await outcome(service({ request: 0.3, callback: 0.5 }))
    expect(what).toBe('OAuthCallback')
    expect(took).toBeLessThan(1000)
    expect((await outcome(service({ request: 0.3, callback: 2 })))[0]).toBe('signed in')
  })

  test('is a new one for each request to the service', async () => {
    detours['/token'] = late(200)
    const own = service({ request: 0.3, callback: 0.4 })
    for (let i = 0; i < 3; i++) expect((await outcome(own))[0]).toBe('signed in')
  })

  test('holds where the fetch of the host does not heed its signal', async () => {
    const { browse } = serve({
      providers: [
        oidc({ id: 'op', name: 'The provider', issuer: 'https://issuer.example', ...client }),
      ],
      runtime: { fetch: () => new Promise(() => undefined) },
      timeouts: { request: 0.2, callback: 5 },
    })
    const began = performance.now()
    expect((await beginSignIn(browse())).searchParams.get('error')).toBe('OAuthSignin')
    expect(performance.now() - began).toBeLessThan(1000)
  })

  test('leaves nothing behind that fails later', async () => {
    const unhandled: unknown[] = []
    const note = (reason: unknown): unknown => unhandled.push(reason)
    process.on('unhandledRejection', note)
    detours['/token'] = async (_, response) => {
      await pause(300)
      response.destroy()
    }
    expect((await outcome(service({ request: 0.1, callback: 5 })))[0]).toBe('OAuthCallback')
    await pause(400)
    process.off('unhandledRejection', note)
    expect(unhandled).toEqual([])
  })

  test.each([0, -1, Number.NaN, Infinity, 301])('of %d seconds is refused', (seconds) => {
    for (const timeouts of [{ request: seconds }, { callback: seconds }]) {
      const providers = [oidc({ id: 'op', name: 'The provider', issuer: issuer.issuer, ...client })]
      expect(() => createAuth({ secret, providers, timeouts })).toThrow(
        `timeouts.${Object.keys(timeouts)[0]}`,
      )
    }
  })
})

describe('the size of an answer (I-26)', () => {
  const padded = (body: string, length: number): string => body + ' '.repeat(length - body.length)

  test.each(endpoints)('%s with exactly 1 MiB is read', async (path) => {
    detours[path] = (_, response, body) => response.writeHead(200, json).end(padded(body, MIB))
    expect((await outcome(service({ request: 5, callback: 10 })))[0]).toBe('signed in')
  })

  test.each(endpoints)('%s with one byte more is not', async (path, code) => {
    detours[path] = (_, response, body) => response.writeHead(200, json).end(padded(body, MIB + 1))
    expect((await outcome(service({ request: 5, callback: 10 })))[0]).toBe(code)
  })

  test('is counted while it arrives, whatever Content-Length says, and the rest is not fetched', async () => {
    let sent = 0
    detours['/jwks'] = async (_, response, body) => {
      response.writeHead(200, json).write(body)
      while (!response.destroyed && sent < 512 * MIB) {
        sent += MIB
        if (!response.write(' '.repeat(MIB))) await pause(5)
      }
    }
    const [what, took] = await outcome(service({ request: 5, callback: 10 }))
    expect(what).toBe('OAuthCallback')
    expect(took).toBeLessThan(2000)
    await expect.poll(() => closed).toEqual(['/jwks'])
    expect(sent).toBeLessThan(64 * MIB)
  })

  const codings = [
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const

  test.each(codings)('%s: a small answer is decoded', async (coding, compress) => {
    for (const [path] of endpoints) {
      detours[path] = (_, response, body) =>
        response.writeHead(200, { ...json, 'content-encoding': coding }).end(compress(body))
    }
    expect((await outcome(service({ request: 5, callback: 10 })))[0]).toBe('signed in')
  })

  test.each(codings)('%s: a bomb is counted as it unpacks', async (coding, compress) => {
    const bomb = compress(Buffer.alloc(64 * MIB, ' '))
    expect(bomb.byteLength).toBeLessThan(MIB)
    detours['/jwks'] = (_, response) =>
      response.writeHead(200, { ...json, 'content-encoding': coding }).end(bomb)
    const own = service({ request: 5, callback: 10 })
    const [what, took] = await outcome(own)
    expect(what).toBe('OAuthCallback')
    expect(took).toBeLessThan(2000)
    expect(JSON.stringify(own.lines)).toContain('larger than 1 MiB')
  })
})

describe('redirects (I-26)', () => {
  const rows = [301, 302, 303, 307, 308].flatMap((status) =>
    endpoints.map(([path, code]) => [status, path, code] as const),
  )

  test.each(rows)('%d of %s is not followed', async (status, path, code) => {
    detours[path] = (_, response, body) =>
      response.writeHead(status, { ...json, location: '/elsewhere' }).end(body)
    expect((await outcome(service()))[0]).toBe(code)
    expect(asked).not.toContain('/elsewhere')
    expect(asked.filter((url) => url === path)).toHaveLength(1)
  })

  test("of a plain provider's API is not followed: the access token stays", async () => {
    detours['/userinfo'] = (_, response) =>
      response.writeHead(302, { location: '/elsewhere' }).end('{"id":1}')
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
    expect(refusedAt(await signInAtIssuer(browse(), issuer)).error).toBe('OAuthCallback')
    expect(asked).not.toContain('/elsewhere')
  })
})

describe('addresses (I-26)', () => {
  const effects = (): { urls: string[]; fetch: (url: string) => Promise<Response> } => {
    const urls: string[] = []
    const { fetch } = createProviderRuntime(
      {
        fetch: async (url) => {
          urls.push(url)
          return Response.json({})
        },
        now: Date.now,
        random: (length) => crypto.getRandomValues(new Uint8Array(length)),
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
  ])('%s is asked', async (url) => {
    const { urls, fetch } = effects()
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
  ])('"%s" is not', async (url) => {
    const { urls, fetch } = effects()
    await expect(fetch(url)).rejects.toThrow()
    expect(urls).toEqual([])
  })

  test.each(['http://issuer.example', 'ftp://issuer.example', 'issuer.example', ''])(
    'an issuer "%s" is refused at start-up, by name',
    (address) => {
      const facts = { id: 'op', name: 'The provider', ...client }
      expect(() => oidc({ ...facts, issuer: address })).toThrow(/^providers\.op\.issuer: /)
      const endpoint = { authorizationEndpoint: address, tokenEndpoint: address, userinfo: address }
      expect(() => oauth({ ...facts, ...endpoint })).toThrow(
        /^providers\.op\.authorizationEndpoint: /,
      )
      const token = { ...endpoint, authorizationEndpoint: 'https://issuer.example/authorize' }
      expect(() => oauth({ ...facts, ...token })).toThrow(/^providers\.op\.tokenEndpoint: /)
      const api = { ...token, tokenEndpoint: 'https://issuer.example/token' }
      expect(() => oauth({ ...facts, ...api })).toThrow(/^providers\.op\.userinfo: /)
    },
  )
})
