import { findRoute } from '@latchkey/core/routes'
import { describe, expect, test } from 'vitest'
import { serve } from './support/service.ts'

describe('findRoute', () => {
  const { auth } = serve()

  test.each([
    ['https://app.example/api/auth/session', '/api/auth/session', undefined],
    ['https://app.example/api/auth/session/?x=1', '/api/auth/session', undefined],
    ['https://app.example/api/auth/signin', '/api/auth/signin', undefined],
    ['https://app.example/api/auth/signin/passport', '/api/auth/signin/:provider', 'passport'],
    [
      'https://app.example/api/auth/callback/passport?code=x',
      '/api/auth/callback/:provider',
      'passport',
    ],
  ])('%s is %s', (url, path, provider) => {
    expect(findRoute(auth, url)).toEqual({ path, provider })
  })

  test.each([
    'https://app.example/',
    'https://app.example/session',
    'https://app.example/api/auth',
    'https://app.example/api/auth/Session',
    'https://app.example/api/auth/signin/unknown',
    'https://app.example/api/auth/signin/passport/x',
    'https://app.example/api/auth/jwks',
  ])('%s is 404', async (url) => {
    expect(findRoute(auth, 'https://app.example/api/auth/session')).toBeDefined()
    expect(findRoute(auth, url)).toBeUndefined()
    expect((await auth.handle(new Request(url))).status).toBe(404)
  })

  test('has the base path of the service, and takes copies of it', () => {
    const service = serve({ serviceUrl: 'https://app.example/sso' })
    const url = 'https://app.example/sso/callback/passport'
    expect(findRoute({ ...service.auth }, url)?.path).toBe('/sso/callback/:provider')
    expect(() => findRoute({ handle: service.auth.handle }, url)).toThrow('findRoute: needs')
  })
})
