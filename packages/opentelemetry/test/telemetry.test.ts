import { mkdtempSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { context, trace } from '@opentelemetry/api'
import { getRPCMetadata, RPCType, setRPCMetadata } from '@opentelemetry/core'
import { ATTR_SERVER_ADDRESS } from '@opentelemetry/semantic-conventions'
import { createAuth } from '@latchkey/core'
import type { AuthConfig, Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { signedIn } from '@latchkey/testing'
import { contractConfig } from '@latchkey/testing/contract-config'
import { signInAtIssuer } from '@latchkey/testing/issuer-sign-in'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { countRetries, instrumentConfig } from '@latchkey/opentelemetry'
import { nodeSqliteStorage } from '@latchkey/storage-sql/node-sqlite'
import { describeSpan, registerSdk } from './support/sdk.ts'
import { base, serve } from './support/service.ts'

function createLeast(): Pick<AuthConfig, 'secret' | 'serviceUrl' | 'providers' | 'logger'> {
  const logger = { error: () => undefined, warn: () => undefined }
  const { secret, providers } = contractConfig()
  return { serviceUrl: 'https://app.example', secret, providers, logger }
}

/** A storage one of whose methods is inherited, and needs its object. */
class PrivateStorage {
  readonly #storage: Storage

  constructor(storage: Storage) {
    this.#storage = storage
  }

  createUser(...args: Parameters<Storage['createUser']>): ReturnType<Storage['createUser']> {
    return this.#storage.createUser(...args)
  }
}

function inheritCreateUser(storage: Storage): Storage {
  const others: Storage = { ...storage }
  Reflect.deleteProperty(others, 'createUser')
  return Object.assign(new PrivateStorage(storage), others)
}

describe('the spans of a sign-in', () => {
  test('are one trace for each request: route, calls of the storage, outbound requests', async () => {
    const sdk = registerSdk()
    const { browser, issuer } = serve()
    const response = await signInAtIssuer(browser, issuer)
    expect(response.status).toBe(302)
    const spans = sdk.spans()
    const described = spans.map((span) => describeSpan(span, spans))
    const start = 'POST /api/auth/signin/:provider'
    const callback = 'GET /api/auth/callback/:provider'
    expect(described).toContainEqual({
      kind: 'SERVER',
      name: 'GET /api/auth/csrf',
      parent: undefined,
    })
    expect(described).toContainEqual({ kind: 'SERVER', name: start, parent: undefined })
    expect(described).toContainEqual({ kind: 'SERVER', name: callback, parent: undefined })
    expect(described).toContainEqual({ kind: 'CLIENT', name: 'GET', parent: start })
    expect(described).toContainEqual({ kind: 'CLIENT', name: 'POST', parent: callback })
    expect(described).toContainEqual({ kind: 'CLIENT', name: 'createUser', parent: callback })
    const orphans = described.filter(({ kind, parent }) => kind !== 'SERVER' && !parent)
    expect(orphans).toEqual([])
  })

  test('have the attributes of the semantic conventions', async () => {
    const sdk = registerSdk()
    const { browser, issuer } = serve()
    await signInAtIssuer(browser, issuer)
    const find = (name: string) => sdk.spans().find((span) => span.name === name)?.attributes
    expect(find('GET /api/auth/callback/:provider')).toEqual({
      'http.request.method': 'GET',
      'http.response.status_code': 302,
      'http.route': '/api/auth/callback/:provider',
      'url.scheme': 'https',
      'url.path': '/api/auth/callback/op',
      [ATTR_SERVER_ADDRESS]: 'app.example',
      'server.port': 443,
      'latchkey.provider': 'op',
    })
    expect(find('POST')).toEqual({
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      [ATTR_SERVER_ADDRESS]: 'issuer.example',
      'server.port': 443,
    })
    expect(find('createUser')).toEqual({
      'db.operation.name': 'createUser',
      'db.system.name': 'sqlite',
    })
  })

  test('are counted and measured', async () => {
    const sdk = registerSdk()
    const { browser, issuer } = serve()
    await signInAtIssuer(browser, issuer)
    await browser.submit('/signout')
    await signInAtIssuer(browser, issuer)
    expect(await sdk.measure('latchkey.sign_ins')).toEqual([
      { count: 1, attributes: { 'latchkey.provider': 'op', 'latchkey.user.is_new': true } },
      { count: 1, attributes: { 'latchkey.provider': 'op', 'latchkey.user.is_new': false } },
    ])
    expect(await sdk.measure('latchkey.sign_outs')).toEqual([{ count: 1, attributes: {} }])
    const callback = {
      'http.request.method': 'GET',
      'http.response.status_code': 302,
      'http.route': '/api/auth/callback/:provider',
      'url.scheme': 'https',
    }
    expect(await sdk.measure('http.server.request.duration')).toContainEqual({
      count: 2,
      attributes: callback,
    })
    expect(await sdk.measure('http.client.request.duration')).toContainEqual({
      count: 2,
      attributes: {
        'http.request.method': 'POST',
        'http.response.status_code': 200,
        [ATTR_SERVER_ADDRESS]: 'issuer.example',
        'server.port': 443,
      },
    })
    expect(await sdk.measure('db.client.operation.duration')).toContainEqual({
      count: 1,
      attributes: { 'db.operation.name': 'createUser', 'db.system.name': 'sqlite' },
    })
  })
})

describe('the trace of a request', () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  const parentId = '00f067aa0ba902b7'

  test('continues the one of traceparent', async () => {
    const sdk = registerSdk()
    const { browser } = serve()
    const headers = { traceparent: `00-${traceId}-${parentId}-01` }
    await browser.visit('/session', { headers })
    await browser.visit('/session')
    const [first, second] = sdk.spans()
    expect(first?.spanContext().traceId).toBe(traceId)
    expect(first?.parentSpanContext?.spanId).toBe(parentId)
    expect(second?.spanContext().traceId).not.toBe(traceId)
    expect(second?.parentSpanContext).toBeUndefined()
  })

  test.each(['', 'x', `00-${'0'.repeat(32)}-${parentId}-01`, `ff-${traceId}-${parentId}-01`])(
    'is a new one if traceparent is "%s"',
    async (traceparent) => {
      const sdk = registerSdk()
      await serve().browser.visit('/csrf', { headers: { traceparent } })
      const [span] = sdk.spans()
      expect(span?.name).toBe('GET /api/auth/csrf')
      expect(span?.parentSpanContext).toBeUndefined()
    },
  )

  test('within the span of an instrumentation it is internal, and says the route', async () => {
    const sdk = registerSdk()
    const { browser } = serve()
    const tracer = trace.getTracer('a server')
    const metadata = await tracer.startActiveSpan('GET', async (span) => {
      const rpc = { type: RPCType.HTTP, span } as const
      const active = setRPCMetadata(context.active(), rpc)
      await context.with(active, () => browser.visit('/callback/op?code=x'))
      span.end()
      return getRPCMetadata(active)
    })
    expect(metadata).toMatchObject({ route: '/api/auth/callback/:provider' })
    const spans = sdk.spans()
    expect(spans.map((span) => describeSpan(span, spans))).toContainEqual({
      kind: 'INTERNAL',
      name: 'GET /api/auth/callback/:provider',
      parent: 'GET',
    })
    expect(await sdk.measure('http.server.request.duration')).toEqual([])
  })
})

describe('refusals', () => {
  test('are counted by code and route, and named in the span', async () => {
    const sdk = registerSdk()
    const { browser } = serve()
    expect((await browser.submit('/signout')).status).toBe(302)
    expect((await browser.post('/signout', { csrfToken: 'wrong' })).status).toBe(403)
    expect(await sdk.measure('latchkey.refusals')).toEqual([
      { count: 1, attributes: { 'error.type': 'Csrf', 'http.route': '/api/auth/signout' } },
    ])
    const span = sdk
      .spans()
      .find(({ attributes }) => attributes['latchkey.error.code'] !== undefined)
    expect(span?.attributes).toMatchObject({
      'http.response.status_code': 403,
      'latchkey.error.code': 'Csrf',
    })
    // Of a server, only its own failures are errors.
    expect(span?.status.code).toBe(0)
    expect(span?.attributes).not.toHaveProperty('error.type')
  })

  test('a failed sign-in is counted with its provider', async () => {
    const sdk = registerSdk()
    const { browser, issuer } = serve()
    issuer.vary({ idToken: { aud: 'another client' } })
    await signInAtIssuer(browser, issuer)
    expect(await sdk.measure('latchkey.sign_in.failures')).toEqual([
      { count: 1, attributes: { 'latchkey.provider': 'op', 'error.type': 'OAuthCallback' } },
    ])
    expect(await sdk.measure('latchkey.sign_ins')).toEqual([])
  })

  test('a limit that is reached is counted by its name', async () => {
    const sdk = registerSdk()
    const { browser, auth } = serve({ limits: { startsPerClient: { times: 1, window: 60 } } })
    const csrfToken = await browser.csrfToken()
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const start = () =>
      auth.handle(
        new Request(`${base}/signin/op`, {
          method: 'POST',
          headers: { cookie },
          body: new URLSearchParams({ csrfToken }),
        }),
        { clientIp: () => '192.0.2.1' },
      )
    expect((await start()).status).toBe(302)
    expect((await start()).status).toBe(429)
    expect(await sdk.measure('latchkey.limits.reached')).toEqual([
      {
        count: 1,
        attributes: {
          'latchkey.limit': 'startsPerClient',
          'http.route': '/api/auth/signin/:provider',
        },
      },
    ])
    expect(sdk.spans().at(-1)?.attributes).toMatchObject({ 'latchkey.limit': 'startsPerClient' })
  })

  test('a storage that fails is an error of its span and of the request', async () => {
    const sdk = registerSdk()
    const storage = memoryStorage()
    const { browser, issuer } = serve({ storage, session: { strategy: 'storage' } })
    await signInAtIssuer(browser, issuer)
    const failure = Object.assign(new Error('duplicate key alice@example.com'), { code: '23505' })
    vi.spyOn(storage, 'getSessionAndUser').mockRejectedValue(failure)
    expect((await browser.visit('/session')).status).toBe(503)
    const call = sdk.spans().findLast(({ name }) => name === 'getSessionAndUser')
    expect(call?.attributes['error.type']).toBe('23505')
    expect(call?.status).toEqual({ code: 2 })
    const request = sdk.spans().findLast(({ name }) => name === 'GET /api/auth/session')
    expect(request?.attributes).toMatchObject({
      'error.type': '503',
      'latchkey.error.code': 'Unavailable',
    })
    expect(await sdk.print()).not.toContain('duplicate key')
    expect(await sdk.measure('db.client.operation.duration')).toContainEqual({
      count: 1,
      attributes: {
        'db.operation.name': 'getSessionAndUser',
        'db.system.name': 'sqlite',
        'error.type': '23505',
      },
    })
  })

  test('a path that is not a route, and a method that is not known, have few values', async () => {
    const sdk = registerSdk()
    const { browser } = serve()
    await browser.visit('/alice@example.com')
    await browser.visit('/callback/hunter2')
    await browser.visit('/session', { method: 'HUNTER2' })
    expect(sdk.spans().map(({ name }) => name)).toEqual(['GET', 'GET', 'HTTP /api/auth/session'])
    expect(await sdk.print()).not.toMatch(/alice|hunter2/i)
  })
})

describe('instrumentConfig', () => {
  test('has everything except the spans of requests', async () => {
    const sdk = registerSdk()
    const storage = memoryStorage()
    const config = { storage, ...createLeast() }
    const auth = createAuth(instrumentConfig(config))
    await signedIn(auth, { user: { name: 'Alice' } })
    expect(sdk.spans().map(({ name }) => name)).toContain('createUser')
    const { status } = await auth.handle(new Request(`${base}/signout`, { method: 'POST' }))
    expect(status).toBe(415)
    expect(sdk.spans().map(({ name }) => name)).not.toContain('POST /api/auth/signout')
    expect(await sdk.measure('latchkey.refusals')).toMatchObject([{ count: 1 }])
    expect(await sdk.measure('latchkey.sign_ins')).toMatchObject([{ count: 1 }])
  })
})

describe('countRetries', () => {
  test('counts transactions that are tried again, with the error of the client', async () => {
    const sdk = registerSdk()
    const onRetry = countRetries({ databaseSystem: 'postgresql' })
    onRetry(Object.assign(new Error('deadlock detected'), { code: '40P01' }))
    expect(await sdk.measure('latchkey.retries')).toEqual([
      { count: 1, attributes: { 'error.type': '40P01', 'db.system.name': 'postgresql' } },
    ])
  })

  test('a database that is busy is tried again until it is free', async () => {
    const sdk = registerSdk()
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-telemetry-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const [database, other] = [0, 1].map(() => new DatabaseSync(join(folder, 'busy.sqlite')))
    const storage = nodeSqliteStorage(database as DatabaseSync, { onRetry: countRetries() })
    await storage.migrate()
    other?.exec('BEGIN IMMEDIATE')
    const counted = storage.increment('key', 60, 0)
    await expect.poll(() => sdk.measure('latchkey.retries')).toHaveLength(1)
    other?.exec('ROLLBACK')
    expect(await counted).toEqual({ count: 1, resetsAt: 60 })
    expect(await sdk.measure('latchkey.retries')).toMatchObject([
      { attributes: { 'error.type': 'ERR_SQLITE_ERROR' } },
    ])
    for (const each of [database, other]) each?.close()
  })
})

describe('a storage', () => {
  test.each([
    ['frozen', (storage: Storage) => Object.freeze({ ...storage })],
    ['of a class', inheritCreateUser],
  ])('that is %s is traced, with its own methods as they are', async (_, wrap) => {
    const sdk = registerSdk()
    const { browser, issuer } = serve({ storage: wrap(memoryStorage()) })
    expect((await signInAtIssuer(browser, issuer)).status).toBe(302)
    expect(sdk.spans().map(({ name }) => name)).toContain('createUser')
  })
})

describe('without an SDK', () => {
  test('the service works, and its own listeners and logger are called', async () => {
    const signIn = vi.fn()
    const warn = vi.fn()
    const { browser, issuer } = serve({
      events: { signIn },
      logger: { error: () => undefined, warn },
    })
    expect((await signInAtIssuer(browser, issuer)).status).toBe(302)
    expect(await browser.json('/session')).toMatchObject({ user: { name: 'Alice' } })
    await expect.poll(() => signIn.mock.calls).toHaveLength(1)
    await browser.post('/signout', { csrfToken: 'wrong' })
    expect(warn).toHaveBeenCalledTimes(1)
  })
})
