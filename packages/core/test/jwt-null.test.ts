import type { AuthConfig } from '@latchkey/core'
import { memoryStorage } from '@latchkey/core/memory'
import { describe, expect, test } from 'vitest'
import { createPageRequest, getRedirect, serve, signIn } from './support/service.ts'

type Stored = Pick<AuthConfig, 'storage' | 'session'>

const DAY = 86_400

const strategies: [string, () => Stored][] = [
  ['cookie', () => ({})],
  ['cookie, revocable', () => stored({ strategy: 'cookie', revocable: true })],
  ['storage', () => stored({ strategy: 'storage' })],
]

function stored(session: AuthConfig['session'] & object): Stored {
  return { storage: memoryStorage(), session }
}

describe.each(strategies)('callbacks.jwt returns null, strategy %s (I-46.26)', (_, config) => {
  /** Serves users who can lose their access. */
  const start = () => {
    const access = { isLost: false }
    const service = serve({
      ...config(),
      callbacks: { jwt: ({ token }) => (access.isLost ? null : token) },
    })
    return { ...service, access }
  }

  test('a renewal ends the session', async () => {
    const { browse, wait, access } = start()
    const browser = browse()
    await signIn(browser)
    access.isLost = true
    expect(await browser.json('/session')).toHaveProperty('user')
    wait(2 * DAY)
    expect(await browser.json('/session')).toEqual({})
    access.isLost = false
    expect(await browser.json('/session')).toEqual({})
  })

  test('auth.getSession returns no session, and the headers that end it', async () => {
    const { auth, browse, wait, access } = start()
    const browser = browse()
    await signIn(browser)
    wait(2 * DAY)
    access.isLost = true
    const { session, headers } = await auth.getSession(createPageRequest(browser))
    expect(session).toBeNull()
    expect(headers.getSetCookie().join()).toMatch(/^__Host-latchkey\.ended=/)
  })

  test('a sign-in is refused, and stores nothing', async () => {
    const { browse, access } = start()
    access.isLost = true
    const browser = browse()
    expect(getRedirect(await signIn(browser)).error).toBe('AccessDenied')
    expect(await browser.json('/session')).toEqual({})
    access.isLost = false
    expect((await signIn(browser)).status).toBe(302)
    expect(await browser.json('/session')).toHaveProperty('user')
  })
})
