import type { AuthConfig } from '@latchkey/core'
import { ConfigurationError } from '@latchkey/core'
import { github } from '@latchkey/core/providers/github'
import { signedIn } from '@latchkey/testing'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { MockInstance } from 'vitest'
import { createNextAuth } from '../src/index.ts'
import { base, passport } from '../../core/test/support/service.ts'
import { createConfig } from './support/service.ts'

const session = (init: RequestInit = {}): Request => new Request(`${base}/session`, init)

describe('the configuration', () => {
  let log: MockInstance<typeof console.error>
  beforeEach(() => {
    log = vi.spyOn(console, 'error').mockReturnValue(undefined)
  })
  afterEach(() => {
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  })

  test.each<[string, () => AuthConfig | Promise<AuthConfig>]>([
    ['a value', () => createConfig()],
    ['a promise', () => Promise.resolve(createConfig())],
  ])('is requested once, when the module is loaded: %s', async (_, create) => {
    const configure = vi.fn(create)
    const { handlers } = createNextAuth(configure)
    expect(configure).toHaveBeenCalledTimes(1)
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

  test('is not requested in next build, which has no secret, but at the first request', async () => {
    vi.stubEnv('NEXT_PHASE', 'phase-production-build')
    const configure = vi.fn(() => createConfig())
    const { handlers } = createNextAuth(configure)
    expect(() => createNextAuth(() => createConfig({ secret: 'short' }))).not.toThrow()
    expect(configure).not.toHaveBeenCalled()
    expect((await handlers.GET(session())).status).toBe(200)
    expect(configure).toHaveBeenCalledTimes(1)
  })

  test('that lacks a variable names the one of next-auth that is set', () => {
    const create = (): void => {
      createNextAuth(() => {
        const clientSecret = process.env['AUTH_GITHUB_SECRET'] ?? ''
        const providers = [github({ clientId: 'Iv1.abc', clientSecret })]
        return createConfig({ secret: process.env['AUTH_SECRET'] ?? '', providers })
      })
    }
    vi.stubEnv('AUTH_SECRET', '')
    vi.stubEnv('AUTH_GITHUB_SECRET', 'kept secret')
    expect(create).toThrow(ConfigurationError)
    expect(log).toHaveBeenLastCalledWith(expect.not.stringContaining('NEXTAUTH_SECRET'))
    vi.stubEnv('NEXTAUTH_SECRET', 'hunter2 hunter2')
    expect(create).toThrow(ConfigurationError)
    const hint = '; NEXTAUTH_SECRET is set: rename it to AUTH_SECRET'
    expect(log).toHaveBeenLastCalledWith(expect.stringContaining(hint))
    vi.stubEnv('AUTH_SECRET', 'a secret of at least thirty-two bytes')
    vi.stubEnv('AUTH_GITHUB_SECRET', '')
    vi.stubEnv('GITHUB_SECRET', 'hunter2')
    const providerHint = '; GITHUB_SECRET is set: rename it to AUTH_GITHUB_SECRET'
    expect(create).toThrow(ConfigurationError)
    expect(log).toHaveBeenLastCalledWith(expect.stringContaining(providerHint))
    expect(log.mock.calls.flat().join()).not.toContain('hunter2')
  })

  test('is checked when the module is loaded, also if a function returns it', () => {
    expect(createNextAuth(() => createConfig())).toHaveProperty('handlers')
    const invalid = createConfig({ secret: 'short' })
    expect(() => createNextAuth(invalid)).toThrow(ConfigurationError)
    expect(log).not.toHaveBeenCalled()
    // A server that loads its modules when it starts may drop what they throw.
    expect(() => createNextAuth(() => invalid)).toThrow(ConfigurationError)
    expect(log).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/^\[latchkey\] secret: /))
  })

  test('with ids that two users could share is refused when the module is loaded', () => {
    const configure =
      (isSecond: boolean): (() => AuthConfig) =>
      () =>
        createConfig({
          providers: [
            passport({ subjectAsUserId: true }),
            passport({ id: 'licence', subjectAsUserId: isSecond }),
          ],
        })
    expect(createNextAuth(configure(false))).toHaveProperty('handlers')
    expect(() => createNextAuth(configure(true))).toThrow('providers.passport.subjectAsUserId')
  })

  test('of a promise is logged when the module is loaded, if it is invalid', async () => {
    createNextAuth(async () => createConfig({ secret: 'short' }))
    await expect.poll(() => log).toHaveBeenCalledTimes(1)
    expect(log).toHaveBeenCalledWith(expect.stringMatching(/^\[latchkey\] secret: /))
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
    const { handlers } = createNextAuth(async () => createConfig({ secret: 'short' }))
    await expect.poll(() => log).toHaveBeenCalledTimes(1)
    log.mockClear()
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
    const next = createNextAuth(async () => createConfig({ secret: 'short' }))
    await expect(next.service()).rejects.toThrow(ConfigurationError)
  })
})
