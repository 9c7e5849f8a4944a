import type { Storage } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { deliverEvents } from '@latchkey/core/outbox'
import type { OutboxEvent } from '@latchkey/core/outbox'
import { Browser } from '@latchkey/testing/browser'
import { createTestClock } from '@latchkey/testing/clock'
import { describe, expect, test } from 'vitest'
import { breakableStorage } from './support/breakable.ts'
import { serveOutbox, toTypes } from './support/outbox.ts'
import type { OutboxService } from './support/outbox.ts'
import { base, signIn } from './support/service.ts'

const DAY = 86_400
/** Seconds that a batch is leased for: five events, each 13 s for its delivery and 10 s for the storage. */
const LEASE = 115

/** Ends a session of a user: one event. */
const revoke = ({ auth }: Pick<OutboxService, 'auth'>): Promise<void> =>
  auth.sessions.revokeAll('ada')

/** Stores events as `createAuth` does, in another process that ends before it delivers them. */
async function storeEvents(storage: Storage, count: number): Promise<void> {
  const names = ['revokeSession'] as const
  const { auth } = serveOutbox({
    storage: { ...storage, takeEvents: async () => [] },
    names,
  })
  for (let n = 0; n < count; n++) await auth.sessions.revokeAll(`user ${n}`)
}

/** Lets what a call has begun in the background continue. */
async function letDeliver(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}

describe('an event is delivered after the reply (I-60.6)', () => {
  test('a request does not wait for it, and the host is kept alive until then', async () => {
    let finish: () => void = () => undefined
    const kept: Promise<unknown>[] = []
    const service = serveOutbox({
      deliver: () => new Promise<void>((resolve) => (finish = resolve)),
    })
    const waitUntil = (promise: Promise<unknown>): void => void kept.push(promise)
    const browser = new Browser((request) => service.auth.handle(request, { waitUntil }), base)
    expect((await signIn(browser)).status).toBe(302)
    expect(kept).toHaveLength(1)
    expect(service.delivered).toEqual([])
    for (let n = 1; n <= 3; n++) {
      await letDeliver()
      finish()
      await expect.poll(() => service.delivered.length).toBe(n)
    }
    await Promise.all(kept)
    expect(toTypes(service.delivered)).toEqual(['createUser', 'linkAccount', 'signIn'])
  })

  test('without waitUntil too, and if waitUntil throws', async () => {
    const service = serveOutbox()
    await signIn(service.browse())
    await expect.poll(() => service.delivered.length).toBe(3)
    const waitUntil = (): never => {
      throw new Error('the request has ended')
    }
    await signIn(new Browser((request) => service.auth.handle(request, { waitUntil }), base))
    await expect.poll(() => service.delivered.length).toBe(4)
    expect(service.lines).toMatchObject([{ level: 'error', message: 'waitUntil threw' }])
  })

  test('a request is answered if the outbox cannot be read', async () => {
    const { storage, fail } = breakableStorage()
    const service = serveOutbox({ storage })
    fail(['takeEvents'])
    expect((await signIn(service.browse())).headers.get('location')).toBe('https://app.example')
    await letDeliver()
    expect(service.lines).toMatchObject([
      { level: 'error', message: 'the outbox could not be read' },
    ])
    await expect(deliverEvents(service.auth)).rejects.toMatchObject({ code: 'Unavailable' })
    fail([])
    expect(await deliverEvents(service.auth)).toEqual({ delivered: 3, failed: 0 })
  })

  test('it is deleted then, and not delivered again', async () => {
    const service = serveOutbox()
    await revoke(service)
    expect(await service.flush()).toHaveLength(1)
    service.wait(31 * DAY)
    expect(await deliverEvents(service.auth)).toEqual({ delivered: 0, failed: 0 })
    expect(service.lines).toEqual([])
  })
})

