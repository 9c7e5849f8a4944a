import { oidc } from '@latchkey/core/providers/oidc'
import { createTestClock } from '@latchkey/testing/clock'
import { createIssuer } from '@latchkey/testing/issuer'
import { signInAtIssuer } from '@latchkey/testing/issuer-sign-in'
import { expect, test } from 'vitest'
import { getRedirect, serve } from '../../core/test/support/service.ts'

/** Takes threads at least a few turns of the event loop. */
const generateKey = (): Promise<unknown> =>
  crypto.subtle.generateKey(
    {
      name: 'RSASSA-PKCS1-v1_5',
      modulusLength: 2048,
      publicExponent: Uint8Array.of(1, 0, 1),
      hash: 'SHA-256',
    },
    false,
    ['sign', 'verify'],
  )

test('settle does not move the clock while WebCrypto is busy', async () => {
  const clock = createTestClock()
  let isLate = false
  clock.runtime.schedule(10_000, () => (isLate = true))
  await clock.settle(generateKey().then(generateKey))
  expect([isLate, clock.runtime.monotonic()]).toEqual([false, 0])
})

test('settle jumps to the next call if work waits for it, after WebCrypto too', async () => {
  const clock = createTestClock()
  const wait = (): Promise<void> =>
    new Promise((resolve) => clock.runtime.schedule(10_000, resolve))
  await clock.settle(generateKey().then(wait).then(generateKey).then(wait))
  expect(clock.runtime.monotonic()).toBe(20_000)
})

test('advance makes a call before the next one, which its work schedules with WebCrypto', async () => {
  const clock = createTestClock()
  const calls: number[] = []
  const note = (): unknown => calls.push(clock.runtime.monotonic())
  clock.runtime.schedule(1000, () => {
    note()
    void generateKey().then(() => clock.runtime.schedule(1000, note))
  })
  clock.runtime.schedule(5000, note)
  await clock.advance(6000)
  expect(calls).toEqual([1000, 2000, 5000])
})

test.each(['hang', 'endless'] as const)(
  'a response of the test issuer (%s) leaves the clock where its request is given up',
  async (fault) => {
    const clock = createTestClock()
    const client = { clientId: 'client', clientSecret: 'kept secret' }
    const { now } = clock.runtime
    const issuer = createIssuer({ ...client, algorithm: 'ES256', now, advance: clock.advance })
    const { browse } = serve({
      providers: [oidc({ id: 'op', name: 'Provider', issuer: issuer.issuer, ...client })],
      runtime: { ...clock.runtime, fetch: issuer.fetch },
    })
    issuer.vary({ responses: { token: fault } })
    const response = await signInAtIssuer(browse(), issuer)
    expect(getRedirect(response).error).toBe('OAuthCallback')
    for (let turn = 0; turn < 5; turn++) await clock.advance(0)
    expect(clock.runtime.monotonic()).toBe(10_000)
  },
)
