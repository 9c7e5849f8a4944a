import type { Storage } from '@latchkey/core'
import { apiTokens } from '@latchkey/tokens'
import { memoryStorage } from '@latchkey/core/memory'
import { generateTokenKey } from '@latchkey/tokens/token-key'
import type { Browser } from '@latchkey/testing/browser'
import { describe, expect, test } from 'vitest'
import { createPageRequest, serve, signIn } from './support/service.ts'

const MAX_LAG = 10
const sessionCookie = '__Host-latchkey.session'

/** A storage that records of each read of a session whether a replica may answer. */
function createReplicated(): { readonly storage: Storage; readonly reads: boolean[] } {
  const memory = memoryStorage()
  const reads: boolean[] = []
  const storage: Storage = {
    ...memory,
    maxLag: MAX_LAG,
    getSessionAndUser(id, now, mayLag = false) {
      reads.push(mayLag)
      return memory.getSessionAndUser(id, now)
    },
  }
  return { storage, reads }
}

describe.for([
  ['stored', {}],
  ['in the cookie and revocable', { strategy: 'cookie', revocable: true }],
] as const)('a session %s, over a storage with replicas (I-34)', ([, strategy]) => {
  const setUp = async () => {
    const { storage, reads } = createReplicated()
    const key = await generateTokenKey()
    const service = serve({
      storage,
      session: { ...strategy, update: ({ token, data }) => ({ ...token, data: String(data) }) },
      use: [apiTokens({ audience: 'https://api.example', keys: [key] })],
    })
    const browser = service.browse()
    await signIn(browser)
    /** Returns what the reads of a request allowed. */
    const watch = async (request: (browser: Browser) => Promise<unknown>): Promise<boolean[]> => {
      reads.length = 0
      await request(browser)
      return [...reads]
    }
    return { ...service, browser, watch }
  }

  test('is read at the primary while it is younger than maxLag, then at a replica', async () => {
    const { watch, wait, auth } = await setUp()
    const requests = [
      (browser: Browser) => browser.json('/session'),
      (browser: Browser) => auth.getSession(createPageRequest(browser)),
    ]
    for (const request of requests) expect(await watch(request)).toEqual([false])
    wait(MAX_LAG)
    for (const request of requests) expect(await watch(request)).toEqual([false])
    wait(1)
    for (const request of requests) expect(await watch(request)).toEqual([true])
  })

  test('is read at the primary again after an update and after a renewal', async () => {
    const { watch, wait, browser } = await setUp()
    const read = (): Promise<boolean[]> => watch((by) => by.json('/session'))
    wait(MAX_LAG + 1)
    expect(await read()).toEqual([true])
    const update = { csrfToken: await browser.csrfToken(), data: 'new' }
    await browser.visit('/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(update),
    })
    expect(await read()).toEqual([false])
    wait(MAX_LAG + 1)
    expect(await read()).toEqual([true])
    // A session that is due is renewed from what the primary says.
    wait(86_400 - MAX_LAG - 1)
    expect(await read()).toEqual([false])
    expect(await read()).toEqual([false])
  })

  test('is read at the primary by every other route and call', async () => {
    const { watch, wait, auth, browser } = await setUp()
    const csrfToken = await browser.csrfToken()
    wait(MAX_LAG + 1)
    expect(await watch((by) => by.json('/session'))).toEqual([true])
    const requests: [string, (browser: Browser) => Promise<unknown>][] = [
      ['GET /csrf', (by) => by.visit('/csrf')],
      ['GET /signin', (by) => by.visit('/signin')],
      ['GET /signout', (by) => by.visit('/signout')],
      ['POST /token', (by) => by.post('/token', { csrfToken })],
      ['auth.getToken', (by) => auth.getToken(createPageRequest(by))],
      ['auth.getAccessToken', (by) => auth.getAccessToken(createPageRequest(by), 'passport')],
      ['auth.issueToken', (by) => auth.issueToken(createPageRequest(by))],
      ['POST /signin', (by) => by.post('/signin/passport', { csrfToken, link: 'true' })],
      ['POST /session', (by) => by.post('/session', { csrfToken })],
    ]
    for (const [name, request] of requests) {
      const allowed = await watch(request)
      expect([name, allowed]).toEqual([name, allowed.map(() => false)])
    }
    expect(await watch((by) => by.post('/signout', { csrfToken }))).not.toContain(true)
  })
})

test('the cookie of a stored session says when it was renewed, and is read without replicas too', async () => {
  const memory = memoryStorage()
  const plain = serve({ storage: memory })
  const replicated = serve({ storage: { ...memory, maxLag: MAX_LAG } })
  const browser = replicated.browse()
  await signIn(browser)
  const value = browser.cookies.get(sessionCookie) ?? ''
  expect(value).toMatch(/^[\w-]{43}\.\d{10}$/)
  const other = plain.browse()
  other.cookies.set(sessionCookie, value)
  expect(await other.json('/session')).toHaveProperty('user')
  const third = replicated.browse()
  third.cookies.set(sessionCookie, value.slice(0, 43))
  expect(await third.json('/session')).toHaveProperty('user')
  for (const malformed of [`${value}.1`, `${value.slice(0, 43)}.`, `${value.slice(0, 43)}.x`]) {
    third.cookies.set(sessionCookie, malformed)
    expect(await third.json('/session')).toEqual({})
  }
})
