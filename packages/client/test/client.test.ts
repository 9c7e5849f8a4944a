import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { ClientError } from '@latchkey/client'
import { alice, fakePage } from './support/fake-page.ts'
import type { FakePage } from './support/fake-page.ts'

let page: FakePage
beforeEach(() => {
  page = fakePage()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const token = { csrfToken: 'token' }
const idp = 'https://idp.example/authorize?state=x'

describe('signIn', () => {
  test('goes where the service says', async () => {
    const result = page.client().signIn('github', {}, { login_hint: 'alice' })
    await page.answer(token)
    expect(page.asked.at(-1)).toMatchObject({
      method: 'POST',
      path: '/api/auth/signin/github?login_hint=alice',
      body: { csrfToken: 'token', callbackUrl: 'https://app.example/page' },
    })
    await page.answer({ url: idp })
    expect(await result).toEqual({ ok: true, url: idp })
    expect(page.location.href).toBe(idp)
    expect(page.location.reload).not.toHaveBeenCalled()
  })

  test('stays where it shall', async () => {
    const options = { email: 'alice@example.com', redirect: false, callbackUrl: '/after' }
    const result = page.client().signIn('email', options)
    await page.answer(token)
    const { email, callbackUrl } = options
    expect(page.asked.at(-1)?.body).toEqual({ email, callbackUrl, csrfToken: 'token' })
    await page.answer({ url: 'https://app.example/sent' })
    expect(await result).toEqual({ ok: true, url: 'https://app.example/sent' })
    expect(page.location.href).toBe('https://app.example/page')
  })

  test('says why it was refused', async () => {
    const result = page.client().signIn('email', { email: 'x', redirect: false })
    await page.answer(token)
    const url = 'https://app.example/api/auth/signin?error=EmailSignin'
    await page.answer({ url, error: 'EmailSignin', message: 'No address.' }, 400)
    const refused = { ok: false, error: 'EmailSignin', message: 'No address.', status: 400, url }
    expect(await result).toEqual(refused)
    expect(page.location.href).toBe('https://app.example/page')
  })

  test('goes to the page that tells of a refusal', async () => {
    const result = page.client().signIn('email', { email: 'x' })
    await page.answer(token)
    await page.answer({ url: 'https://app.example/why', error: 'EmailSignin', message: 'x' }, 400)
    expect(await result).toMatchObject({ ok: false })
    expect(page.location.href).toBe('https://app.example/why')
  })

  test('without a provider goes to the sign-in page', async () => {
    const client = page.client({ basePath: '/auth' })
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
  ])('with a provider that there is not, redirect: %s', async (redirect, expected) => {
    const result = page.client().signIn('../x', { redirect })
    await page.answer(token)
    expect(page.asked.at(-1)?.path).toBe('/api/auth/signin/..%2Fx?')
    await page.answer('Not Found', 404)
    expect(await result).toMatchObject(expected)
    expect(page.location.href.includes('/api/auth/signin?callbackUrl=')).toBe(redirect)
  })

  test('takes a new token once where the old one is no longer good', async () => {
    const result = page.client().signIn('github', { redirect: false })
    const stale = { error: 'Csrf', message: 'This page had expired.', url: 'https://app.example/x' }
    for (let tries = 0; tries < 2; tries++) {
      await page.answer({ csrfToken: `token ${tries}` })
      expect(page.asked.at(-1)?.body['csrfToken']).toBe(`token ${tries}`)
      await page.answer(stale, 403)
    }
    expect(await result).toEqual({ ok: false, status: 403, ...stale })
    expect(page.asked).toHaveLength(4)
  })

  test('does not reject where there is no network', async () => {
    const result = page.client().signIn('github')
    await page.asked.at(-1)?.fail()
    expect(await result).toEqual({
      ok: false,
      error: 'Unavailable',
      message: 'The service does not answer.',
      status: 0,
    })
    expect(page.location.href).toBe('https://app.example/page')
  })
})

describe('signOut', () => {
  test('ends the session here and goes', async () => {
    const client = page.client({ session: alice })
    const result = client.signOut({ callbackUrl: '/bye#now' })
    await page.answer(token)
    expect(page.asked.at(-1)).toMatchObject({
      path: '/api/auth/signout',
      body: { callbackUrl: '/bye#now' },
    })
    await page.answer({ url: 'https://app.example/bye#now' })
    expect(await result).toEqual({ ok: true, url: 'https://app.example/bye#now' })
    expect(client.getSnapshot().status).toBe('unauthenticated')
    expect(page.location.href).toBe('https://app.example/bye#now')
    expect(page.location.reload).toHaveBeenCalledOnce()
  })

  test('leaves the person signed in where the service refuses', async () => {
    const client = page.client({ session: alice })
    const result = client.signOut()
    await page.answer(token)
    await page.answer('down', 503)
    expect(await result).toMatchObject({ ok: false, error: 'Unavailable', status: 503 })
    expect(client.getSnapshot().status).toBe('authenticated')
    expect(page.location.href).toBe('https://app.example/page')
  })
})

describe('updateSession', () => {
  test('gives the session as it is now', async () => {
    const client = page.client({ session: alice })
    const result = client.updateSession({ name: 'Alicia' })
    await page.answer(token)
    expect(page.asked.at(-1)).toMatchObject({
      method: 'POST',
      path: '/api/auth/session',
      body: { csrfToken: 'token', data: { name: 'Alicia' } },
    })
    const session = { ...alice, user: { ...alice.user, name: 'Alicia' } }
    await page.answer(session)
    expect(await result).toEqual({ ok: true, session })
    expect(client.getSnapshot().session).toEqual(session)
  })

  test('says that there is none any more', async () => {
    const client = page.client({ session: alice })
    const result = client.updateSession()
    await page.answer(token)
    await page.answer({})
    expect(await result).toEqual({ ok: true, session: null })
    expect(client.getSnapshot().status).toBe('unauthenticated')
  })

  test('keeps the session where the application refuses', async () => {
    const client = page.client({ session: alice })
    const result = client.updateSession(1)
    await page.answer(token)
    await page.answer({ error: 'Callback', message: 'x' }, 500)
    expect(await result).toEqual({ ok: false, error: 'Callback', message: 'x', status: 500 })
    expect(client.getSnapshot().session).toEqual(alice)
  })
})

describe('getCsrfToken and getProviders', () => {
  test('give what the service has', async () => {
    const client = page.client()
    const csrf = client.getCsrfToken()
    await page.answer(token)
    expect(await csrf).toBe('token')
    const providers = client.getProviders()
    await page.answer({ github: { id: 'github' } })
    expect(await providers).toEqual({ github: { id: 'github' } })
  })

  test('reject where the service cannot say', async () => {
    const rejected = page
      .client()
      .getCsrfToken()
      .catch((error: unknown) => error)
    await page.answer({ error: 'RateLimited', message: 'Too many tries.' }, 429)
    const error = await rejected
    expect(error).toBeInstanceOf(ClientError)
    expect(error).toMatchObject({ error: 'RateLimited', message: 'Too many tries.', status: 429 })
  })
})
