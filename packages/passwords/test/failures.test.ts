import type { Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { createTestClock } from '@latchkey/testing'
import type { Browser } from '@latchkey/testing'
import { describe, expect, test } from 'vitest'
import {
  alice,
  ask,
  change,
  choose,
  getEmail,
  good,
  noLimits,
  other,
  register,
  reset,
  servePasswords,
  signIn,
} from './support/service.ts'
import type { PasswordService } from './support/service.ts'

const HOUR = 3_600_000
const unknown = 'nobody@example.com'
/** Serves Alice, with no other limits. Returns a browser that knows her. */
async function serveAlice(): Promise<PasswordService & { readonly known: Browser }> {
  const service = servePasswords({}, { limits: noLimits })
  const known = await register(service)
  await known.submit('/signout')
  return { ...service, known }
}

/** Tries wrong passwords in a new browser, and returns the status of the last attempt. */
async function fail(service: PasswordService, address: string, times: number): Promise<number> {
  const attacker = service.browse()
  let status = 0
  for (let i = 0; i < times; i++) {
    ;({ status } = await signIn(attacker, `a wrong password ${i}`, address))
  }
  return status
}

/** Returns the status of one attempt in a new browser. */
async function tryOnce(service: PasswordService, address: string): Promise<number> {
  return (await signIn(service.browse(), good, address)).status
}

describe('after a hundred failures (I-55.11)', () => {
  test.each([
    [alice, 302],
    [unknown, 401],
  ])('%s is refused until a day without an attempt has passed', async (address, status) => {
    const service = await serveAlice()
    expect(await fail(service, address, 100)).toBe(401)
    const refused = await signIn(service.browse(), good, address)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '86400'])
    for (let i = 0; i < 40; i++) {
      await service.clock.advance(23 * HOUR)
      expect([i, await tryOnce(service, address)]).toEqual([i, 429])
    }
    await service.clock.advance(24 * HOUR - 1000)
    expect(await tryOnce(service, address)).toBe(429)
    await service.clock.advance(24 * HOUR)
    expect(await tryOnce(service, address)).toBe(status)
  })

  test('another hundred can fail after that day, and then it is refused again', async () => {
    const service = await serveAlice()
    expect(await fail(service, alice, 101)).toBe(429)
    await service.clock.advance(24 * HOUR)
    expect(await fail(service, alice, 100)).toBe(401)
    expect(await tryOnce(service, alice)).toBe(429)
  })

  test('a browser that knows the name signs in, and that ends nothing elsewhere', async () => {
    const service = await serveAlice()
    await fail(service, alice, 50)
    expect((await signIn(service.known, good)).status).toBe(302)
    expect(await fail(service, alice, 50)).toBe(401)
    expect(await tryOnce(service, alice)).toBe(429)
    await service.clock.advance(HOUR)
    expect((await signIn(service.known, good)).status).toBe(302)
    expect(await tryOnce(service, alice)).toBe(429)
  })

  test('a success in a new browser takes only its own attempt back', async () => {
    const service = await serveAlice()
    expect(await fail(service, alice, 99)).toBe(401)
    for (let i = 0; i < 3; i++) expect(await tryOnce(service, alice)).toBe(302)
    expect(await fail(service, alice, 1)).toBe(401)
    expect(await tryOnce(service, alice)).toBe(429)
  })

  test('a new password ends the refusal', async () => {
    const service = await serveAlice()
    expect(await fail(service, alice, 101)).toBe(429)
    await service.clock.advance(HOUR)
    await reset(service, other)
    expect((await signIn(service.browse(), other)).status).toBe(302)
  })

  test('failures are forgotten after thirty days', async () => {
    const service = await serveAlice()
    expect(await fail(service, alice, 99)).toBe(401)
    await service.clock.advance(30 * 24 * HOUR)
    expect(await fail(service, alice, 100)).toBe(401)
  })
})

test('an attempt leaves no row for more than thirty days, whether or not the name exists', async () => {
  const memory = memoryStorage()
  const clock = createTestClock(1_800_000_000_000)
  const lifetimes: number[] = []
  const storage: Storage = {
    ...memory,
    increment: (key, window, ...rest) => {
      lifetimes.push(window)
      return memory.increment?.(key, window, ...rest) ?? Promise.reject(new Error('missing'))
    },
    createRevocation: async (revocation) => {
      lifetimes.push(revocation.expires - clock.runtime.now() / 1000)
      await memory.createRevocation?.(revocation)
    },
  }
  const service = servePasswords({}, { storage, runtime: clock.runtime, limits: noLimits })
  await register(service)
  lifetimes.length = 0
  for (const address of [alice, unknown]) {
    expect(await fail({ ...service, clock }, address, 101)).toBe(429)
  }
  expect(lifetimes.length).toBeGreaterThan(200)
  expect(Math.max(...lifetimes)).toBe(30 * 86_400)
})

describe('a new password makes every browser unknown but its own (I-55.11)', () => {
  /** Returns whether a browser can sign in while new ones are refused. */
  async function isKnown(browser: Browser): Promise<boolean> {
    return (await signIn(browser, other)).status === 302
  }

  test('that was chosen by a link', async () => {
    const service = await serveAlice()
    const chosen = service.browse()
    await reset(service, other, chosen)
    await chosen.submit('/signout')
    expect(await fail(service, alice, 101)).toBe(429)
    expect(await isKnown(service.known)).toBe(false)
    expect(await isKnown(chosen)).toBe(true)
    expect(await isKnown(chosen)).toBe(true)
  })

  test('that was changed in a session', async () => {
    const service = await serveAlice()
    const { known } = service
    await signIn(known, good)
    const second = service.browse()
    await signIn(second, good)
    await second.submit('/signout')
    expect((await change(known, other)).status).toBe(303)
    expect(await getEmail(known)).toBe(alice)
    await known.submit('/signout')
    expect(await fail(service, alice, 101)).toBe(429)
    expect(await isKnown(second)).toBe(false)
    expect(await isKnown(known)).toBe(true)
  })

  test('for the limit of emails too', async () => {
    const service = await serveAlice()
    await reset(service, other)
    for (let i = 0; i < 5; i++) await ask(service.browse(), 'forgot')
    expect((await ask(service.known, 'forgot')).status).toBe(429)
    await service.clock.advance(HOUR)
    await signIn(service.known, other)
    for (let i = 0; i < 6; i++) await ask(service.browse(`192.0.2.${i + 2}`), 'forgot')
    expect((await ask(service.known, 'forgot')).status).toBe(302)
  })

  test('and it is known from the next sign-in on', async () => {
    const service = await serveAlice()
    const { known } = service
    await reset(service, other)
    await signIn(known, other)
    await known.submit('/signout')
    expect(await fail(service, alice, 101)).toBe(429)
    expect(await isKnown(known)).toBe(true)
  })

  test('a browser that has registered is known', async () => {
    const service = await serveAlice()
    const browser = service.browse()
    await ask(browser, 'register', unknown)
    await choose(browser, await service.mailbox.linkTo(unknown), good)
    await browser.submit('/signout')
    expect(await fail(service, unknown, 101)).toBe(429)
    expect((await signIn(browser, good, unknown)).status).toBe(302)
  })
})
