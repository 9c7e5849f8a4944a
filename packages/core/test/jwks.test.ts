import { createTestClock } from '@latchkey/testing/clock'
import { describe, expect, test } from 'vitest'
import { createKeySet } from '../src/oauth/jwks.ts'
import type { JsonWebKeySet } from '../src/oauth/jwks.ts'
import type { IssuerDocuments, ProviderRuntime } from '../src/ports/runtime.ts'
import { random } from './support/service.ts'

const uri = 'https://issuer.example/jwks'

/** An issuer whose clock the test sets, and what it publishes. */
interface PublishedKeys {
  readonly runtime: ProviderRuntime
  /** The `Accept` headers of the requests. */
  readonly requests: string[]
  readonly wait: (seconds: number) => Promise<void>
  /** Publishes keys with these ids from now on. */
  readonly publish: (...kids: readonly string[]) => void
  /** Replaces the next answer. */
  readonly answerOnce: (answer: () => Promise<Response>) => void
}

function publishKeys(): PublishedKeys {
  const clock = createTestClock(1_800_000_000_000)
  const requests: string[] = []
  let published: readonly string[] = ['one']
  let once: (() => Promise<Response>) | undefined
  const fetch = async (_: string, init: RequestInit): Promise<Response> => {
    requests.push(new Headers(init.headers).get('accept') ?? '')
    const answer = once
    once = undefined
    return answer?.() ?? Response.json({ keys: published.map((kid) => ({ kty: 'EC', kid })) })
  }
  const isLocal = (): boolean => false
  const within = async <T>(work: Promise<T>): Promise<T> => work
  return {
    runtime: { ...clock.runtime, random, fetch, fetchInsecure: fetch, isLocal, within },
    requests,
    wait: (seconds) => clock.advance(seconds * 1000),
    publish: (...kids) => (published = kids),
    answerOnce: (answer) => (once = answer),
  }
}

/** Verifies tokens whose keys are known by their ids; returns whether that succeeds. */
function createVerify({
  runtime,
}: PublishedKeys): (kid: string, isForged?: boolean) => Promise<boolean> {
  const keys = createKeySet()
  return async (kid, isForged = false) => {
    const check = async (jwks: JsonWebKeySet): Promise<void> => {
      const found = jwks.keys.some((key) => (key as { readonly kid?: string }).kid === kid)
      if (isForged || !found) throw new Error(isForged ? 'forged' : 'unknown')
    }
    return keys.verify(uri, runtime, check, { kid }).then(
      () => true,
      () => false,
    )
  }
}

describe('the keys of an issuer (I-24)', () => {
  test('are requested as JSON', async () => {
    const issuer = publishKeys()
    expect(await createVerify(issuer)('one')).toBe(true)
    expect(issuer.requests).toEqual(['application/json, application/jwk-set+json'])
  })

  test('that verify nothing replace no keys that do', async () => {
    const issuer = publishKeys()
    const verify = createVerify(issuer)
    expect(await verify('one')).toBe(true)
    issuer.publish('two')
    expect(await verify('three')).toBe(false)
    expect(issuer.requests).toHaveLength(2)
    // A token of the first key is still in flight.
    expect(await verify('one')).toBe(true)
    expect(issuer.requests).toHaveLength(2)
  })

  test('are known by the ids of all that are kept: neither of them forces a second fetch', async () => {
    const issuer = publishKeys()
    const verify = createVerify(issuer)
    expect(await verify('one')).toBe(true)
    issuer.publish('two')
    expect(await verify('three')).toBe(false)
    await issuer.wait(6)
    for (const kid of ['one', 'two']) expect(await verify(kid, true)).toBe(false)
    expect(issuer.requests).toHaveLength(2)
    expect(await verify('four')).toBe(false)
    expect(issuer.requests).toHaveLength(3)
  })

  test('are fetched once for concurrent sign-ins, which counts once', async () => {
    const issuer = publishKeys()
    const verify = createVerify(issuer)
    expect(await verify('one')).toBe(true)
    for (const [kid, fetches] of [
      ['two', 2],
      ['three', 3],
    ] as const) {
      issuer.publish(kid)
      const both = Promise.all([verify(kid), verify(kid)])
      await issuer.wait(1)
      expect(await both).toEqual([true, true])
      expect(issuer.requests).toHaveLength(fetches)
      await issuer.wait(6)
    }
  })

  test('are fetched by two forced requests a minute, and a failure does not count', async () => {
    const issuer = publishKeys()
    const verify = createVerify(issuer)
    expect(await verify('one')).toBe(true)
    const counts: number[] = []
    for (const isFailure of [false, true, false, false]) {
      if (isFailure) issuer.answerOnce(async () => new Response('', { status: 500 }))
      expect(await verify('unknown')).toBe(false)
      counts.push(issuer.requests.length)
      await issuer.wait(6)
    }
    expect(counts).toEqual([2, 3, 4, 4])
  })

  test('are fetched again after a request that the host has cancelled, with the same limits', async () => {
    const issuer = publishKeys()
    const verify = createVerify(issuer)
    expect(await verify('one')).toBe(true)
    issuer.answerOnce(() => new Promise(() => undefined))
    void verify('two')
    issuer.publish('two')
    await issuer.wait(6)
    const later = verify('two')
    await issuer.wait(1)
    expect([await later, issuer.requests.length]).toEqual([true, 3])
    expect(await verify('two', true)).toBe(false)
    expect(issuer.requests).toHaveLength(3)
  })

  test('are fetched by the first sign-in that the host lets finish, and then for a new key', async () => {
    const issuer = publishKeys()
    const verify = createVerify(issuer)
    for (let cancelled = 0; cancelled < 2; cancelled++) {
      issuer.answerOnce(() => new Promise(() => undefined))
      void verify('one')
      await issuer.wait(6)
    }
    const finished = verify('one')
    await issuer.wait(1)
    expect([await finished, issuer.requests.length]).toEqual([true, 3])
    issuer.publish('two')
    await issuer.wait(6)
    expect([await verify('two'), issuer.requests.length]).toEqual([true, 4])
  })

  test('are tried once with a token that none of them verifies', async () => {
    const issuer = publishKeys()
    const keys = createKeySet()
    const counts: number[] = []
    for (let token = 0; token < 3; token++) {
      let checks = 0
      const check = async (): Promise<void> => {
        checks += 1
        throw new Error('forged')
      }
      await expect(keys.verify(uri, issuer.runtime, check, { kid: 'one' })).rejects.toThrow()
      counts.push(checks)
    }
    // The second token forces a fetch, the third cannot.
    expect([counts, issuer.requests.length]).toEqual([[1, 2, 1], 2])
  })

  test('that another process has fetched are kept, although the first token is forged', async () => {
    const issuer = publishKeys()
    let stored: string | undefined = JSON.stringify({ keys: [{ kty: 'EC', kid: 'one' }] })
    const documents: IssuerDocuments = {
      get: async (_, read) =>
        stored === undefined
          ? undefined
          : { value: await read(stored), fetchedAt: issuer.runtime.now() / 1000 },
      set: async () => undefined,
    }
    const verify = createVerify({ ...issuer, runtime: { ...issuer.runtime, documents } })
    const fail = async (): Promise<Response> => new Response('', { status: 500 })
    issuer.answerOnce(fail)
    expect(await verify('one', true)).toBe(false)
    stored = undefined
    issuer.answerOnce(fail)
    expect([await verify('one'), issuer.requests.length]).toEqual([true, 1])
  })
})
