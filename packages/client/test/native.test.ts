import { inspect } from 'node:util'
import { createTestClock } from '@latchkey/testing'
import type { TestClock } from '@latchkey/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createNativeClient, NativeError } from '../src/native.ts'
import type {
  DevicePrompt,
  NativeClient,
  NativeOptions,
  NativeSession,
  SystemBrowser,
  TokenStore,
} from '../src/native.ts'
import {
  answer,
  api,
  clientId,
  loseReply,
  startAuthorizationServer,
} from './support/authorization-server.ts'
import type { AuthorizationServer } from './support/authorization-server.ts'
import { createTokenStore } from './support/token-store.ts'
import type { KeptTokens } from './support/token-store.ts'

const TOKEN = 'POST /op/token'
const redirectUri = 'com.example.app:/callback'
const scope = 'openid profile offline_access notes'

let server: AuthorizationServer
beforeAll(async () => {
  server = await startAuthorizationServer()
})
afterAll(() => server.stop())
beforeEach(() => {
  Object.assign(server, { account: 'alice', fault: undefined })
  server.clearRequests()
})

/** The browser of a system that hands URLs of a private-use scheme to the application. */
function createBrowser(change: (url: URL) => URL | undefined = (url) => url): SystemBrowser {
  return {
    redirectUri,
    visit: async (getUrl) => change(new URL(await server.follow(getUrl())))?.href,
  }
}

interface Application extends NativeClient {
  readonly store: KeptTokens
  readonly clock: TestClock
  /** Returns the result of some work, for which the clock advances while no request is under way. */
  readonly settle: <T>(work: Promise<T>) => Promise<T>
}

function createApplication(over: Partial<NativeOptions> = {}): Application {
  const [store, clock] = [createTokenStore(), createTestClock()]
  let pending = 0
  const client = createNativeClient({
    issuer: server.issuer,
    clientId,
    scope,
    resource: api,
    tokens: store,
    browser: createBrowser(),
    clock: clock.runtime,
    ...over,
    async fetch(url, init) {
      pending++
      try {
        const response = await (over.fetch ?? fetch)(url, init)
        return new Response((await response.text()) || null, response)
      } finally {
        pending--
      }
    },
  })
  const settle: Application['settle'] = async (work) => {
    const state = { isSettled: false }
    const end = (): void => void (state.isSettled = true)
    work.then(end, end)
    while (!state.isSettled) {
      await new Promise((resolve) => setImmediate(resolve))
      if (pending === 0) await clock.advance(5000)
    }
    return work
  }
  return { ...client, store, clock, settle }
}

const params = { prompt: 'consent' }

async function signedIn(over: Partial<NativeOptions> = {}): Promise<Application> {
  const application = createApplication(over)
  await application.signIn({ params })
  server.clearRequests()
  return application
}

function decode(token: string | undefined): Record<string, unknown> {
  const [, payload = ''] = token?.split('.') ?? []
  const claims: Record<string, unknown> = JSON.parse(Buffer.from(payload, 'base64url').toString())
  return claims
}

const refreshTokenOf = ({ store }: Application): string =>
  (JSON.parse(store.text ?? '{}') as { refreshToken: string }).refreshToken

/** Returns what a promise rejects with. */
async function failure(promise: Promise<unknown>): Promise<NativeError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof NativeError)) throw new Error(`no NativeError: ${String(error)}`)
  return error
}

