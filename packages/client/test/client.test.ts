import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ClientError } from '@latchkey/client'
import { alice, installFakePage } from './support/fake-page.ts'
import type { FakePage } from './support/fake-page.ts'

let page: FakePage
beforeEach(() => {
  page = installFakePage()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const token = { csrfToken: 'token' }
const idp = 'https://idp.example/authorize?state=x'

describe('signIn', () => {
  test('navigates to the URL of the response', async () => {
    const result = page.createClient().signIn('github', {}, { login_hint: 'alice' })
    await page.respond(token)
    expect(page.requests.at(-1)).toMatchObject({
      method: 'POST',
      path: '/api/auth/signin/github?login_hint=alice',
      body: { csrfToken: 'token', callbackUrl: 'https://app.example/page' },
    })
    await page.respond({ url: idp })
    expect(await result).toEqual({ ok: true, url: idp })
    expect(page.location.href).toBe(idp)
    expect(page.location.reload).not.toHaveBeenCalled()
  })

  test('with redirect: false does not navigate', async () => {
    const options = { email: 'alice@example.com', redirect: false, callbackUrl: '/after' }
    const result = page.createClient().signIn('email', options)
    await page.respond(token)
    const { email, callbackUrl } = options
    expect(page.requests.at(-1)?.body).toEqual({ email, callbackUrl, csrfToken: 'token' })
    await page.respond({ url: 'https://app.example/sent' })
    // Credentials sign in immediately: the session is read.
    expect(page.requests.at(-1)?.path).toBe('/api/auth/session')
    await page.respond({})
    expect(await result).toEqual({ ok: true, url: 'https://app.example/sent' })
    expect(page.location.href).toBe('https://app.example/page')
  })

  test('returns the failure', async () => {
    const result = page.createClient().signIn('email', { email: 'x', redirect: false })
    await page.respond(token)
    const url = 'https://app.example/api/auth/signin?error=EmailSignin'
    await page.respond({ url, error: 'EmailSignin', message: 'Enter an email address.' }, 400)
    const refused = {
      ok: false,
      error: 'EmailSignin',
      message: 'Enter an email address.',
      status: 400,
      url,
    }
    expect(await result).toEqual(refused)
    expect(page.location.href).toBe('https://app.example/page')
  })

  test('navigates to the page that explains the failure', async () => {
    const result = page.createClient().signIn('email', { email: 'x' })
    await page.respond(token)
    await page.respond({ url: 'https://app.example/why', error: 'EmailSignin', message: 'x' }, 400)
    expect(await result).toMatchObject({ ok: false })
    expect(page.location.href).toBe('https://app.example/why')
  })

  test('without a provider navigates to the sign-in page', async () => {
    const client = page.createClient({ basePath: '/auth' })
    const url = '/auth/signin?callbackUrl=%2Fafter'
    expect(await client.signIn(undefined, { callbackUrl: '/after', redirect: false })).toEqual({
      ok: true,
      url,
    })
    expect(page.location.href).toBe('https://app.example/page')
    await client.signIn(undefined, { callbackUrl: '/after' })
    expect(page.location.href).toBe(url)
  })

  test.each([
    [true, { ok: true }],
    [false, { ok: false, error: 'Default', status: 404 }],
  ])('with an unknown provider, redirect: %s', async (redirect, expected) => {
    const result = page.createClient().signIn('../x', { redirect })
    await page.respond(token)
    expect(page.requests.at(-1)?.path).toBe('/api/auth/signin/..%2Fx?')
    await page.respond('Not Found', 404)
    expect(await result).toMatchObject(expected)
    expect(page.location.href.includes('/api/auth/signin?callbackUrl=')).toBe(redirect)
  })

  test('retries a refused CSRF token once', async () => {
    const result = page.createClient().signIn('github', { redirect: false })
    const stale = { error: 'Csrf', message: 'This page had expired.', url: 'https://app.example/x' }
    for (let attempt = 0; attempt < 2; attempt++) {
      await page.respond({ csrfToken: `token ${attempt}` })
      expect(page.requests.at(-1)?.body['csrfToken']).toBe(`token ${attempt}`)
      await page.respond(stale, 403)
    }
    expect(await result).toEqual({ ok: false, status: 403, ...stale })
    expect(page.requests).toHaveLength(4)
  })

  test('does not reject without a network', async () => {
    const result = page.createClient().signIn('github')
    await page.requests.at(-1)?.fail()
    expect(await result).toEqual({
      ok: false,
      error: 'Unavailable',
      message: 'The service does not answer.',
      status: 0,
    })
    expect(page.location.href).toBe('https://app.example/page')
  })
})

describe('confirm', () => {
  test('navigates to the page of the confirmation, which leads back to this one (I-51.6)', async () => {
    const url = '/api/auth/signin?confirm=true&callbackUrl=https%3A%2F%2Fapp.example%2Fpage'
    expect(await page.createClient({ session: alice }).confirm()).toEqual({ ok: true, url })
    expect(page.location.href).toBe(url)
    expect(page.requests).toEqual([])
  })

  test('of a service on another origin returns an absolute URL', async () => {
    const client = page.createClient({ baseUrl: 'https://auth.example' })
    const { url = '' } = await client.confirm({ callbackUrl: '/keys', redirect: false })
    const target = new URL(url)
    expect(target.origin + target.pathname).toBe('https://auth.example/api/auth/signin')
    expect(Object.fromEntries(target.searchParams)).toEqual({
      confirm: 'true',
      callbackUrl: 'https://app.example/keys',
    })
    expect(page.location.href).toBe('https://app.example/page')
  })
})

describe('signOut', () => {
  test('ends the session and navigates', async () => {
    const client = page.createClient({ session: alice })
    const result = client.signOut({ callbackUrl: '/bye#now' })
    await page.respond(token)
    expect(page.requests.at(-1)).toMatchObject({
      path: '/api/auth/signout',
      body: { callbackUrl: '/bye#now' },
    })
    await page.respond({ url: 'https://app.example/bye#now' })
    expect(await result).toEqual({ ok: true, url: 'https://app.example/bye#now' })
    expect(client.getSnapshot().status).toBe('unauthenticated')
    expect(page.location.href).toBe('https://app.example/bye#now')
    expect(page.location.reload).toHaveBeenCalledOnce()
  })

  test('keeps the session if the service refuses', async () => {
    const client = page.createClient({ session: alice })
    const result = client.signOut()
    await page.respond(token)
    await page.respond('down', 503)
    expect(await result).toMatchObject({ ok: false, error: 'Unavailable', status: 503 })
    expect(client.getSnapshot().status).toBe('authenticated')
    expect(page.location.href).toBe('https://app.example/page')
  })
})

describe('updateSession', () => {
  test('returns the updated session', async () => {
    const client = page.createClient({ session: alice })
    const result = client.updateSession({ name: 'Alicia' })
    await page.respond(token)
    expect(page.requests.at(-1)).toMatchObject({
      method: 'POST',
      path: '/api/auth/session',
      body: { csrfToken: 'token', data: { name: 'Alicia' } },
    })
    const session = { ...alice, user: { ...alice.user, name: 'Alicia' } }
    await page.respond(session)
    expect(await result).toEqual({ ok: true, session })
    expect(client.getSnapshot().session).toEqual(session)
  })

  test('returns null if the session has ended', async () => {
    const client = page.createClient({ session: alice })
    const result = client.updateSession()
    await page.respond(token)
    await page.respond({})
    expect(await result).toEqual({ ok: true, session: null })
    expect(client.getSnapshot().status).toBe('unauthenticated')
  })

  test('keeps the session if the application refuses', async () => {
    const client = page.createClient({ session: alice })
    const result = client.updateSession(1)
    await page.respond(token)
    await page.respond({ error: 'Callback', message: 'x' }, 500)
    expect(await result).toEqual({ ok: false, error: 'Callback', message: 'x', status: 500 })
    expect(client.getSnapshot().session).toEqual(alice)
  })
})

describe('getCsrfToken and getProviders', () => {
  test('return what the service sends', async () => {
    const client = page.createClient()
    const csrf = client.getCsrfToken()
    await page.respond(token)
    expect(await csrf).toBe('token')
    const providers = client.getProviders()
    await page.respond({ github: { id: 'github' } })
    expect(await providers).toEqual({ github: { id: 'github' } })
  })

  test('reject if the service refuses', async () => {
    const rejected = page
      .createClient()
      .getCsrfToken()
      .catch((error: unknown) => error)
    await page.respond({ error: 'RateLimited', message: 'Too many tries.' }, 429)
    const error = await rejected
    expect(error).toBeInstanceOf(ClientError)
    expect(error).toMatchObject({ error: 'RateLimited', message: 'Too many tries.', status: 429 })
  })
})
