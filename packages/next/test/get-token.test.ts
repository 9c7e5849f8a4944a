import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createNextAuth, getToken } from '../src/index.ts'
import { origin, passport, secret, signIn } from '../../core/test/support/service.ts'
import { Browser } from '@latchkey/testing/browser'

const DAY = 86_400
const start = Date.now()
let skipped = 0

const next = createNextAuth(() => ({
  serviceUrl: origin,
  secret,
  providers: [passport()],
  runtime: { now: () => start + skipped * 1000 },
  callbacks: {
    jwt: ({ token, account }) =>
      account ? { ...token, accessToken: account.access_token } : { ...token },
  },
}))

/** Returns the Cookie header of a browser in which Alice signed in. */
async function signInCookie(): Promise<string> {
  const browser = new Browser((request) => next.handlers.GET(request), `${origin}/api/auth`)
  await signIn(browser)
  return [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
}

describe('getToken(req, next) returns what the session carries (I-46)', () => {
  test('for a request of an API route', async () => {
    const req = new IncomingMessage(new Socket())
    req.headers = { host: new URL(origin).host, cookie: await signInCookie() }
    const token = await getToken(req, next)
    expect(token).toMatchObject({ accessToken: 'access-token-of-the-person' })
    req.headers = { host: new URL(origin).host }
    expect(await getToken(req, next)).toBeNull()
  })

  test('for a request of a route handler or a proxy', async () => {
    const cookie = await signInCookie()
    const request = new Request(`${origin}/page`, { method: 'POST', headers: { cookie } })
    const token = await getToken(request, next)
    expect(token?.accessToken).toBe('access-token-of-the-person')
  })

  test('of a session that is due, and null if the session has ended', async () => {
    const request = new Request(origin, { headers: { cookie: await signInCookie() } })
    skipped += 2 * DAY
    expect(await getToken(request, next)).not.toBeNull()
    skipped += 40 * DAY
    expect(await getToken(request, next)).toBeNull()
  })
})