describe('sign-in in the browser of the system (I-71.1)', () => {
  test('has PKCE, the resource and the scopes, and returns the claims', async () => {
    let request = new URL(server.issuer)
    const browser: SystemBrowser = {
      redirectUri,
      visit(getUrl) {
        request = new URL(getUrl())
        return server.follow(request.href)
      },
    }
    const { signIn, getSession, getAccessToken } = createApplication({ browser })
    expect(await getSession()).toBeUndefined()
    expect(await getAccessToken()).toBeUndefined()
    const session = await signIn({ params: { ...params, state: 'mine', response_type: 'token' } })
    expect(session.claims).toMatchObject({ sub: 'alice', name: 'Person alice', aud: clientId })
    expect(session.scope).toBe('notes')
    expect(await getSession()).toEqual(session)
    expect(Object.fromEntries(request.searchParams)).toMatchObject({
      client_id: clientId,
      response_type: 'code',
      redirect_uri: redirectUri,
      resource: api,
      scope,
      code_challenge_method: 'S256',
      prompt: 'consent',
    })
    for (const name of ['state', 'code_challenge']) {
      expect(request.searchParams.get(name)).toMatch(/^[\w-]{43}$/)
    }
    expect(decode(await getAccessToken())).toMatchObject({
      aud: api,
      client_id: clientId,
      sub: 'alice',
    })
    expect(server.countRequests(TOKEN)).toBe(1)
  })

  const responses: [string, (url: URL) => URL | undefined, Partial<NativeError>][] = [
    ['with another state', (url) => set(url, 'state', 'x'), { code: 'refused' }],
    ['without a state', (url) => set(url, 'state'), { code: 'refused' }],
    [
      'of another issuer (mix-up)',
      (url) => set(url, 'iss', 'https://evil.example'),
      { code: 'refused' },
    ],
    ['without an issuer (RFC 9207 §2.4)', (url) => set(url, 'iss'), { code: 'refused' }],
    [
      'at another URL',
      (url) => new URL(url.href.replace('callback', 'other')),
      { code: 'refused' },
    ],
    [
      'with a code of another client',
      (url) => set(url, 'code', 'x'),
      { code: 'refused', error: 'invalid_grant' },
    ],
    ['that does not come', () => undefined, { code: 'cancelled' }],
  ]
  test.each(responses)('refuses a response %s', async (_, change, expected) => {
    expect((await createApplication().signIn({ params })).claims).toMatchObject({ sub: 'alice' })
    server.clearRequests()
    const { signIn, getSession } = createApplication({ browser: createBrowser(change) })
    expect(await failure(signIn({ params }))).toMatchObject(expected)
    expect(await getSession()).toBeUndefined()
    expect(server.countRequests(TOKEN)).toBe(expected.error === undefined ? 0 : 1)
  })

  test('says that the user refused, and keeps the previous sign-in', async () => {
    const { signIn, getSession } = await signedIn()
    server.account = undefined
    expect(await failure(signIn({ params }))).toMatchObject({
      code: 'denied',
      error: 'access_denied',
    })
    expect((await getSession())?.claims).toMatchObject({ sub: 'alice' })
  })

  test('can be cancelled, and ends after ten minutes', async () => {
    const browser: SystemBrowser = { redirectUri, visit: () => new Promise(() => {}) }
    const { signIn, settle } = createApplication({ browser })
    const controller = new AbortController()
    const cancelled = failure(signIn({ signal: controller.signal }))
    controller.abort()
    expect(await cancelled).toMatchObject({ code: 'cancelled' })
    expect(await settle(failure(signIn()))).toMatchObject({ code: 'expired' })
    expect(await failure(signIn({ signal: controller.signal }))).toMatchObject({
      code: 'cancelled',
    })
  })

  test('refuses another redirect URI than the configured one', async () => {
    const visit: SystemBrowser['visit'] = async (getUrl) => getUrl('https://evil.example/callback')
    const { signIn } = createApplication({ browser: { redirectUri, visit } })
    await expect(signIn()).rejects.toThrow(/expected com.example.app:\/callback as redirectUri/)
  })
})

function set(url: URL, name: string, value?: string): URL {
  if (value === undefined) url.searchParams.delete(name)
  else url.searchParams.set(name, value)
  return url
}

