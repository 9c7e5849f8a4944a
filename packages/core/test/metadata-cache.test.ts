import type { AuthConfig, MetadataCache } from '@latchkey/core'
import { metadataCache } from '@latchkey/core/metadata-cache'
import type { MetadataStore } from '@latchkey/core/metadata-cache'
import { oidc } from '@latchkey/core/providers/oidc'
import type { OidcConfig } from '@latchkey/core/providers/oidc'
import { Browser } from '@latchkey/testing/browser'
import { createIssuer } from '@latchkey/testing/issuer'
import type { Issuer } from '@latchkey/testing/issuer'
import { afterEach, describe, expect, test } from 'vitest'
import { issuerOptions, client, oidcConfig } from './support/identity-provider.ts'
import { base, beginSignIn, getConfigError, getRedirect, secret, serve } from './support/service.ts'
import type { TestService } from './support/service.ts'

/** Seconds by which the clock of all processes and issuers is ahead. */
let ahead = 0
const startedAt = Date.now()
const now = (): number => startedAt + ahead * 1000
afterEach(() => {
  ahead = 0
})

const otherSecret = 'another secret, of another service of the company'

/** A store for several processes. */
interface TestStore extends MetadataStore {
  readonly values: Map<string, string>
  /** The seconds of each call of `set`. */
  readonly lifetimes: number[]
}

function createStore(): TestStore {
  const values = new Map<string, string>()
  const lifetimes: number[] = []
  return {
    values,
    lifetimes,
    get: async (key) => values.get(key) ?? null,
    async set(key, value, seconds) {
      values.set(key, value)
      lifetimes.push(seconds)
    },
  }
}

/** A process that has just started, with the store of the others. */
interface Process extends TestService<unknown> {
  readonly issuer: Issuer
}

function start(
  issuer: Issuer,
  store: MetadataStore,
  over: Partial<AuthConfig> = {},
  config: Partial<OidcConfig> = {},
): Process {
  const service = serve({
    providers: [oidc({ ...oidcConfig, issuer: issuer.issuer, ...config })],
    metadataCache: metadataCache(store),
    ...over,
    runtime: { fetch: issuer.fetch, now, ...over.runtime },
  })
  return { ...service, issuer }
}

/** Signs in, and returns `signed in` or the error. */
async function signIn({ browse, issuer }: Process): Promise<string | null> {
  const browser = browse()
  const begun = await browser.submit('/signin/op')
  const location = begun.headers.get('location') ?? ''
  if (!location.startsWith(issuer.issuer)) return getRedirect(begun).error
  const response = await browser.visit(issuer.authorize(new URL(location)).href)
  const isSignedIn = 'user' in ((await browser.json('/session')) as object)
  return isSignedIn ? 'signed in' : getRedirect(response).error
}

function count(issuer: Issuer): readonly [discovery: number, jwks: number] {
  return [issuer.countRequests('discovery'), issuer.countRequests('jwks')]
}

const create = (issuer: string = issuerOptions.issuer): Issuer =>
  createIssuer({ ...issuerOptions, ...client, issuer, now })

describe('metadataCache (I-24)', () => {
  test('a process that starts signs in without fetching metadata or keys', async () => {
    const [issuer, store] = [create(), createStore()]
    expect(await signIn(start(issuer, store))).toBe('signed in')
    expect(count(issuer)).toEqual([1, 1])
    expect(store.values.size).toBe(2)
    expect(store.lifetimes).toEqual([600, 600])
    const second = start(issuer, store)
    expect(await signIn(second)).toBe('signed in')
    expect(await signIn(second)).toBe('signed in')
    expect(count(issuer)).toEqual([1, 1])
  })

  test('a document is used for ten minutes after it was fetched, in every process', async () => {
    const [issuer, store] = [create(), createStore()]
    await signIn(start(issuer, store))
    const second = start(issuer, store)
    ahead = 590
    expect(await signIn(second)).toBe('signed in')
    expect(count(issuer)).toEqual([1, 1])
    ahead = 610
    expect(await signIn(second)).toBe('signed in')
    expect(count(issuer)).toEqual([1, 2])
    const third = start(issuer, { ...createStore(), get: (key) => store.get(key) })
    ahead = 620
    expect(await signIn(third)).toBe('signed in')
    expect(count(issuer)).toEqual([2, 2])
    const fourth = start(issuer, { ...createStore(), get: (key) => store.get(key) })
    ahead = 1300
    expect(await signIn(fourth)).toBe('signed in')
    expect(count(issuer)).toEqual([3, 3])
  })

  test('a key that is unknown, or was replaced, makes a process fetch the keys, for the others too', async () => {
    const [issuer, store] = [create(), createStore()]
    await signIn(start(issuer, store))
    issuer.rotateKeys()
    expect(await signIn(start(issuer, store))).toBe('signed in')
    expect(count(issuer)).toEqual([1, 2])
    expect(await signIn(start(issuer, store))).toBe('signed in')
    expect(count(issuer)).toEqual([1, 2])
    const kid = { header: { kid: 'the only one' }, jwk: { kid: 'the only one' } }
    issuer.vary(kid)
    expect(await signIn(start(issuer, store))).toBe('signed in')
    issuer.rotateKeys()
    expect(await signIn(start(issuer, store))).toBe('signed in')
    expect(count(issuer)).toEqual([1, 4])
  })

  test('an unknown key forces as many fetches as with keys of the process', async () => {
    const [issuer, store] = [create(), createStore()]
    await signIn(start(issuer, store))
    const second = start(issuer, store)
    issuer.vary({ header: { kid: 'unknown' } })
    for (let i = 0; i < 6; i++) {
      expect(await signIn(second)).toBe('OAuthCallback')
      ahead += 5
    }
    expect(count(issuer)).toEqual([1, 3])
  })
})