describe('deliverEvents', () => {
  test('delivers all events that are due, the earliest first', async () => {
    const storage = memoryStorage()
    await storeEvents(storage, 23)
    const service = serveOutbox({ storage })
    expect(await deliverEvents(service.auth)).toEqual({ delivered: 23, failed: 0 })
    const users = service.delivered.map(({ data }) => 'userId' in data && data.userId)
    expect(users).toEqual(Array.from({ length: 23 }, (_, n) => `user ${n}`))
    expect(await deliverEvents(service.auth)).toEqual({ delivered: 0, failed: 0 })
  })

  test('in two processes at the same time delivers each event once', async () => {
    const storage = memoryStorage()
    await storeEvents(storage, 40)
    const deliver = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
    const services = [serveOutbox({ storage, deliver }), serveOutbox({ storage, deliver })]
    await Promise.all(services.map(({ auth }) => deliverEvents(auth)))
    const counts = services.map(({ delivered }) => delivered.length)
    expect(Math.min(...counts)).toBeGreaterThan(5)
    const ids = services.flatMap(({ delivered }) => delivered.map(({ id }) => id))
    expect([ids.length, new Set(ids).size]).toEqual([40, 40])
  })

  test('takes no more events after `seconds`', async () => {
    const storage = memoryStorage()
    await storeEvents(storage, 12)
    const clock = createTestClock()
    const deliver = (): Promise<void> => clock.advance(1000)
    const service = serveOutbox({ storage, deliver, runtime: clock.runtime })
    expect(await deliverEvents(service.auth, { seconds: 7 })).toEqual({ delivered: 10, failed: 0 })
    expect(await deliverEvents(service.auth)).toEqual({ delivered: 2, failed: 0 })
  })

  test('delivers what a process has left, after its lease and under the same id', async () => {
    const storage = memoryStorage()
    const ended = serveOutbox({
      storage,
      // The process ends during the delivery.
      deliver: (event) => {
        ids.push(event.id)
        return new Promise(() => undefined)
      },
      names: ['revokeSession'],
    })
    const ids: string[] = []
    await revoke(ended)
    await expect.poll(() => ids.length).toBe(1)
    const service = serveOutbox({ storage })
    service.wait(LEASE - 2)
    expect(await deliverEvents(service.auth)).toEqual({ delivered: 0, failed: 0 })
    service.wait(3)
    expect(await deliverEvents(service.auth)).toEqual({ delivered: 1, failed: 0 })
    expect(service.delivered.map(({ id }) => id)).toEqual(ids)
    expect(service.deliveries.map(({ attempt }) => attempt)).toEqual([2])
  })
})

describe('a delivery that fails (I-60.8)', () => {
  /** Serves with a receiver that fails until it is repaired. */
  function serveFailing(error: () => unknown = () => new Error('503')): {
    readonly service: OutboxService
    readonly attempts: OutboxEvent[]
    readonly repair: () => void
  } {
    const attempts: OutboxEvent[] = []
    let isBroken = true
    const service = serveOutbox({
      deliver: (event) => {
        attempts.push(event)
        if (isBroken) throw error()
      },
    })
    return { service, attempts, repair: () => void (isBroken = false) }
  }

  test('is repeated with growing waits and the same event, until it succeeds', async () => {
    const { service, attempts, repair } = serveFailing()
    await revoke(service)
    await service.flush()
    expect(attempts).toHaveLength(1)
    for (const [n, most] of [5, 20, 80, 320, 1280, 5120, 20_480, 21_600, 21_600].entries()) {
      service.wait(most / 2 - 2)
      await deliverEvents(service.auth)
      expect(attempts, `before half of ${most} s`).toHaveLength(n + 1)
      service.wait(most / 2 + 2)
      await deliverEvents(service.auth)
      expect(attempts, `after ${most} s`).toHaveLength(n + 2)
    }
    repair()
    service.wait(21_600)
    expect(await deliverEvents(service.auth)).toEqual({ delivered: 1, failed: 0 })
    expect(new Set(attempts.map((event) => JSON.stringify(event))).size).toBe(1)
    expect(service.deliveries[0]?.attempt).toBe(11)
  })

  test('is logged with the event and its cause, without the payload', async () => {
    const { service } = serveFailing(() => new Error('receiver said token=raw-secret-value'))
    await revoke(service)
    await service.flush()
    expect(service.lines).toEqual([
      {
        level: 'warn',
        message: 'an event was not delivered',
        details: {
          event: expect.stringMatching(/^[\da-f-]{36}$/),
          attempts: 1,
          retryAfter: expect.any(Number),
          causes: [expect.stringContaining('receiver said')],
        },
      },
    ])
    // The random id may have any letters to f.
    const logged = JSON.stringify(service.lines).replace(/[\da-f-]{36}/, '')
    expect(logged).not.toMatch(/ada|raw-secret-value/)
  })

  test('does not delay the other events', async () => {
    const storage = memoryStorage()
    await storeEvents(storage, 8)
    const service = serveOutbox({
      storage,
      deliver: ({ data }) => {
        if ('userId' in data && data.userId === 'user 2') throw new Error('400')
      },
    })
    expect(await deliverEvents(service.auth)).toEqual({ delivered: 7, failed: 1 })
  })

  test('ends deliverEvents if a whole batch fails', async () => {
    const storage = memoryStorage()
    await storeEvents(storage, 12)
    const service = serveOutbox({
      storage,
      deliver: () => Promise.reject(new Error('connect ECONNREFUSED')),
    })
    expect(await deliverEvents(service.auth)).toEqual({ delivered: 0, failed: 5 })
  })

  test('by time: timeouts.callback, of the clock of the service', async () => {
    const clock = createTestClock()
    const storage = memoryStorage()
    await storeEvents(storage, 1)
    const service = serveOutbox({
      storage,
      deliver: () => new Promise(() => undefined),
      runtime: clock.runtime,
    })
    const result = await clock.settle(deliverEvents(service.auth))
    expect(result).toEqual({ delivered: 0, failed: 1 })
    expect(service.lines[0]?.details.causes).toEqual(['Error: no answer within 13 seconds'])
  })

  test('of an event that was taken again meanwhile changes nothing', async () => {
    const storage = memoryStorage()
    await storeEvents(storage, 1)
    let fail: (error: Error) => void = () => undefined
    const slow = serveOutbox({
      storage,
      deliver: () => new Promise((_, reject) => (fail = reject)),
    })
    const slowly = deliverEvents(slow.auth)
    await letDeliver()
    const other = serveOutbox({ storage, deliver: () => Promise.reject(new Error('503')) })
    other.wait(LEASE)
    expect(await deliverEvents(other.auth)).toEqual({ delivered: 0, failed: 1 })
    fail(new Error('503'))
    await slowly
    // The wait after the second attempt, which is 10 s at least, still applies.
    other.wait(9)
    expect(await deliverEvents(other.auth)).toEqual({ delivered: 0, failed: 0 })
    other.wait(12)
    expect(await deliverEvents(other.auth)).toEqual({ delivered: 0, failed: 1 })
  })
})