describe('discovery (I-71.2)', () => {
  const inserted = 'GET /.well-known/oauth-authorization-server/op'
  const appended = 'GET /op/.well-known/openid-configuration'

  test('inserts the path of the issuer, and appends to it if that is not found', async () => {
    const { signIn, signOut } = createApplication()
    await signIn({ params })
    await signOut()
    expect([server.countRequests(inserted), server.countRequests(appended)]).toEqual([1, 0])
    server.clearRequests()
    server.fault = ({ url }, response) => {
      if (url?.startsWith('/.well-known/') !== true) return false
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Our application</h1>')
      return true
    }
    expect((await createApplication().signIn({ params })).claims).toMatchObject({ sub: 'alice' })
    expect([server.countRequests(inserted), server.countRequests(appended)]).toEqual([1, 1])
  })

  test('reads the algorithms of ID Tokens at both paths', async () => {
    const response = await fetch(`${server.issuer}/.well-known/openid-configuration`)
    const openid = (await response.json()) as object
    const oauth = { ...openid, id_token_signing_alg_values_supported: undefined }
    const signIn = async (status: number, document: object, scopes = scope): Promise<object> => {
      server.clearRequests()
      server.fault = ({ url }, reply) => {
        if (url === '/.well-known/oauth-authorization-server/op') return answer(reply, 200, oauth)
        return url?.includes('/.well-known/') === true && answer(reply, status, document)
      }
      return createApplication({ scope: scopes }).signIn({ params })
    }
    expect(await signIn(200, openid)).toMatchObject({ claims: { sub: 'alice' } })
    expect([server.countRequests(inserted), server.countRequests(appended)]).toEqual([1, 1])
    // RS256 is the default.
    expect(await signIn(404, {})).toMatchObject({ claims: { sub: 'alice' } })
    expect(await signIn(200, openid, 'notes')).toMatchObject({ claims: undefined })
    expect([server.countRequests(inserted), server.countRequests(appended)]).toEqual([1, 0])
    const others = { ...openid, id_token_signing_alg_values_supported: ['EdDSA'] }
    for (const [status, document, code] of [
      [200, others, 'refused'],
      [200, { ...openid, issuer: 'https://evil.example' }, 'refused'],
      [429, {}, 'unavailable'],
      [503, {}, 'unavailable'],
    ] as const) {
      expect(await failure(signIn(status, document))).toMatchObject({ code })
    }
  })

  const documents: [string, (metadata: Record<string, unknown>) => object, RegExp][] = [
    ['another issuer', (m) => ({ ...m, issuer: 'https://evil.example' }), /issuer/],
    [
      'an issuer that is no URL',
      (m) => ({ ...m, issuer: 'x' }),
      /metadata of .*: the response is invalid/,
    ],
    [
      'the issuer in capitals',
      (m) => ({ ...m, issuer: String(m['issuer']).replace('http', 'HTTP') }),
      /expected the issuer/,
    ],
    ['the issuer with a slash', (m) => ({ ...m, issuer: `${String(m['issuer'])}/` }), /issuer/],
    ['no S256', (m) => ({ ...m, code_challenge_methods_supported: ['plain'] }), /PKCE with S256/],
    ['no PKCE', (m) => ({ ...m, code_challenge_methods_supported: undefined }), /PKCE with S256/],
    [
      'an endpoint at http',
      (m) => ({ ...m, token_endpoint: 'http://evil.example/' }),
      /token_endpoint/,
    ],
    [
      'a script as an endpoint',
      (m) => ({ ...m, authorization_endpoint: 'javascript:1' }),
      /authorization_endpoint/,
    ],
  ]
  test.each(documents)('refuses metadata with %s', async (_, change, message) => {
    const metadata = (await (
      await fetch(`${server.issuer}/.well-known/openid-configuration`)
    ).json()) as object
    const serve = (document: object): void => {
      server.fault = ({ url }, response) =>
        url?.includes('/.well-known/') === true && answer(response, 200, document)
    }
    serve(metadata)
    expect((await createApplication().signIn({ params })).claims).toMatchObject({ sub: 'alice' })
    serve(change({ ...metadata }))
    const error = await failure(createApplication().signIn({ params }))
    expect(error).toMatchObject({ code: 'refused', message: expect.stringMatching(message) })
  })

  test('is repeated after a failure, and shared by concurrent callers', async () => {
    const { signIn } = createApplication()
    server.fault = (_, response) => answer(response, 503, {})
    expect(await failure(signIn({ params }))).toMatchObject({ code: 'unavailable', status: 503 })
    server.fault = undefined
    server.clearRequests()
    await Promise.all([signIn({ params }), signIn({ params })])
    expect(server.countRequests(inserted)).toBe(1)
  })
})

