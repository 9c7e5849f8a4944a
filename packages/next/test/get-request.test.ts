import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { getCsrfToken, signOut } from '@latchkey/core/forms'
import { Browser } from '@latchkey/testing/browser'
import { memoryStorage } from '@latchkey/core/memory'
import { describe, expect, test } from 'vitest'
import { origin, passport, secret, signIn } from '../../core/test/support/service.ts'
import { createNextAuth, getRequest } from '../src/index.ts'

const next = createNextAuth(() => ({
  serviceUrl: origin,
  secret,
  storage: memoryStorage(),
  providers: [passport()],
}))

/** Returns a request of the Pages Router with the cookies of a browser. */
function createRequest(
  { cookies }: Browser,
  method: string,
  headers: object = {},
): IncomingMessage {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const host = new URL(origin).host
  return Object.assign(new IncomingMessage(new Socket()), {
    method,
    headers: { host, cookie, 'x-forwarded-proto': 'https', ...headers },
  })
}

async function signInAlice(): Promise<Browser> {
  const browser = new Browser((request) => next.handlers.GET(request), `${origin}/api/auth`)
  await signIn(browser)
  await browser.json('/csrf')
  return browser
}

describe('getRequest(req) in the Pages Router', () => {
  test('is for every method of the service: the id of the session is one that it lists', async () => {
    const service = await next.service()
    const request = await getRequest(createRequest(await signInAlice(), 'GET'))
    const { session, id } = await service.getSession(request)
    expect(session?.user.name).toBe('Person alice')
    const sessions = await service.sessions.list(session?.user.id ?? '', request)
    expect(sessions).toMatchObject([{ id, isCurrent: true }])
    expect(await service.sessions.revoke(session?.user.id ?? '', id ?? '')).toBe(true)
    expect((await service.getSession(request)).session).toBeNull()
  })

  test('signs out in an API route, with the token of a form of the page', async () => {
    const service = await next.service()
    const browser = await signInAlice()
    const page = await getRequest(createRequest(browser, 'GET'))
    const form = new FormData()
    form.set('csrfToken', (await getCsrfToken(service, page)).csrfToken)
    const foreign = createRequest(browser, 'POST', { origin: 'https://evil.example' })
    expect(await signOut(service, await getRequest(foreign), { form })).toMatchObject({
      error: 'Csrf',
    })
    expect((await service.getSession(page)).session).not.toBeNull()
    const post = await getRequest(createRequest(browser, 'POST', { origin }))
    const reply = await signOut(service, post, { form, callbackUrl: '/' })
    expect(reply).toMatchObject({ ok: true, url: `${origin}/` })
    expect(reply.headers.getSetCookie().join()).toContain('latchkey.session=;')
    expect((await service.getSession(page)).session).toBeNull()
  })
})
