import { env } from 'cloudflare:workers'
import { createAuth } from '@latchkey/core'
import { oidc } from '@latchkey/core/providers/oidc'
import { Browser } from '@latchkey/testing/browser'
import { createIssuer } from '@latchkey/testing/issuer'
import type { Issuer } from '@latchkey/testing/issuer'
import { kvCache } from '@latchkey/durable-objects/kv'
import type { KvCacheOptions, KvNamespace } from '@latchkey/durable-objects/kv'
import { expect, test } from 'vitest'

const serviceUrl = 'https://app.example'
const client = { clientId: 'client-id', clientSecret: 'hush' }

test('an isolate that starts takes metadata and keys from KV', async () => {
  const issuer = createNewIssuer()
  for (let i = 0; i < 3; i++) expect(await signIn(issuer)).toBe('signed in')
  expect(count(issuer)).toEqual([1, 1])
})

test('a key that KV does not have yet is fetched from the issuer', async () => {
  const issuer = createNewIssuer()
  expect(await signIn(issuer)).toBe('signed in')
  issuer.rotateKeys()
  expect(await signIn(issuer)).toBe('signed in')
  expect(count(issuer)).toEqual([1, 2])
})

test('the keys in KV begin with the prefix', async () => {
  const issuer = createNewIssuer()
  await signIn(issuer, env.KV, { prefix: 'staging ' })
  await signIn(issuer, env.KV, { prefix: 'production ' })
  expect(count(issuer)).toEqual([2, 2])
})

test('a namespace that fails is logged, and the issuer is asked', async () => {
  const issuer = createNewIssuer()
  for (let i = 0; i < 2; i++) {
    expect(await signIn(issuer, { get: fail, put: fail })).toBe('signed in')
  }
  expect(count(issuer)).toEqual([2, 2])
})

test('a missing binding is refused', () => {
  for (const namespace of [undefined, {}] as unknown as KvNamespace[]) {
    expect(() => kvCache(namespace)).toThrow('namespace: must be the binding of a KV namespace')
  }
})

function fail(): Promise<never> {
  return Promise.reject(new Error('KV GET failed: 503'))
}

/** Each test has its own issuer, and so its own keys in KV. */
function createNewIssuer(): Issuer {
  const issuer = `https://${crypto.randomUUID()}.example`
  return createIssuer({ ...client, algorithm: 'ES256', issuer })
}

function count(issuer: Issuer): readonly [discovery: number, jwks: number] {
  return [issuer.countRequests('discovery'), issuer.countRequests('jwks')]
}

/** Signs in at a service that has just started. */
async function signIn(
  issuer: Issuer,
  namespace: KvNamespace = env.KV,
  options?: KvCacheOptions,
): Promise<string> {
  const { handle } = createAuth({
    serviceUrl,
    secret: 'a secret of these tests, which is long enough',
    providers: [oidc({ id: 'op', name: 'Provider', issuer: issuer.issuer, ...client })],
    metadataCache: kvCache(namespace, options),
    logger: { error: () => undefined, warn: () => undefined },
    runtime: { fetch: issuer.fetch },
  })
  const browser = new Browser(handle, `${serviceUrl}/api/auth`)
  const away = await browser.submit('/signin/op')
  await browser.visit(issuer.authorize(new URL(away.headers.get('location') ?? '')).href)
  return 'user' in ((await browser.json('/session')) as object) ? 'signed in' : 'signed out'
}