describe('the access token (I-71.3)', () => {
  test('is renewed before it expires, once for all callers', async () => {
    const application = await signedIn()
    const { getAccessToken, clock } = application
    const [first, refreshToken] = [await getAccessToken(), refreshTokenOf(application)]
    await clock.advance(569_000)
    expect(await getAccessToken()).toBe(first)
    expect(server.requests).toEqual([])
    await clock.advance(1000)
    const tokens = await Promise.all(Array.from({ length: 50 }, () => getAccessToken()))
    expect(new Set(tokens).size).toBe(1)
    expect(tokens[0]).not.toBe(first)
    expect(decode(tokens[0])).toMatchObject({ aud: api })
    expect(server.requests).toEqual([TOKEN])
    expect(refreshTokenOf(application)).not.toBe(refreshToken)
    await clock.advance(570_000)
    expect(await getAccessToken()).not.toBe(tokens[0])
  })

  test('is used until the API refuses it if a refresh gave no lifetime', async () => {
    let lifetime: number | undefined = 600
    const { getAccessToken, clock } = await signedIn({
      async fetch(url, init) {
        const response = await fetch(url, init)
        if (!url.endsWith('/token')) return response
        return Response.json({ ...((await response.json()) as object), expires_in: lifetime })
      },
    })
    await clock.advance(570_000)
    const first = await getAccessToken()
    expect(await getAccessToken()).toBe(first)
    await clock.advance(570_000)
    lifetime = undefined
    const second = await getAccessToken()
    expect(second).not.toBe(first)
    await clock.advance(600_000)
    expect(await getAccessToken()).toBe(second)
    expect(server.requests).toEqual([TOKEN, TOKEN])
    expect(await getAccessToken(second)).not.toBe(second)
  })

  test('is renewed once if the API has refused it', async () => {
    const { getAccessToken } = await signedIn()
    const first = await getAccessToken()
    const [second, third] = [await getAccessToken(first), await getAccessToken(first)]
    expect(second).not.toBe(first)
    expect(third).toBe(second)
    expect(server.requests).toEqual([TOKEN])
  })

  test('is renewed with the same refresh token if the request was lost', async () => {
    const { getAccessToken, getSession } = await signedIn()
    let lost = 0
    server.fault = ({ socket }) => {
      if (lost++ > 0) return false
      socket.destroy()
      return true
    }
    const first = await getAccessToken()
    expect(await getAccessToken(first)).not.toBe(first)
    expect(server.requests).toEqual([TOKEN, TOKEN])
    // Another time, the server is down for longer.
    server.fault = ({ socket }) => Boolean(socket.destroy())
    const second = await getAccessToken()
    expect(await failure(getAccessToken(second))).toMatchObject({ code: 'unavailable' })
    expect(await getSession()).toBeDefined()
    server.fault = undefined
    expect(await getAccessToken(second)).toBeDefined()
  })

  test('is renewed with the same refresh token if the reply was lost', async () => {
    const own = server
    server = await startAuthorizationServer({ rotateRefreshToken: false })
    try {
      const { getAccessToken } = await signedIn()
      server.fault = (request, response) => {
        server.fault = undefined
        loseReply(request, response)
      }
      const first = await getAccessToken()
      expect(decode(await getAccessToken(first))).toMatchObject({ aud: api })
      expect(server.requests).toEqual([TOKEN, TOKEN])
    } finally {
      await server.stop()
      server = own
    }
  })

  test('stays usable while the server fails, and asks for it once for all callers', async () => {
    const { getAccessToken, getSession } = await signedIn()
    const first = await getAccessToken()
    for (const status of [429, 500, 503]) {
      server.clearRequests()
      server.fault = (_, response) => answer(response, status, {})
      const failures = await Promise.all([1, 2, 3].map(() => failure(getAccessToken(first))))
      expect(failures.map(({ code, status: found }) => [code, found])).toEqual(
        Array.from({ length: 3 }, () => ['unavailable', status]),
      )
      expect(server.requests).toEqual([TOKEN])
    }
    expect(await getAccessToken()).toBe(first)
    expect(await getSession()).toBeDefined()
    server.fault = (_, response) => answer(response, 401, { error: 'invalid_client' })
    expect(await failure(getAccessToken(first))).toMatchObject({
      code: 'refused',
      error: 'invalid_client',
      status: 401,
    })
    server.fault = undefined
    expect(await getAccessToken(first)).toBeDefined()
  })

  test('ends with invalid_grant, which signs out', async () => {
    const application = await signedIn()
    const { getAccessToken, getSession, store } = application
    const first = await getAccessToken()
    // Another application of the user has sent a used refresh token: the server has ended the grant.
    const previous = store.text
    expect(await getAccessToken(first)).toBeDefined()
    store.text = previous
    expect(await getAccessToken(first)).toBeUndefined()
    expect(store.text).toBeUndefined()
    expect(await getSession()).toBeUndefined()
    server.clearRequests()
    expect(await getAccessToken()).toBeUndefined()
    expect(server.requests).toEqual([])
  })

  test('of another process is used if that one has renewed it first', async () => {
    const { store, getAccessToken } = await signedIn()
    const first = await getAccessToken()
    const other = createNativeClient({
      issuer: server.issuer,
      clientId,
      tokens: store,
      resource: api,
    })
    const second = await other.getAccessToken(first)
    const renewed = store.text
    // This process has read the store before.
    const stale = JSON.stringify({
      ...JSON.parse(renewed ?? ''),
      accessToken: first,
      refreshToken: 'used',
    })
    let reads = 0
    const racing: TokenStore = { ...store, get: async () => (reads++ < 2 ? stale : renewed) }
    const slow = createNativeClient({ issuer: server.issuer, clientId, tokens: racing })
    expect(await slow.getAccessToken(first)).toBe(second)
    expect(store.text).toBe(renewed)
  })

  test('is renewed in the lock of the store', async () => {
    const { store, getAccessToken } = await signedIn()
    const first = await getAccessToken()
    let last: Promise<unknown> = Promise.resolve()
    const lock: TokenStore['lock'] = (work) => {
      const result = last.then(work)
      last = result
      return result
    }
    const processes = Array.from({ length: 5 }, () =>
      createNativeClient({
        issuer: server.issuer,
        clientId,
        resource: api,
        tokens: { ...store, lock },
      }),
    )
    const tokens = await Promise.all(processes.map((process) => process.getAccessToken(first)))
    expect(new Set(tokens).size).toBe(1)
    expect(server.countRequests(TOKEN)).toBe(1)
  })

  test('without a refresh token ends the sign-in', async () => {
    const { signIn, getAccessToken, getSession, clock } = createApplication({
      scope: 'openid notes',
    })
    await signIn()
    const first = await getAccessToken()
    expect(decode(first)).toMatchObject({ aud: api })
    await clock.advance(600_000)
    expect(await getSession()).toBeUndefined()
    expect(await getAccessToken()).toBeUndefined()
  })

  test('is sent only to the issuer and for the client that it is from', async () => {
    const { store } = await signedIn()
    const tokens = { ...store, delete: store.delete }
    const common = { issuer: server.issuer, clientId, tokens }
    expect(await createNativeClient(common).getSession()).toBeDefined()
    for (const over of [{ issuer: 'https://evil.example' }, { clientId: 'other' }]) {
      const other = createNativeClient({ ...common, ...over })
      expect(await other.getSession()).toBeUndefined()
      expect(await other.getAccessToken()).toBeUndefined()
    }
    store.text = '{"accessToken":'
    expect(await createNativeClient(common).getSession()).toBeUndefined()
  })
})

