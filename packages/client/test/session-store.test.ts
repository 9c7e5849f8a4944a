import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { alice, flushTasks, installFakePage } from './support/fake-page.ts'
import type { FakePage } from './support/fake-page.ts'
import { waitUntil } from './support/wait-until.ts'

const HOUR = 3_600_000
const bob = { ...alice, user: { ...alice.user, id: '2', name: 'Bob' } }

let page: FakePage
beforeEach(() => {
  page = installFakePage()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** Creates a client with a listener and a response to its first request. */
async function createWatchedClient(
  session: unknown = alice,
  options: Parameters<FakePage['createClient']>[0] = {},
): Promise<ReturnType<FakePage['createClient']>> {
  const client = page.createClient(options)
  client.subscribe(() => undefined)
  await page.respond(session)
  return client
}

const advance = async (milliseconds: number): Promise<void> => {
  vi.advanceTimersByTime(milliseconds)
  await flushTasks()
}

describe('reading', () => {
  test('creating a client sends no request', () => {
    expect(page.createClient().getSnapshot()).toEqual({
      status: 'loading',
      session: null,
      error: undefined,
    })
    expect(page.requests).toEqual([])
  })

  test('concurrent reads share one request', async () => {
    const client = page.createClient()
    client.subscribe(() => undefined)
    client.subscribe(() => undefined)
    const readings = [client.getSession(), client.getSession()]
    await page.respond(alice)
    expect(await Promise.all(readings)).toEqual([alice, alice])
    expect(page.requests.map(({ path }) => path)).toEqual(['/api/auth/session'])
  })

  test('a session that the page was rendered with is not requested', () => {
    const client = page.createClient({ session: alice })
    client.subscribe(() => undefined)
    expect(client.getSnapshot()).toMatchObject({ status: 'authenticated', session: alice })
    const signedOut = page.createClient({ session: null })
    signedOut.subscribe(() => undefined)
    expect(signedOut.getSnapshot().status).toBe('unauthenticated')
    expect(page.requests).toEqual([])
  })

  test.each([[{}], [null]])('%j is not a session (I-44)', async (body) => {
    const client = page.createClient()
    client.subscribe(() => undefined)
    const reading = client.getSession()
    await page.respond(body)
    expect(await reading).toBeNull()
    expect(client.getSnapshot()).toEqual({
      status: 'unauthenticated',
      session: null,
      error: undefined,
    })
    expect(page.errors).toEqual([])
  })

  test('the snapshot is the same object until the session changes', async () => {
    const client = page.createClient()
    const listener = vi.fn()
    client.subscribe(listener)
    await page.respond(alice)
    const before = client.getSnapshot()
    await advance(2000)
    page.dispatch('focus')
    await page.respond(structuredClone(alice))
    expect(client.getSnapshot()).toBe(before)
    expect(listener).toHaveBeenCalledTimes(1)
  })

  test('a slow response does not replace a newer one', async () => {
    const client = await createWatchedClient()
    await advance(2000)
    const slow = client.getSession()
    const slowRequest = page.requests.at(-1)
    const signOut = client.signOut({ redirect: false })
    await page.respond({ csrfToken: 'token' })
    await page.respond({ url: 'https://app.example/' })
    await signOut
    await slowRequest?.respond(alice)
    expect(client.getSnapshot().status).toBe('unauthenticated')
    expect(await slow).toBeNull()
  })

  test('a removed listener is not called, and without listeners nothing is read', async () => {
    const client = page.createClient({ refetchInterval: 10 })
    const listener = vi.fn()
    const unsubscribes = [client.subscribe(listener), client.subscribe(() => listener())]
    await page.respond(alice)
    expect(listener).toHaveBeenCalledTimes(2)
    for (const unsubscribe of [...unsubscribes, ...unsubscribes]) unsubscribe()
    await advance(HOUR)
    for (const type of ['focus', 'visibilitychange', 'online']) page.dispatch(type)
    expect(page.requests).toHaveLength(1)
  })
})

describe('subscribing again', () => {
  test('within a second, as StrictMode does, sends no request', async () => {
    const client = page.createClient({ session: alice })
    client.subscribe(() => undefined)()
    client.subscribe(() => undefined)
    expect(page.requests).toEqual([])
  })

  test('after a pause reads the session', async () => {
    const client = await createWatchedClient()
    const unsubscribe = client.subscribe(() => undefined)
    unsubscribe()
    const other = page.createClient({ session: alice })
    other.subscribe(() => undefined)()
    await advance(2000)
    other.subscribe(() => undefined)
    expect(page.requests).toHaveLength(2)
  })
})

describe('when the service does not answer', () => {
  test.each([
    ['503', 'down for maintenance', 503, 'Unavailable'],
    ['an error of the service', { error: 'Unavailable', message: 'x' }, 503, 'Unavailable'],
    ['HTML instead of JSON', '<!doctype html>', 200, 'Unavailable'],
    ['a wrong base path', 'Not Found', 404, 'Default'],
  ])('%s keeps the session and sets the error', async (_name, body, status, error) => {
    const client = await createWatchedClient()
    await advance(2000)
    page.dispatch('focus')
    await page.respond(body, status)
    expect(client.getSnapshot()).toEqual({ status: 'authenticated', session: alice, error })
    await advance(2000)
    await page.respond(alice)
    expect(client.getSnapshot().error).toBeUndefined()
  })

  test('a first read that fails leaves the status loading', async () => {
    const client = page.createClient()
    client.subscribe(() => undefined)
    await page.requests.at(-1)?.fail()
    expect(client.getSnapshot()).toEqual({ status: 'loading', session: null, error: 'Unavailable' })
  })

  test('it retries after 2, 4, 8 … seconds, at most five minutes', async () => {
    page.createClient().subscribe(() => undefined)
    const waits: number[] = []
    for (let attempt = 0; attempt < 11; attempt++) {
      await page.respond('down', 503)
      const before = page.requests.length
      const failedAt = Date.now()
      while (page.requests.length === before) await advance(1000)
      waits.push((Date.now() - failedAt) / 1000)
    }
    expect(waits).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300])
  })

  test('a failure is logged once, until a request succeeds or fails in another way', async () => {
    page.createClient().subscribe(() => undefined)
    const responses: [unknown, number?][] = [
      ['down', 503],
      ['down', 503],
      [{ error: 'RateLimited', message: 'x' }, 429],
      [{ error: 'RateLimited', message: 'x' }, 429],
      [alice],
      ['down', 503],
    ]
    for (const response of responses) {
      await page.respond(...response)
      await advance(HOUR)
    }
    expect(page.errors).toEqual([
      '[latchkey][error] /api/auth/session 503 Unavailable',
      '[latchkey][error] /api/auth/session 429 RateLimited',
      '[latchkey][error] /api/auth/session 503 Unavailable',
    ])
  })

  test('a request without a response is logged', async () => {
    page.createClient().subscribe(() => undefined)
    await page.requests.at(-1)?.fail()
    expect(page.errors).toEqual(['[latchkey][error] /api/auth/session 0 Unavailable'])
  })

  test('an update that is refused is logged, a sign-in is not: its caller gets the failure', async () => {
    const client = page.createClient()
    for (const start of [() => client.updateSession(1), () => client.signIn('email')]) {
      const result = start()
      await page.respond({ csrfToken: 'token' })
      await page.respond({ error: 'AccessDenied', message: 'x', url: '/error' }, 403)
      expect(await result).toMatchObject({ ok: false, error: 'AccessDenied' })
    }
    expect(page.errors).toEqual(['[latchkey][error] /api/auth/session 403 AccessDenied'])
  })

  test('a CSRF token that is requested again is not a failure', async () => {
    const update = page.createClient().updateSession()
    await page.respond({ csrfToken: 'previous' })
    await page.respond({ error: 'Csrf', message: 'x' }, 403)
    await page.respond({ csrfToken: 'token' })
    await page.respond(alice)
    expect(await update).toMatchObject({ ok: true })
    expect(page.errors).toEqual([])
  })

  test('getSession rejects instead of returning null', async () => {
    const reading = page.createClient().getSession()
    const rejected = expect(reading).rejects.toMatchObject({ error: 'Unavailable', status: 503 })
    await page.respond('down', 503)
    await rejected
  })

  test('a request times out after thirty seconds', async () => {
    vi.useRealTimers()
    const timeout = vi.spyOn(AbortSignal, 'timeout')
    void page
      .createClient()
      .getSession()
      .catch(() => undefined)
    expect(timeout).toHaveBeenCalledWith(30_000)
  })
})

