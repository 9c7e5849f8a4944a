import type { AuthConfig } from '@latchkey/core'
import { ConfigurationError } from '@latchkey/core'
import { signedIn } from '@latchkey/core/testing'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createNextAuth } from '../src/index.ts'
import { base } from '../../core/test/support/service.ts'
import { createConfig } from './support/service.ts'

const session = (init: RequestInit = {}): Request => new Request(`${base}/session`, init)

describe('the configuration', () => {
  const log = vi.spyOn(console, 'error')
  beforeEach(() => void log.mockReset().mockReturnValue(undefined))
  afterEach(() => void log.mockReset())

  test('is not requested before the first request, and then once', async () => {
    const configure = vi.fn(() => Promise.resolve(createConfig()))
    const { handlers } = createNextAuth(configure)
    expect(configure).not.toHaveBeenCalled()
    const responses = await Promise.all([handlers.GET(session()), handlers.GET(session())])
    expect(responses.map(({ status }) => status)).toEqual([200, 200])
    expect((await handlers.GET(session())).status).toBe(200)
    expect(configure).toHaveBeenCalledTimes(1)
    expect(log).not.toHaveBeenCalled()
  })

  test('makes a service that the tests of applications can sign in at', async () => {
    const latchkey = createNextAuth(createConfig())
    const service = await latchkey.service()
    const cookie = await signedIn(service, { user: { name: 'Alice' } })
    const response = await latchkey.handlers.GET(session({ headers: { cookie } }))
    expect(await response.json()).toMatchObject({ user: { name: 'Alice' } })
  })

  test('is checked at once if it is no function', () => {
    expect(() => createNextAuth(createConfig({ secret: 'short' }))).toThrow(ConfigurationError)
    expect(() => createNextAuth(() => createConfig({ secret: 'short' }))).not.toThrow()
  })

  test('is requested again after a failure', async () => {
    const configure = vi
      .fn<() => AuthConfig>()
      .mockImplementationOnce(() => {
        throw new Error('the secret store cannot be reached')
      })
      .mockImplementation(() => createConfig())
    const { handlers } = createNextAuth(configure)
    const statuses = [await handlers.GET(session()), await handlers.GET(session())]
    expect(statuses.map(({ status }) => status)).toEqual([500, 200])
    expect(configure).toHaveBeenCalledTimes(2)
  })

  test('that is invalid is logged with the option, and answered with 500 Configuration', async () => {
    const { handlers } = createNextAuth(() => createConfig({ secret: 'short' }))
    const response = await handlers.GET(session())
    expect(response.status).toBe(500)
    expect(await response.json()).toEqual({
      error: 'Configuration',
      message: 'This service is not configured correctly. Contact its operator.',
    })
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(log).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/^\[latchkey\] secret: /))
  })

  test('whose function throws is logged with the error, which no client sees', async () => {
    const problem = new Error('AUTH_SECRET is not set')
    const { handlers } = createNextAuth<never>(() => Promise.reject(problem))
    const page = await handlers.GET(session({ headers: { accept: 'text/html,*/*' } }))
    expect(page.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(await page.text()).toBe(
      'This service is not configured correctly. Contact its operator.',
    )
    expect(log).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/^\[latchkey\] /), problem)
    const head = await handlers.HEAD(session({ method: 'HEAD' }))
    expect([head.status, head.body]).toEqual([500, null])
  })

  test('that is invalid rejects the other functions, so that nothing is taken for signed out', async () => {
    const next = createNextAuth(() => createConfig({ secret: 'short' }))
    await expect(next.service()).rejects.toThrow(ConfigurationError)
  })
})