describe('sign-out (I-71.4)', () => {
  test('deletes the tokens and ends the grant', async () => {
    const application = await signedIn()
    const { signOut, getSession, getAccessToken, store } = application
    const kept = store.text
    expect(await signOut()).toEqual({ isRevoked: true })
    expect(store.text).toBeUndefined()
    expect(await getSession()).toBeUndefined()
    expect(server.requests).toEqual(['POST /op/token/revocation'])
    store.text = kept
    const token = (JSON.parse(kept ?? '') as { accessToken: string }).accessToken
    expect(await getAccessToken(token)).toBeUndefined()
    expect(await signOut()).toEqual({ isRevoked: true })
  })

  test('deletes the tokens also if the server does not respond', async () => {
    const { signOut, store } = await signedIn()
    server.fault = ({ socket }) => Boolean(socket.destroy())
    const result = await signOut()
    expect(result).toMatchObject({ isRevoked: false, error: { code: 'unavailable' } })
    expect(store.text).toBeUndefined()
  })

  test('waits for a refresh, which writes nothing afterwards', async () => {
    const { signOut, getAccessToken, store } = await signedIn()
    const first = await getAccessToken()
    const sent = new Promise<void>((resolve) => (server.fault = () => resolve()))
    const renewed = getAccessToken(first)
    await sent
    const result = signOut()
    expect(await renewed).toBeDefined()
    expect(await result).toEqual({ isRevoked: true })
    expect(store.text).toBeUndefined()
  })
})