describe('refetching', () => {
  test.each(['focus', 'visibilitychange', 'online'])('on %s', async (type) => {
    const client = await createWatchedClient()
    await advance(2000)
    page.dispatch(type)
    page.dispatch(type)
    await page.respond(bob)
    expect(client.getSnapshot().session).toEqual(bob)
    expect(page.requests).toHaveLength(2)
  })

  test('not while hidden, not twice in a second, not with refetchOnWindowFocus: false', async () => {
    const client = await createWatchedClient()
    page.dispatch('focus')
    await advance(2000)
    page.document.visibilityState = 'hidden'
    page.dispatch('visibilitychange')
    page.document.visibilityState = 'visible'
    client.configure({ refetchOnWindowFocus: false })
    page.dispatch('focus')
    expect(page.requests).toHaveLength(1)
  })

  test('when the session expires', async () => {
    const client = await createWatchedClient()
    await advance(HOUR)
    expect(page.requests).toHaveLength(1)
    await advance(1000)
    await page.respond({})
    expect(client.getSnapshot().status).toBe('unauthenticated')
    await advance(48 * HOUR)
    expect(page.requests).toHaveLength(2)
  })

  test('when a session expires that the page was rendered with', async () => {
    const client = page.createClient({ session: alice })
    client.subscribe(() => undefined)
    await advance(HOUR + 1000)
    await page.respond({})
    expect(client.getSnapshot().status).toBe('unauthenticated')
  })

  test('when a session expires that lasts longer than a timer can wait', async () => {
    await createWatchedClient({
      ...alice,
      expires: new Date(Date.now() + 60 * 24 * HOUR).toISOString(),
    })
    await advance(60 * 24 * HOUR)
    expect(page.requests).toHaveLength(1)
    await advance(1000)
    expect(page.requests).toHaveLength(2)
  })

  test('every minute if the clock of the device is fast', async () => {
    await createWatchedClient({ ...alice, expires: '2025-12-31T00:00:00.000Z' })
    await advance(59_000)
    expect(page.requests).toHaveLength(1)
    await advance(1000)
    expect(page.requests).toHaveLength(2)
  })

  test('never on a timer if the session has no expiry', async () => {
    await createWatchedClient({ user: { id: '1' } })
    await advance(100 * 24 * HOUR)
    expect(page.requests).toHaveLength(1)
  })

  test('every refetchInterval while there is a session', async () => {
    await createWatchedClient(alice, { refetchInterval: 60 })
    await advance(60_000)
    await page.respond(alice)
    await advance(60_000)
    await page.respond({})
    expect(page.requests).toHaveLength(3)
    await advance(HOUR)
    expect(page.requests).toHaveLength(3)
  })

  test('every refetchInterval after a change that overtook a read', async () => {
    const client = await createWatchedClient(alice, { refetchInterval: 60 })
    await advance(50_000)
    void client.getSession()
    const slowRequest = page.requests.at(-1)
    const update = client.updateSession()
    await page.respond({ csrfToken: 'token' })
    await page.respond(bob)
    await update
    await advance(60_000)
    await slowRequest?.respond(alice)
    expect(client.getSnapshot().session).toEqual(bob)
    await advance(60_000)
    expect(page.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'GET /api/auth/session',
      'GET /api/auth/session',
      'GET /api/auth/csrf',
      'POST /api/auth/session',
      'GET /api/auth/session',
    ])
  })

  test('at a new refetchInterval after configure', async () => {
    const client = await createWatchedClient()
    client.configure({ refetchInterval: 60 })
    await advance(60_000)
    expect(page.requests).toHaveLength(2)
  })

  test('while offline, or with refetchWhenOffline: false once the device is online', async () => {
    const client = await createWatchedClient(alice, { refetchInterval: 60 })
    vi.stubGlobal('navigator', { onLine: false })
    await advance(60_000)
    await page.respond(alice)
    client.configure({ refetchInterval: 60, refetchWhenOffline: false })
    await advance(HOUR)
    expect(page.requests).toHaveLength(2)
    page.dispatch('online')
    await page.respond(alice)
    vi.stubGlobal('navigator', { onLine: true })
    await advance(60_000)
    expect(page.requests).toHaveLength(4)
  })
})

