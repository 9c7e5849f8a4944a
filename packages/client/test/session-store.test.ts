import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { eventually } from './support/eventually.ts'
import { alice, fakePage, settled } from './support/fake-page.ts'
import type { FakePage } from './support/fake-page.ts'

const HOUR = 3_600_000
const bob = { ...alice, user: { ...alice.user, id: '2', name: 'Bob' } }

let page: FakePage
beforeEach(() => {
  page = fakePage()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** A client that is read by somebody, and has its first answer. */
async function watched(
  first: unknown = alice,
  options: Parameters<FakePage['client']>[0] = {},
): Promise<ReturnType<FakePage['client']>> {
  const client = page.client(options)
  client.subscribe(() => undefined)
  await page.answer(first)
  return client
}

const later = async (milliseconds: number): Promise<void> => {
  vi.advanceTimersByTime(milliseconds)
  await settled()
}

describe('reading', () => {
  test('nothing is asked before somebody wants to know', () => {
    expect(page.client().getSnapshot()).toEqual({
      status: 'loading',
      session: null,
      error: undefined,
    })
    expect(page.asked).toEqual([])
  })

  test('one request for many readers', async () => {
    const client = page.client()
    client.subscribe(() => undefined)
    client.subscribe(() => undefined)
    const readings = [client.getSession(), client.getSession()]
    await page.answer(alice)
    expect(await Promise.all(readings)).toEqual([alice, alice])
    expect(page.asked.map(({ path }) => path)).toEqual(['/api/auth/session'])
  })

  test('a session that the page came with is not asked for', () => {
    const client = page.client({ session: alice })
    client.subscribe(() => undefined)
    expect(client.getSnapshot()).toMatchObject({ status: 'authenticated', session: alice })
    const signedOut = page.client({ session: null })
    signedOut.subscribe(() => undefined)
    expect(signedOut.getSnapshot().status).toBe('unauthenticated')
    expect(page.asked).toEqual([])
  })

  test('the snapshot is the same object until the session changes', async () => {
    const client = page.client()
    const listener = vi.fn()
    client.subscribe(listener)
    await page.answer(alice)
    const before = client.getSnapshot()
    await later(2000)
    page.send('focus')
    await page.answer(structuredClone(alice))
    expect(client.getSnapshot()).toBe(before)
    expect(listener).toHaveBeenCalledTimes(1)
  })

  test('a slow answer does not overwrite a newer one', async () => {
    const client = await watched()
    await later(2000)
    const slow = client.getSession()
    const old = page.asked.at(-1)
    const out = client.signOut({ redirect: false })
    await page.answer({ csrfToken: 'token' })
    await page.answer({ url: 'https://app.example/' })
    await out
    await old?.answer(alice)
    expect(client.getSnapshot().status).toBe('unauthenticated')
    expect(await slow).toBeNull()
  })

  test('a listener that has left hears nothing, and the last one ends it all', async () => {
    const client = page.client({ refetchInterval: 10 })
    const listener = vi.fn()
    const stops = [client.subscribe(listener), client.subscribe(() => listener())]
    await page.answer(alice)
    expect(listener).toHaveBeenCalledTimes(2)
    for (const stop of [...stops, ...stops]) stop()
    await later(HOUR)
    for (const type of ['focus', 'visibilitychange', 'online']) page.send(type)
    expect(page.asked).toHaveLength(1)
  })
})

describe('listening again', () => {
  test('at once changes nothing: that is how StrictMode does it', async () => {
    const client = page.client({ session: alice })
    client.subscribe(() => undefined)()
    client.subscribe(() => undefined)
    expect(page.asked).toEqual([])
  })

  test('after a while reads: nobody has heard what happened', async () => {
    const client = await watched()
    const stop = client.subscribe(() => undefined)
    stop()
    const other = page.client({ session: alice })
    other.subscribe(() => undefined)()
    await later(2000)
    other.subscribe(() => undefined)
    expect(page.asked).toHaveLength(2)
  })
})

describe('a service that does not answer', () => {
  test.each([
    ['503', 'down for maintenance', 503, 'Unavailable'],
    ['the service’s own refusal', { error: 'Unavailable', message: 'x' }, 503, 'Unavailable'],
    ['null', null, 200, 'Unavailable'],
    ['a page in the place of the session', '<!doctype html>', 200, 'Unavailable'],
    ['a wrong address', 'Not Found', 404, 'Default'],
  ])('%s keeps the session and says so', async (_what, body, status, error) => {
    const client = await watched()
    await later(2000)
    page.send('focus')
    await page.answer(body, status)
    expect(client.getSnapshot()).toEqual({ status: 'authenticated', session: alice, error })
    await later(2000)
    await page.answer(alice)
    expect(client.getSnapshot().error).toBeUndefined()
  })

  test('at the first reading nothing is known, and that is not "signed out"', async () => {
    const client = page.client()
    client.subscribe(() => undefined)
    await page.asked.at(-1)?.fail()
    expect(client.getSnapshot()).toEqual({ status: 'loading', session: null, error: 'Unavailable' })
  })

  test('it is asked again after 2, 4, 8 … seconds, at most every five minutes', async () => {
    page.client().subscribe(() => undefined)
    const waits: number[] = []
    for (let tries = 0; tries < 11; tries++) {
      await page.answer('down', 503)
      const before = page.asked.length
      const failedAt = Date.now()
      while (page.asked.length === before) await later(1000)
      waits.push((Date.now() - failedAt) / 1000)
    }
    expect(waits).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
  })

  test('getSession rejects rather than saying that nobody is signed in', async () => {
    const reading = page.client().getSession()
    const rejected = expect(reading).rejects.toMatchObject({ error: 'Unavailable', status: 503 })
    await page.answer('down', 503)
    await rejected
  })

  test('a request that takes longer than thirty seconds is given up', async () => {
    vi.useRealTimers()
    const timeout = vi.spyOn(AbortSignal, 'timeout')
    void page
      .client()
      .getSession()
      .catch(() => undefined)
    expect(timeout).toHaveBeenCalledWith(30_000)
  })
})

describe('reading again', () => {
  test.each(['focus', 'visibilitychange', 'online'])('at %s', async (type) => {
    const client = await watched()
    await later(2000)
    page.send(type)
    page.send(type)
    await page.answer(bob)
    expect(client.getSnapshot().session).toEqual(bob)
    expect(page.asked).toHaveLength(2)
  })

  test('not while hidden, not twice in a second, not where it is switched off', async () => {
    const client = await watched()
    page.send('focus')
    await later(2000)
    page.document.hidden = true
    page.send('visibilitychange')
    page.document.hidden = false
    client.configure({ refetchOnWindowFocus: false })
    page.send('focus')
    expect(page.asked).toHaveLength(1)
  })

  test('when the session ends', async () => {
    const client = await watched()
    await later(HOUR)
    expect(page.asked).toHaveLength(1)
    await later(1000)
    await page.answer({})
    expect(client.getSnapshot().status).toBe('unauthenticated')
    await later(48 * HOUR)
    expect(page.asked).toHaveLength(2)
  })

  test('when a session ends that the page came with', async () => {
    const client = page.client({ session: alice })
    client.subscribe(() => undefined)
    await later(HOUR + 1000)
    await page.answer({})
    expect(client.getSnapshot().status).toBe('unauthenticated')
  })

  test('when a session ends that lasts longer than timers do', async () => {
    await watched({ ...alice, expires: new Date(Date.now() + 60 * 24 * HOUR).toISOString() })
    await later(60 * 24 * HOUR)
    expect(page.asked).toHaveLength(1)
    await later(1000)
    expect(page.asked).toHaveLength(2)
  })

  test('where the clock is fast: every minute, not all the time', async () => {
    await watched({ ...alice, expires: '2025-12-31T00:00:00.000Z' })
    await later(59_000)
    expect(page.asked).toHaveLength(1)
    await later(1000)
    expect(page.asked).toHaveLength(2)
  })

  test('never by itself where the session does not say its end', async () => {
    await watched({ user: { id: '1' } })
    await later(100 * 24 * HOUR)
    expect(page.asked).toHaveLength(1)
  })

  test('by refetchInterval, as long as there is a session', async () => {
    await watched(alice, { refetchInterval: 60 })
    await later(60_000)
    await page.answer(alice)
    await later(60_000)
    await page.answer({})
    expect(page.asked).toHaveLength(3)
    await later(HOUR)
    expect(page.asked).toHaveLength(3)
  })

  test('by another refetchInterval from now on', async () => {
    const client = await watched()
    client.configure({ refetchInterval: 60 })
    await later(60_000)
    expect(page.asked).toHaveLength(2)
  })

  test('offline too, unless refetchWhenOffline is false; and then as soon as it is over', async () => {
    const client = await watched(alice, { refetchInterval: 60 })
    vi.stubGlobal('navigator', { onLine: false })
    await later(60_000)
    await page.answer(alice)
    client.configure({ refetchInterval: 60, refetchWhenOffline: false })
    await later(HOUR)
    expect(page.asked).toHaveLength(2)
    page.send('online')
    await page.answer(alice)
    vi.stubGlobal('navigator', { onLine: true })
    await later(60_000)
    expect(page.asked).toHaveLength(4)
  })
})

describe('other tabs', () => {
  const tell = async (name: string, mark: string): Promise<void> => {
    const channel = new BroadcastChannel(name)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows
    channel.postMessage(mark)
    await settled()
    channel.close()
  }

  test('are told of a change, and ask for themselves', async () => {
    const first = await watched()
    const second = await watched()
    expect(page.asked).toHaveLength(2)
    const out = first.signOut({ redirect: false })
    await page.answer({ csrfToken: 'token' })
    await page.answer({ url: 'https://app.example/' })
    await out
    await eventually(() => expect(page.asked).toHaveLength(5))
    await page.answer({})
    expect(second.getSnapshot().status).toBe('unauthenticated')
    await settled()
    expect(page.asked).toHaveLength(5)
  })

  test('that know the same are left in peace', async () => {
    await watched()
    await watched()
    await watched()
    await settled()
    expect(page.asked).toHaveLength(3)
  })

  test('are told by a page that came with its session', async () => {
    const first = await watched({})
    page.client({ session: alice }).subscribe(() => undefined)
    await eventually(() => expect(page.asked).toHaveLength(2))
    await page.answer(alice)
    expect(first.getSnapshot().session).toEqual(alice)
  })

  test('that were told while they were asking ask once more', async () => {
    const client = page.client()
    client.subscribe(() => undefined)
    const first = page.asked.at(-1)
    await tell('latchkey /api/auth', 'another session')
    await eventually(() => expect(page.asked).toHaveLength(2))
    await page.answer({})
    await first?.answer(alice)
    expect(client.getSnapshot().status).toBe('unauthenticated')
  })

  test('that are told many times ask once, as when all of them are opened at once', async () => {
    page.client().subscribe(() => undefined)
    for (let tab = 0; tab < 10; tab++) await tell('latchkey /api/auth', 'the same session')
    await eventually(() => expect(page.asked).toHaveLength(2))
    await settled()
    expect(page.asked).toHaveLength(2)
  })

  test('that were told ask again when they are told again', async () => {
    await watched()
    for (let times = 2; times < 5; times++) {
      await tell('latchkey /api/auth', 'another session')
      await eventually(() => expect(page.asked).toHaveLength(times))
      await page.answer(alice)
    }
  })

  test('that were told do not tell in turn', async () => {
    const told: unknown[] = []
    const channel = new BroadcastChannel('latchkey /api/auth')
    channel.addEventListener('message', ({ data }) => told.push(data))
    await watched()
    await eventually(() => expect(told).toHaveLength(1))
    await tell('latchkey /api/auth', 'another session')
    await eventually(() => expect(page.asked).toHaveLength(2))
    await page.answer(bob)
    await settled()
    expect(told).toHaveLength(2)
    channel.close()
  })

  test('of another service hear nothing', async () => {
    await watched()
    await tell('latchkey /auth', 'another session')
    expect(page.asked).toHaveLength(1)
  })

  test('are told by the event storage where there is no BroadcastChannel', async () => {
    vi.stubGlobal('BroadcastChannel', undefined)
    const stored: string[] = []
    vi.stubGlobal('localStorage', {
      setItem: (key: string, value: string) => stored.push(`${key} = ${value}`),
      removeItem: (key: string) => stored.push(`${key} removed`),
    })
    await watched()
    expect(stored).toEqual([
      expect.stringMatching(/^latchkey \/api\/auth = -?\d+$/),
      'latchkey /api/auth removed',
    ])
    const event = (values: object): Event => Object.assign(new Event('storage'), values)
    page.window.dispatchEvent(event({ key: 'other', newValue: '1' }))
    page.window.dispatchEvent(event({ key: 'latchkey /api/auth', newValue: null }))
    expect(page.asked).toHaveLength(1)
    page.window.dispatchEvent(event({ key: 'latchkey /api/auth', newValue: '1' }))
    expect(page.asked).toHaveLength(2)
  })

  test('are not told where even storage is switched off, and nothing breaks', async () => {
    vi.stubGlobal('BroadcastChannel', undefined)
    vi.stubGlobal('localStorage', undefined)
    expect((await watched()).getSnapshot().session).toEqual(alice)
  })
})

describe('on a server', () => {
  test('there is nothing to watch, and nothing is asked', () => {
    vi.stubGlobal('document', undefined)
    const client = page.client()
    const stop = client.subscribe(() => undefined)
    expect(page.asked).toEqual([])
    stop()
  })
})