/** What the user sees, and the option of it. */
function createShow(): {
  readonly shown: Promise<DevicePrompt>
  readonly show: (prompt: DevicePrompt) => void
} {
  let show: (prompt: DevicePrompt) => void = () => {}
  const shown = new Promise<DevicePrompt>((resolve) => (show = resolve))
  return { shown, show }
}

describe('the device flow (I-71.5)', () => {
  test('shows a code and waits for the user', async () => {
    const { signInByDevice, getAccessToken, settle } = createApplication()
    const { shown, show } = createShow()
    const session = signInByDevice({ show })
    const { userCode, verificationUri, verificationUriComplete, expiresIn } = await shown
    expect(verificationUri).toBe(`${server.issuer}/device`)
    expect(verificationUriComplete).toContain(userCode)
    expect(expiresIn).toBe(600)
    await server.enterCode(verificationUri, userCode)
    expect((await settle(session)).claims).toMatchObject({ sub: 'alice' })
    expect(decode(await getAccessToken())).toMatchObject({ aud: api })
  })

  /** Signs in; the user enters the code before one of the requests for tokens, counted from 0. */
  async function enterBefore(
    turn: number,
    faults: Readonly<Record<number, number | object>> = {},
  ): Promise<{ readonly session: NativeSession; readonly times: readonly number[] }> {
    const times: number[] = []
    const { shown, show } = createShow()
    server.fault = ({ url }, response) => {
      const found = faults[times.length - 1]
      if (url !== '/op/token' || found === undefined) return false
      return typeof found === 'number' ? answer(response, found, {}) : answer(response, 400, found)
    }
    const { signInByDevice, settle, clock } = createApplication({
      async fetch(url, init) {
        if (!url.endsWith('/token')) return fetch(url, init)
        times.push(clock.runtime.monotonic() / 1000)
        const { verificationUri, userCode } = await shown
        if (times.length - 1 === turn) await server.enterCode(verificationUri, userCode)
        return fetch(url, init)
      },
    })
    const session = await settle(signInByDevice({ show }))
    return { session, times: times.map((time) => time - (times[0] ?? 0)) }
  }

  test('asks every five seconds while the user has not entered it', async () => {
    const { session, times } = await enterBefore(3)
    expect(session.claims).toMatchObject({ sub: 'alice' })
    expect(times).toEqual([0, 5, 10, 15])
  })

  test('asks less often after slow_down, and still less without a response (RFC 8628 §3.5)', async () => {
    const { session, times } = await enterBefore(4, { 0: { error: 'slow_down' }, 2: 503 })
    expect(session.claims).toMatchObject({ sub: 'alice' })
    expect(times).toEqual([0, 10, 20, 40, 60])
  })

  test('ends if the user refuses', async () => {
    const { signInByDevice, getSession, settle } = createApplication()
    const { shown, show } = createShow()
    const refused = failure(signInByDevice({ show }))
    const { verificationUri, userCode } = await shown
    await server.enterCode(verificationUri, userCode, 'abort')
    expect(await settle(refused)).toMatchObject({ code: 'denied', error: 'access_denied' })
    expect(await getSession()).toBeUndefined()
  })

  test('ends with the code', async () => {
    const { signInByDevice, settle } = createApplication()
    const error = await settle(failure(signInByDevice({ show: () => {} })))
    expect(error).toMatchObject({ code: 'expired', error: undefined })
    expect(server.countRequests(TOKEN)).toBe(119)
  })

  test.each([600, 2_592_000])('waits for a code that lasts %i seconds', async (lifetime) => {
    const { runtime, settle } = createTestClock()
    // As `setTimeout`, which does not wait for longer than 2^31 − 1 milliseconds.
    const schedule: TestClock['runtime']['schedule'] = (milliseconds, callback) =>
      runtime.schedule(milliseconds < 2 ** 31 ? milliseconds : 1, callback)
    const { issuer } = server
    const metadataAndCode = {
      issuer,
      token_endpoint: `${issuer}/token`,
      device_authorization_endpoint: `${issuer}/device`,
      device_code: 'd',
      user_code: 'u',
      verification_uri: issuer,
      expires_in: lifetime,
      interval: lifetime - 60,
    }
    const times: number[] = []
    const { signInByDevice } = createApplication({
      clock: { ...runtime, schedule },
      async fetch(url) {
        if (!url.endsWith('/token')) return Response.json(metadataAndCode)
        times.push(runtime.monotonic() / 1000)
        return Response.json({ error: 'authorization_pending' }, { status: 400 })
      },
    })
    const error = await settle(failure(signInByDevice({ show: () => {} })))
    expect(error).toMatchObject({ code: 'expired', error: undefined })
    expect([...times, runtime.monotonic() / 1000]).toEqual([lifetime - 60, lifetime])
  })

  test('ends with the code also if only the server knows', async () => {
    const { signInByDevice, settle } = createApplication()
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      const show = (): void => void vi.setSystemTime(Date.now() + 601_000)
      const error = await settle(failure(signInByDevice({ show })))
      expect(error).toMatchObject({ code: 'expired', error: 'expired_token' })
    } finally {
      vi.useRealTimers()
    }
  })

  test('can be cancelled', async () => {
    const { signInByDevice } = createApplication()
    const controller = new AbortController()
    const signal = controller.signal
    const error = failure(signInByDevice({ show: () => controller.abort(), signal }))
    expect(await error).toMatchObject({ code: 'cancelled' })
    expect(await failure(signInByDevice({ show: () => {}, signal }))).toMatchObject({
      code: 'cancelled',
    })
  })

  test('leaves no timer, which would keep a command line running', async () => {
    const timers = new Set<object>()
    const { clock } = createApplication()
    const schedule: TestClock['runtime']['schedule'] = (milliseconds, callback) => {
      const timer = {}
      timers.add(timer)
      const cancel = clock.runtime.schedule(milliseconds, () => {
        timers.delete(timer)
        callback()
      })
      return () => {
        timers.delete(timer)
        cancel()
      }
    }
    const application = createApplication({ clock: { ...clock.runtime, schedule } })
    const controller = new AbortController()
    const { shown, show } = createShow()
    const cancelled = failure(application.signInByDevice({ show, signal: controller.signal }))
    await shown
    await new Promise((resolve) => setImmediate(resolve))
    expect(timers.size).toBe(2)
    controller.abort()
    await cancelled
    expect(timers.size).toBe(0)
    await application.signIn({ params })
    await application.signOut()
    expect(timers.size).toBe(0)
  })

  test('shows no URL that is not one of the server', async () => {
    server.fault = ({ url }, response) =>
      url === '/op/device/auth' &&
      answer(response, 200, {
        device_code: 'd',
        user_code: 'u',
        verification_uri: 'file:///etc/passwd',
        expires_in: 600,
      })
    const shown: unknown[] = []
    const { signInByDevice } = createApplication()
    const error = await failure(signInByDevice({ show: (prompt) => void shown.push(prompt) }))
    expect(error).toMatchObject({ code: 'refused' })
    expect(shown).toEqual([])
  })
})