describe('other tabs', () => {
  const announce = async (name: string, fingerprint: string): Promise<void> => {
    const channel = new BroadcastChannel(name)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows
    channel.postMessage(fingerprint)
    await flushTasks()
    channel.close()
  }

  test('learn of a change and read the session themselves', async () => {
    const first = await createWatchedClient()
    const second = await createWatchedClient()
    expect(page.requests).toHaveLength(2)
    const signOut = first.signOut({ redirect: false })
    await page.respond({ csrfToken: 'token' })
    await page.respond({ url: 'https://app.example/' })
    await signOut
    await waitUntil(() => expect(page.requests).toHaveLength(5))
    await page.respond({})
    expect(second.getSnapshot().status).toBe('unauthenticated')
    await flushTasks()
    expect(page.requests).toHaveLength(5)
  })

  test('that know the same session do not read it', async () => {
    await createWatchedClient()
    await createWatchedClient()
    await createWatchedClient()
    await flushTasks()
    expect(page.requests).toHaveLength(3)
  })

  test('learn of the session that a page was rendered with', async () => {
    const first = await createWatchedClient({})
    page.createClient({ session: alice }).subscribe(() => undefined)
    await waitUntil(() => expect(page.requests).toHaveLength(2))
    await page.respond(alice)
    expect(first.getSnapshot().session).toEqual(alice)
  })

  test('read once more if the announcement arrives during a read', async () => {
    const client = page.createClient()
    client.subscribe(() => undefined)
    const first = page.requests.at(-1)
    await announce('latchkey /api/auth', 'another session')
    await waitUntil(() => expect(page.requests).toHaveLength(2))
    await page.respond({})
    await first?.respond(alice)
    expect(client.getSnapshot().status).toBe('unauthenticated')
  })

  test('read once for repeated announcements, as when a browser opens many tabs', async () => {
    page.createClient().subscribe(() => undefined)
    for (let tab = 0; tab < 10; tab++) await announce('latchkey /api/auth', 'the same session')
    await waitUntil(() => expect(page.requests).toHaveLength(2))
    await flushTasks()
    expect(page.requests).toHaveLength(2)
  })

  test('read for each announcement after the previous read', async () => {
    await createWatchedClient()
    for (let times = 2; times < 5; times++) {
      await announce('latchkey /api/auth', 'another session')
      await waitUntil(() => expect(page.requests).toHaveLength(times))
      await page.respond(alice)
    }
  })

  test('do not announce a change that was announced to them', async () => {
    const messages: unknown[] = []
    const channel = new BroadcastChannel('latchkey /api/auth')
    channel.addEventListener('message', ({ data }) => messages.push(data))
    await createWatchedClient()
    await waitUntil(() => expect(messages).toHaveLength(1))
    await announce('latchkey /api/auth', 'another session')
    await waitUntil(() => expect(page.requests).toHaveLength(2))
    await page.respond(bob)
    await flushTasks()
    expect(messages).toHaveLength(2)
    channel.close()
  })

  test('of another service ignore the announcement', async () => {
    await createWatchedClient()
    await announce('latchkey /auth', 'another session')
    expect(page.requests).toHaveLength(1)
  })

  describe('by the storage event', () => {
    const dispatch = (values: object): void => {
      page.window.dispatchEvent(Object.assign(new Event('storage'), values))
    }
    /** Sends a message as a tab with next-auth 4 does. */
    const announceAsNextAuth = (trigger: string): void => {
      const message = { event: 'session', data: { trigger }, timestamp: 1 }
      dispatch({ key: 'nextauth.message', newValue: JSON.stringify(message) })
    }
    let stored: [key: string, value?: string][]
    beforeEach(() => {
      stored = []
      vi.stubGlobal('localStorage', {
        setItem: (key: string, value: string) => stored.push([key, value]),
        removeItem: (key: string) => stored.push([key]),
      })
    })

    test('learn of a change without BroadcastChannel', async () => {
      vi.stubGlobal('BroadcastChannel', undefined)
      await createWatchedClient()
      const [[key, newValue] = [], ...rest] = stored
      expect(rest).toEqual([['nextauth.message']])
      // The same session, no value, another key, another service.
      dispatch({ key, newValue })
      dispatch({ key, newValue: null })
      dispatch({ key: 'other', newValue: '1' })
      dispatch({ key, newValue: newValue?.replace('/api/auth', '/auth').replace(/-?\d+/, '1') })
      expect(page.requests).toHaveLength(1)
      dispatch({ key, newValue: newValue?.replace(/-?\d+/, '1') })
      expect(page.requests).toHaveLength(2)
    })

    test('learn of a change once if the browser has both ways', async () => {
      await createWatchedClient()
      const [[key, newValue] = []] = stored
      const other = newValue?.replace(/-?\d+/, '1')
      await announce('latchkey /api/auth', '1')
      dispatch({ key, newValue: other })
      await waitUntil(() => expect(page.requests).toHaveLength(2))
      await flushTasks()
      expect(page.requests).toHaveLength(2)
    })

    test('with next-auth 4 are heard, and not answered', async () => {
      const client = await createWatchedClient()
      stored = []
      announceAsNextAuth('signout')
      expect(page.requests).toHaveLength(2)
      await page.respond({})
      expect(client.getSnapshot().status).toBe('unauthenticated')
      expect(stored).toEqual([])
    })

    test('with next-auth 4 are heard during a read, which may be older than the change', async () => {
      const client = await createWatchedClient()
      announceAsNextAuth('getSession')
      const slowRequest = page.requests.at(-1)
      announceAsNextAuth('signout')
      await page.respond({})
      await slowRequest?.respond(alice)
      expect(client.getSnapshot().status).toBe('unauthenticated')
    })

    test('ignore what is not a client’s message, and throw nothing', async () => {
      const uncaught = vi.fn()
      process.on('uncaughtException', uncaught)
      await createWatchedClient()
      for (const newValue of ['x', '{', 'null', '7', '"x"', '[]', '{}', '{"event":"other"}']) {
        dispatch({ key: 'nextauth.message', newValue })
      }
      dispatch({ key: 'nextauth.message', newValue: '{"event":"session","message":{"a":1}}' })
      await flushTasks()
      process.off('uncaughtException', uncaught)
      expect(uncaught).not.toHaveBeenCalled()
      expect(page.requests).toHaveLength(2)
    })

    test('with next-auth 4 get a message that their client understands', async () => {
      await createWatchedClient()
      const [[key, value = ''] = []] = stored
      expect([key, JSON.parse(value)]).toEqual([
        'nextauth.message',
        expect.objectContaining({ event: 'session', data: { trigger: 'getSession' } }),
      ])
      expect(value).not.toContain('alice')
    })
  })

  test('learn nothing without BroadcastChannel and storage, and nothing throws', async () => {
    vi.stubGlobal('BroadcastChannel', undefined)
    vi.stubGlobal('localStorage', undefined)
    expect((await createWatchedClient()).getSnapshot().session).toEqual(alice)
  })
})

describe('on a server', () => {
  test('a listener sends no request', () => {
    vi.stubGlobal('document', undefined)
    const client = page.createClient()
    const unsubscribe = client.subscribe(() => undefined)
    expect(page.requests).toEqual([])
    unsubscribe()
  })
})
