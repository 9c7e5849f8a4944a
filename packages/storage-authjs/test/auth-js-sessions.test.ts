import { Auth } from '@auth/core'
import type { AuthConfig as AuthJsConfig } from '@auth/core'
import { createAuth } from '@latchkey/core'
import { authJs } from '@latchkey/core/import/auth-js'
import { Browser } from '@latchkey/testing/browser'
import { authjsStorage } from '@latchkey/storage-authjs'
import type { AuthjsAdapter } from '@latchkey/storage-authjs'
import { describe, expect, onTestFinished, test } from 'vitest'
import { base, origin, passport, secret } from '../../core/test/support/service.ts'
import { backends } from './support/databases.ts'

const COOKIE = '__Secure-authjs.session-token'
const SESSION = '__Host-latchkey.session'
const inAYear = new Date(Date.now() + 365 * 86_400_000)

/** Signs in by email with Auth.js, which keeps sessions in the database because it has an adapter. */
async function signInToAuthJs(adapter: AuthjsAdapter, email: string): Promise<string> {
  const links: string[] = []
  const config: AuthJsConfig = {
    adapter: adapter as NonNullable<AuthJsConfig['adapter']>,
    secret: 'the AUTH_SECRET of the application',
    trustHost: true,
    basePath: '/api/auth',
    providers: [
      {
        id: 'email',
        type: 'email',
        name: 'Email',
        from: 'sign-in@example.com',
        sendVerificationRequest: ({ url }) => void links.push(url),
      },
    ],
  }
  const browser = new Browser((request) => Auth(request, config), base)
  await browser.submit('/signin/email', { email })
  await browser.visit(links[0] ?? '')
  expect(await browser.json('/session')).toMatchObject({ user: { email } })
  return browser.cookies.get(COOKIE) ?? ''
}

function replaceAuthJs(adapter: AuthjsAdapter): () => Browser {
  const { handle } = createAuth({
    serviceUrl: origin,
    secret,
    providers: [passport()],
    storage: authjsStorage(adapter),
    session: { importFrom: [authJs({ strategy: 'database', until: inAYear })] },
  })
  return () => new Browser((request) => handle(request), base)
}

describe.for(backends)('sessions of Auth.js 5 in the database (I-45): $name', ({ open }) => {
  test('are imported, and their rows are replaced', async () => {
    const { adapter, close } = await open()
    onTestFinished(() => close().then(() => undefined))
    const token = await signInToAuthJs(adapter, 'ada@example.com')
    expect(await adapter.getSessionAndUser?.(token)).toBeTruthy()
    const browse = replaceAuthJs(adapter)
    const [browser, stranger] = [browse(), browse()]
    stranger.cookies.set(COOKIE, crypto.randomUUID())
    expect(await stranger.json('/session')).toEqual({})
    browser.cookies.set(COOKIE, token)
    const user = { email: 'ada@example.com', emailVerified: true }
    expect(await browser.json('/session')).toMatchObject({ user })
    expect([...browser.cookies.keys()]).toEqual([SESSION])
    expect(await adapter.getSessionAndUser?.(token)).toBeFalsy()
    expect(await browser.json('/session')).toMatchObject({ user })
    await browser.submit('/signout')
    stranger.cookies.set(COOKIE, token)
    expect(await stranger.json('/session')).toEqual({})
  })
})