describe('no error has a token (I-71.6)', () => {
  const tokens = {
    access_token: 'kept secret',
    refresh_token: 'kept secret',
    token_type: 'bearer',
    scope: 'notes',
  }
  const json = { 'content-type': 'application/json' }
  const replies: [string, number, object, string][] = [
    ['is not complete', 200, json, JSON.stringify(tokens).slice(0, -9)],
    ['is a page', 200, { 'content-type': 'text/html' }, '<p>kept secret'],
    [
      'has another type of token',
      200,
      json,
      JSON.stringify({ ...tokens, token_type: 'kept secret' }),
    ],
    ['has no lifetime', 200, json, JSON.stringify({ ...tokens, expires_in: 'kept secret' })],
    ['has an invalid scope', 200, json, JSON.stringify({ ...tokens, scope: 1 })],
    [
      'has a wrong ID Token',
      200,
      json,
      JSON.stringify({ ...tokens, id_token: 'e30.e30.kept secret' }),
    ],
    [
      'is an error',
      400,
      json,
      JSON.stringify({ ...tokens, error: 'x', error_description: 'kept secret' }),
    ],
    [
      'is an error with control characters',
      400,
      json,
      JSON.stringify({ error: '\u001b[2Jkept secret' }),
    ],
    ['has another status', 302, { location: 'https://evil.example/kept secret' }, ''],
  ]
  test.each(replies)('if the reply %s', async (_, status, headers, body) => {
    const reply = (...[code, fields, text]: [number, object, string]): void => {
      server.fault = ({ url }, response) => {
        if (url !== '/op/token') return false
        response.writeHead(code, { ...fields }).end(text)
        return true
      }
    }
    const { signIn, getAccessToken, store } = createApplication()
    reply(200, json, JSON.stringify(tokens))
    expect(await signIn({ params })).toMatchObject({ scope: 'notes' })
    expect(await getAccessToken()).toBe('kept secret')
    reply(status, headers, body)
    const shown = inspect(await failure(signIn({ params })), { depth: Infinity, showHidden: true })
    expect(shown).toContain(`the token endpoint of ${server.issuer}`)
    expect(shown).not.toContain('secret')
    expect(shown).not.toContain('\u001b')
    // The ID Token of a refresh is not used.
    const refreshed = getAccessToken('kept secret')
    if (body.includes('id_token')) expect(await refreshed).toBe('kept secret')
    else expect(inspect(await failure(refreshed), { depth: Infinity })).not.toContain('secret')
    expect(store.text).toContain('kept secret')
  })

  test('if the authorization response is refused', async () => {
    const change = (url: URL): URL =>
      set(set(url, 'iss', 'https://evil.example'), 'code', 'kept secret')
    const { signIn } = createApplication({ browser: createBrowser(change) })
    const error = await failure(signIn({ params }))
    expect(error.message).toContain('"iss"')
    expect(inspect(error, { depth: Infinity, showHidden: true })).not.toContain('secret')
  })
})