describe('a document is fetched again if the store', () => {
  /** Changes what the first process has stored, and returns how often the second one fetches. */
  async function fetchAfter(change: (values: Map<string, string>) => void): Promise<unknown> {
    const [issuer, store] = [create(), createStore()]
    await signIn(start(issuer, store))
    change(store.values)
    const second = start(issuer, store)
    const outcome = await signIn(second)
    const [discovery, jwks] = count(issuer)
    return [outcome, discovery - 1, jwks - 1, second.lines.map(({ message }) => message)]
  }
  const warning = 'metadataCache: a document that this service did not write'

  test('has lost it', async () => {
    expect(await fetchAfter(() => undefined)).toEqual(['signed in', 0, 0, []])
    expect(await fetchAfter((values) => values.clear())).toEqual(['signed in', 1, 1, []])
  })

  test.for<[name: string, change: (value: string) => string]>([
    ['an altered text', (value) => value.replace('"use', '"Use').replace('issuer"', 'Issuer"')],
    ['another time', (value) => value.replace(/(?<=\.\[)\d+/, (time) => String(Number(time) + 9))],
    ['another MAC', (value) => `${'A'.repeat(43)}${value.slice(43)}`],
    ['no MAC', (value) => value.slice(43)],
    ['nothing', () => ''],
  ])('has %s', async ([, change]) => {
    const fetched = await fetchAfter((values) => {
      for (const [key, value] of values) values.set(key, change(value))
    })
    expect(fetched).toEqual(['signed in', 1, 1, [warning, warning]])
  })

  test('has the document of another URL', async () => {
    const fetched = await fetchAfter((values) => {
      const [first = '', second = ''] = values.values()
      const [one = '', other = ''] = values.keys()
      values.set(one, second).set(other, first)
    })
    expect(fetched).toEqual(['signed in', 1, 1, [warning, warning]])
  })

  test('has the keys of an attacker, which the attacker has stored under its own secret', async () => {
    const [issuer, store] = [create(), createStore()]
    await signIn(start(issuer, store))
    const attacker = create()
    const written = createStore()
    await signIn(start(attacker, written, { secret: otherSecret }))
    expect([...written.values.keys()]).toEqual([...store.values.keys()])
    for (const [key, value] of written.values) store.values.set(key, value)
    const second = start(issuer, store)
    expect(await signIn(second)).toBe('signed in')
    expect(count(issuer)).toEqual([2, 2])
  })
})

describe('the store', () => {
  test('may have been written under a previous secret', async () => {
    const [issuer, store] = [create(), createStore()]
    await signIn(start(issuer, store))
    await signIn(start(issuer, store, { secret: [otherSecret, secret] }))
    expect(count(issuer)).toEqual([1, 1])
  })

  test.for<[name: string, fault: Partial<MetadataStore>, messages: readonly string[]]>([
    ['get rejects', { get: () => Promise.reject(new Error('down')) }, ['get', 'get']],
    ['set rejects', { set: () => Promise.reject(new Error('down')) }, ['set', 'set']],
    [
      'get throws',
      {
        get: () => {
          throw new Error('down')
        },
      },
      ['get', 'get'],
    ],
    ['get never answers', { get: () => new Promise(() => undefined) }, ['get', 'get']],
    ['set never answers', { set: () => new Promise(() => undefined) }, ['set', 'set']],
  ])('changes nothing if %s, which is logged', async ([, fault, methods]) => {
    const issuer = create()
    const schedule = (milliseconds: number, callback: () => void): (() => void) => {
      const timer = setTimeout(callback, milliseconds / 20)
      return () => clearTimeout(timer)
    }
    const process = start(issuer, { ...createStore(), ...fault }, { runtime: { schedule } })
    expect(await signIn(process)).toBe('signed in')
    const messages = methods.map((method) => `metadataCache.${method} failed`)
    expect(process.lines.map(({ message }) => message)).toEqual(messages)
  })

  test('gets no document that is invalid', async () => {
    const [issuer, store] = [create(), createStore()]
    issuer.vary({ metadata: { issuer: 'https://other.example' } })
    expect(await signIn(start(issuer, store))).toBe('OAuthSignin')
    issuer.vary({ responses: { jwks: 'html' } })
    expect(await signIn(start(issuer, store))).toBe('OAuthCallback')
    expect(store.values.size).toBe(1)
  })

  test('gets nothing of a provider that adapts its requests', async () => {
    const [issuer, store] = [create(), createStore()]
    const adaptFetch: NonNullable<OidcConfig['adaptFetch']> = (fetch) => (url, init) =>
      fetch(url, init)
    expect(await signIn(start(issuer, store, {}, { adaptFetch }))).toBe('signed in')
    expect(store.values.size).toBe(0)
    await signIn(start(issuer, store))
    expect(await signIn(start(issuer, store, {}, { adaptFetch }))).toBe('signed in')
    expect(count(issuer)).toEqual([3, 3])
  })

  test('is written after the reply, if the host can wait', async () => {
    let write: (() => void) | undefined
    const store = createStore()
    const set = (): Promise<void> => new Promise((resolve) => (write = resolve))
    const { auth } = start(create(), { ...store, set })
    const waiting: Promise<unknown>[] = []
    const waitUntil = (promise: Promise<unknown>): void => void waiting.push(promise)
    const browser = new Browser((request) => auth.handle(request, { waitUntil }), base)
    expect((await browser.submit('/signin/op')).status).toBe(302)
    expect(waiting).toHaveLength(1)
    write?.()
    await Promise.all(waiting)
  })

  test('is written before the reply, if the host refuses to wait', async () => {
    let isWritten = false
    const store = createStore()
    const set: typeof store.set = async (...entry) => {
      await new Promise((resolve) => setTimeout(resolve, 10))
      await store.set(...entry)
      isWritten = true
    }
    const { auth } = start(create(), { ...store, set })
    const waitUntil = (): never => {
      throw new Error('the request has ended')
    }
    const browser = new Browser((request) => auth.handle(request, { waitUntil }), base)
    expect((await browser.submit('/signin/op')).status).toBe(302)
    expect(isWritten).toBe(true)
  })
})

describe('issuers', () => {
  test('have separate documents', async () => {
    const store = createStore()
    const [one, other] = [create(), create('https://other.example')]
    expect(await signIn(start(one, store))).toBe('signed in')
    expect(await signIn(start(other, store))).toBe('signed in')
    expect(count(other)).toEqual([1, 1])
    expect(store.values.size).toBe(4)
    expect(await signIn(start(one, store))).toBe('signed in')
    expect(await signIn(start(other, store))).toBe('signed in')
    expect([count(one), count(other)]).toEqual([
      [1, 1],
      [1, 1],
    ])
  })

  test('are checked by the configuration of each process', async () => {
    const [issuer, store] = [create(), createStore()]
    await signIn(start(issuer, store))
    const expected = { discoveredIssuer: 'https://expected.example' }
    const second = start(issuer, store, {}, expected)
    const browser = second.browse()
    expect(getRedirect(await browser.submit('/signin/op')).error).toBe('OAuthSignin')
    expect(count(issuer)).toEqual([2, 1])
    expect((await beginSignIn(start(issuer, store).browse(), {}, '/signin/op')).host).toBe(
      'issuer.example',
    )
  })
})

test.for<[name: string, value: unknown]>([
  ['an object without methods', {}],
  ['null', null],
  ['a store without set', { get: async () => null }],
  ['a function', () => undefined],
  ['a text', 'kv'],
])('start-up refuses %s', ([, value]) => {
  expect(getConfigError(() => ({ metadataCache: metadataCache(createStore()) }))).toBeUndefined()
  const stored = getConfigError(() => ({ metadataCache: metadataCache(value as MetadataStore) }))
  expect(stored?.[0]).toBe('metadataCache')
  const given = getConfigError(() => ({ metadataCache: value as MetadataCache }))
  expect(given?.[0]).toBe('metadataCache')
})