describe('an event that is not delivered within 30 days (I-60.9)', () => {
  test('is deleted with a line in the log', async () => {
    const service = serveOutbox({ deliver: () => Promise.reject(new Error('503')) })
    await revoke(service)
    await service.flush()
    service.wait(30 * DAY - 2)
    expect(await deliverEvents(service.auth)).toEqual({ delivered: 0, failed: 1 })
    service.lines.length = 0
    service.wait(3)
    expect(await deliverEvents(service.auth)).toEqual({ delivered: 0, failed: 0 })
    const event = expect.stringMatching(/^[\da-f-]{36}$/)
    expect(service.lines).toEqual([
      { level: 'error', message: 'an event expired, undelivered', details: { event } },
    ])
    service.wait(DAY)
    expect(await deliverEvents(service.auth)).toEqual({ delivered: 0, failed: 0 })
    expect(service.lines).toHaveLength(1)
  })

  test('is deleted by requests too, once an hour', async () => {
    const calls: number[] = []
    const inner = memoryStorage()
    const storage: Storage = {
      ...inner,
      purgeEvents(limit, now) {
        calls.push(now)
        return inner.purgeEvents(limit, now)
      },
    }
    await storeEvents(inner, 150)
    const service = serveOutbox({ storage })
    service.wait(31 * DAY)
    await revoke(service)
    await expect.poll(() => service.lines.length).toBe(150)
    expect(calls).toHaveLength(2)
    await revoke(service)
    await letDeliver()
    expect(calls).toHaveLength(2)
    service.wait(3601)
    await revoke(service)
    await expect.poll(() => calls.length).toBe(3)
    expect(service.delivered).toHaveLength(3)
  })
})

test('ids are in the order of the events, also if the clock is set back', async () => {
  const start = Date.UTC(2026, 0, 1)
  let now = start
  const storage = memoryStorage()
  const service = serveOutbox({
    storage: { ...storage, takeEvents: async () => [] },
    runtime: { now: () => now },
  })
  for (let n = 0; n < 5000; n++) {
    if (n === 2000) now -= 60_000
    await revoke(service)
  }
  now = start + 60_000
  const events = await storage.takeEvents(9999, 60, Math.floor(now / 1000))
  const byUuid = events.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  expect(new Set(events.map(({ id }) => id)).size).toBe(5000)
  expect(Number.parseInt((byUuid[0]?.id ?? '').replaceAll('-', '').slice(0, 12), 16)).toBe(start)
  const back = byUuid.filter(({ createdAt }) => createdAt < Math.floor(start / 1000))
  expect(byUuid.slice(2000)).toEqual(back)
})