describe('options (I-71.7)', () => {
  const valid: NativeOptions = {
    issuer: 'https://example.com/api/auth',
    clientId,
    scope: 'openid notes',
    resource: api,
    tokens: createTokenStore(),
    browser: createBrowser(),
  }
  const visit: SystemBrowser['visit'] = async () => undefined
  const browser = (uri: string): Partial<NativeOptions> => ({
    browser: { redirectUri: uri, visit },
  })

  test.each([
    {},
    { issuer: 'http://localhost:3000/api/auth' },
    { resource: 'urn:example:api' },
    browser('https://example.com/callback'),
    browser('http://127.0.0.1:4000/callback'),
    browser('http://[::1]/callback'),
  ])('are accepted: %j', (over) => {
    expect(createNativeClient({ ...valid, ...over })).toBeDefined()
  })

  const refused: [string, object][] = [
    ['issuer', { issuer: 'http://example.com' }],
    ['issuer', { issuer: 'https://example.com/?a' }],
    ['issuer', { issuer: 'https://user@example.com/' }],
    ['issuer', { issuer: undefined }],
    ['clientId', { clientId: '' }],
    ['scope', { scope: 'openid  notes' }],
    ['scope', { scope: ['openid'] }],
    ['resource', { resource: '/notes' }],
    ['resource', { resource: `${api}#a` }],
    ['tokens.get', { tokens: undefined }],
    ['tokens.delete', { tokens: { ...createTokenStore(), delete: undefined } }],
    ['browser.redirectUri', browser('http://localhost/callback')],
    ['browser.redirectUri', browser('http://example.com/callback')],
    ['browser.redirectUri', browser('myapp:/callback')],
    ['browser.redirectUri', browser('javascript:alert(1)')],
    ['browser.redirectUri', browser('com.example.app:/callback#a')],
    ['browser.visit', { browser: { redirectUri } }],
  ]
  test.each(refused)('refuses %s: %j', (name, over) => {
    const options = { ...valid, ...over } as NativeOptions
    expect(() => createNativeClient(options)).toThrow(new RegExp(`expected .* as ${name}`))
  })

  test('need random values and SHA-256 where the platform has none', () => {
    vi.stubGlobal('crypto', undefined)
    try {
      const own = {
        random: (length: number) => new Uint8Array(length),
        sha256: async () => new ArrayBuffer(32),
      }
      expect(createNativeClient({ ...valid, ...own })).toBeDefined()
      expect(() => createNativeClient({ ...valid, ...own, random: undefined } as never)).toThrow(
        /random/,
      )
      expect(() => createNativeClient({ ...valid, random: own.random })).toThrow(/sha256/)
    } finally {
      vi.unstubAllGlobals()
    }
  })

  test('need a browser for signIn only', async () => {
    const { signIn, getSession } = createNativeClient({ ...valid, browser: undefined } as never)
    expect(await getSession()).toBeUndefined()
    await expect(signIn()).rejects.toThrow(/requires the option browser/)
  })
})
